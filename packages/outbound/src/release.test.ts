import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { formText, newerThanThis, readForm, release } from "./release.ts";

test("a program is of the release that the repository is at", () => {
  const { version } = JSON.parse(
    readFileSync(new URL("../../../package.json", import.meta.url), "utf8"),
  );
  expect(release).toBe(version);
});

test("what is written is read, and nothing else", () => {
  expect(readForm(formText(7))).toEqual({ form: 7, release });
  expect(readForm("2 0.10.3")).toEqual({ form: 2, release: "0.10.3" });
  for (const text of ["", "2", "two 0.1.0", "2 0.1", "2 0.1.0\n2 0.1.0", "-1 0.1.0"]) {
    expect([text, readForm(text)]).toEqual([text, null]);
  }
});

test("both releases are named", () => {
  expect(newerThanThis("9.8.7")).toBe(
    `was written by Keyhearth 9.8.7, and this is ${release}, which is older`,
  );
  expect(newerThanThis(null)).toContain("a newer release of Keyhearth, and this is");
});
