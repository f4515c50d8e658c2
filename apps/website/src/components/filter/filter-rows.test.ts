import { createElement as element, isValidElement, type ReactNode } from "react";
import { expect, test } from "vitest";
import { textOf } from "../text-of.ts";
import { filterRows } from "./filter-rows.ts";

const row = (...cells: ReactNode[]) =>
  element("tr", {}, ...cells.map((cell) => element("td", {}, cell)));

/** As a page gives it to a component, with a component of ours around the rows. */
const table = element(
  ({ children }: { children?: ReactNode }) => element("table", {}, children),
  {},
  element("thead", {}, element("tr", {}, element("th", {}, "Chain"), element("th", {}, "Format"))),
  element(
    "tbody",
    {},
    row("Solana", element("code", {}, "ADDRESS_FORMAT_SOLANA")),
    row("Bitcoin, Taproot", element("code", {}, "ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR")),
    row("Bitcoin, SegWit", element("code", {}, "ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH")),
  ),
);

test.each([
  [[], 3, ["Solana", "Taproot", "SegWit"]],
  [["bitcoin"], 2, ["Taproot", "SegWit"]],
  [["bitcoin", "p2tr"], 1, ["Taproot"]],
  [["chain"], 0, []],
])("the words %j leave %d rows, below the head", (words, shown, names) => {
  const filtered = filterRows(table, words);
  expect(filtered).toMatchObject({ shown, all: 3 });
  const text = textOf(filtered.table);
  expect(text.startsWith("ChainFormat")).toBe(true);
  expect(["Solana", "Taproot", "SegWit"].filter((name) => text.includes(name))).toEqual(names);
});

test("other elements stay as they are", () => {
  const { table: same, shown, all } = filterRows(["text", element("hr", { key: 1 })], ["word"]);
  expect(textOf(same)).toBe("text");
  expect(Array.isArray(same) && same.some((each) => isValidElement(each))).toBe(true);
  expect([shown, all]).toEqual([0, 0]);
});
