import { expect, test } from "vitest";
import type * as z from "zod";
import { EmailCustomizationParamsV2 } from "../messages/style.ts";
import { boundedText } from "./bounded-text.ts";
import { ClientSignature, DerivationPath, Email } from "./schemas.ts";

const MOST = 1_000_000;

/** JSON of as many names as fit into the largest body. Each costs a parser much more than its bytes. */
const names = `{${Array.from({ length: 66_000 }, (_, i) => `"~${i.toString(36)}":""`).join(",")}}`;

const texts: [string, z.ZodType, (text: string) => unknown, string, number][] = [
  ["template variables", EmailCustomizationParamsV2, variables, names, 4096],
  ["a link", EmailCustomizationParamsV2, link, "https://a.example/%s".repeat(50_000), 2048],
  ["a client's message", ClientSignature.shape.message, same, names, 65_536],
  ["a path", DerivationPath, same, `m${"/1".repeat(MOST / 2)}`, 131],
  ["an address", Email, same, `${"a".repeat(MOST)}@example.com`, 254],
];

function variables(templateVariables: string) {
  return { templateVariables };
}

function link(magicLinkTemplate: string) {
  return { magicLinkTemplate };
}

function same(text: string) {
  return text;
}

test.each(texts)(
  "%s that is too long is refused before it is read",
  (_, schema, given, text, max) => {
    const message = `must have at most ${max} characters`;
    const parse = () => schema.safeParse(given(text)).error?.issues;
    expect(parse()).toEqual([expect.objectContaining({ message })]);
    const before = process.cpuUsage();
    for (let i = 0; i < 100; i++) parse();
    expect(process.cpuUsage(before).user).toBeLessThan(100_000);
  },
);

test("of the greatest length it is checked", () => {
  const text = boundedText(3).refine((value) => value === "abc", "expected abc");
  expect(text.safeParse("abc").success).toBe(true);
  expect(text.safeParse("abd").error?.issues[0]?.message).toBe("expected abc");
  expect(text.safeParse("abcd").error?.issues).toHaveLength(1);
});
