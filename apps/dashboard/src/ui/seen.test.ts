import { expect, test } from "vitest";
import { seen, seenName } from "./seen.ts";

test("two names that look the same are told apart, and emoji stay as they are", () => {
  for (const unseen of [
    "\u200b",
    "\u2060",
    "\u00ad",
    "\u034f",
    "\u{e0041}",
    "\u115f",
    "\u200d",
    "\ufe0f",
  ]) {
    expect(seenName(`Ada${unseen}`)).toBe(`Ada\\u{${unseen.codePointAt(0)?.toString(16)}}`);
  }
  expect(["Ada1\ufe0f", "👍\u200d"].map(seenName)).toEqual(["Ada1\\u{fe0f}", "👍\\u{200d}"]);
  for (const name of ["Ada", "Ána 王", "👩‍💻 ❤️ 👍🏽 1️⃣", "<img src=x>", "ad\u0301a"]) {
    expect(seenName(name)).toBe(name);
  }
});

test("in other texts, everything that nobody sees is shown", () => {
  expect(seen("to\u202emoc\n\tx")).toBe("to\\u{202e}moc\n\tx");
});
