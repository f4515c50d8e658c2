import { expect, test } from "vitest";
import contract from "../../../contract/openapi.json" with { type: "json" };
import { type Constraints, comment, describeValue } from "./generate-comments.ts";

const uuid = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$";

const described: [Constraints, string][] = [
  [{}, ""],
  [{ description: "A name." }, "A name."],
  [{ description: "An id", pattern: uuid }, "An id. A UUID."],
  [{ description: "A UUID.", pattern: uuid }, "A UUID."],
  [{ maxLength: 4096 }, "Up to 4,096 characters."],
  [{ minLength: 1, maxLength: 255 }, "1 to 255 characters."],
  [{ minLength: 1 }, "Not empty."],
  [{ description: "Must not be empty.", minLength: 1 }, "Must not be empty."],
  [
    { items: { minLength: 1, maxLength: 9, pattern: "^[A-Za-z0-9_-]+$" } },
    "Each: 1 to 9 characters, in base64url.",
  ],
  [{ minLength: 8 }, "At least 8 characters."],
  [
    { description: "Notes, at most 4,096 characters.", maxLength: 4096 },
    "Notes, at most 4,096 characters.",
  ],
  [{ description: "Up to 1,000.", maxLength: 100 }, "Up to 1,000. Up to 100 characters."],
  [
    { description: "From 6 to 9. The default is 9.", minimum: 6, maximum: 9, default: 9 },
    "From 6 to 9. The default is 9.",
  ],
  [{ minimum: 1, maximum: 5, default: 2 }, "1 to 5. Default: 2."],
  [{ default: "" }, "Default: empty."],
  [{ default: false }, "Default: false."],
  [{ description: "Ids.", maxItems: 100, items: { pattern: uuid } }, "Ids. Up to 100 UUIDs."],
  [
    { minItems: 1, maxItems: 4, items: { maxLength: 64 } },
    "1 to 4 entries. Each: up to 64 characters.",
  ],
  [
    {
      description: "Seconds.",
      anyOf: [{ pattern: "^[1-9]\\d{0,9}$" }, { minimum: 1, maximum: 9 }],
    },
    "Seconds. 1 to 9. A decimal string.",
  ],
  [{ pattern: "^[xyz]$" }, "Matches `^[xyz]$`."],
];

test.each(described)("%j is described as “%s”", (schema, text) => {
  expect(describeValue(schema)).toBe(text);
});

test("every pattern of the contract has words", () => {
  const described: string[] = [];
  JSON.stringify(contract.components.schemas, (_, value) => {
    if (typeof value?.pattern === "string")
      described.push(describeValue({ pattern: value.pattern }));
    return value;
  });
  expect(described.length).toBeGreaterThan(100);
  expect(described.filter((text) => !text || text.startsWith("Matches"))).toEqual([]);
});

test("comments are wrapped, and their text cannot end them", () => {
  expect(comment("", "")).toBe("");
  expect(comment("A */ b.", "  ")).toBe("  /** A *\\/ b. */\n");
  const words = Array.from({ length: 60 }, (_, at) => `word${at}`).join(" ");
  const text = comment(`${words}\n\n@see ${words}`, "  ");
  const lines = text.trimEnd().split("\n");
  expect(lines).toContain("   *");
  expect(lines.filter((line) => !line.includes("@see")).every((line) => line.length <= 100)).toBe(
    true,
  );
  expect(text.replace(/^[ *]+/gm, "").replace(/\n/g, " ")).toContain(words);
});
