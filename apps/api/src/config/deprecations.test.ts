import { expect, test } from "vitest";
import { compareReleases, deprecations, deprecationWarnings, overdue } from "./deprecations.ts";
import { described } from "./variables.ts";

const old = {
  name: "KEYHEARTH_OLD",
  since: "0.2.0",
  removedIn: "0.4.0",
  instead: "set KEYHEARTH_NEW",
};

test("nothing is left in the release that removes it", () => {
  expect(overdue()).toEqual([]);
  const left = ["0.2.0", "0.3.9", "0.4.0", "0.4.1", "0.10.0", "1.0.0"].filter(
    (present) => overdue([old], present).length > 0,
  );
  expect(left).toEqual(["0.4.0", "0.4.1", "0.10.0", "1.0.0"]);
});

test("what is deprecated still works, and for one more minor release at least", () => {
  for (const { name, since, removedIn } of [...deprecations]) {
    expect(Object.keys(described)).toContain(name);
    const [major = 0, minor = 0] = since.split(".").map(Number);
    expect(compareReleases(removedIn, `${major}.${minor + 2}.0`)).toBeGreaterThanOrEqual(0);
  }
});

test("a start warns about a deprecated setting that it uses, and says what to do", () => {
  expect(deprecationWarnings({ KEYHEARTH_OLD: "x", PORT: "1" }, [old])).toEqual([
    "KEYHEARTH_OLD is deprecated since 0.2.0 and will be removed in 0.4.0; set KEYHEARTH_NEW",
  ]);
  expect(deprecationWarnings({ KEYHEARTH_OLD: " " }, [old])).toEqual([]);
});
