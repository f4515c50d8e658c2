import { expect, test } from "vitest";
import { sentencesOf } from "./sentences.ts";

test("a paragraph is sentences, and a capital after a short form goes on with one", () => {
  const texts = (content: string) => sentencesOf(content).map(({ text }) => text);
  expect(texts("A wallet is a seed. Each account is a key (e.g. Ethereum). ¿Qué más?")).toEqual([
    "A wallet is a seed.",
    "Each account is a key (e.g. Ethereum).",
    "¿Qué más?",
  ]);
  expect(texts("Use e.g. Solana. Version 0.2 signs.")).toEqual([
    "Use e.g. Solana.",
    "Version 0.2 signs.",
  ]);
});

test("rows of a table, and labels that say nothing, are told apart from sentences", () => {
  expect(sentencesOf("sign.ts\nIt signs.\nThese are fields:\ncurve\tThe curve\tyes")).toEqual([
    { text: "sign.ts", line: 0, kind: "label" },
    { text: "It signs.", line: 1, kind: "sentence" },
    { text: "These are fields:", line: 2, kind: "label" },
    { text: "curve: The curve · yes", line: 3, kind: "row" },
  ]);
});
