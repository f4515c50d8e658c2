import { expect, test } from "vitest";
import { mergeTokens } from "./tokens.ts";

const token = (type: string, content: string) => ({ types: [type], content });

test("neighbours of one colour become one token, and white space joins either side", () => {
  const colors: Record<string, string> = { keyword: "red", operator: "red", punctuation: "grey" };
  const line = [
    token("plain", "  "),
    token("keyword", "const"),
    token("plain", " a "),
    token("operator", "="),
    token("plain", " "),
    token("keyword", "await"),
    token("plain", " "),
    token("punctuation", "("),
    token("punctuation", "{"),
    token("plain", ""),
  ];
  expect(mergeTokens(line, ({ types: [type = ""] }) => colors[type])).toEqual([
    token("keyword", "  const"),
    token("plain", " a "),
    token("operator", "= await "),
    token("punctuation", "({"),
  ]);
});

test("an empty line keeps its token", () => {
  expect(mergeTokens([token("plain", "\n")], () => undefined)).toEqual([token("plain", "\n")]);
});
