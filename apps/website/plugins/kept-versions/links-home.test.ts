import { expect, test } from "vitest";
import { withLinksHome } from "./links-home.ts";

test("a link to a page that an earlier version lacks leads to its home", () => {
  const pages = new Set(["/", "/concepts/wallets"]);
  const link = (address: string) =>
    withLinksHome(`<a class=x href=${address}>0.1</a>`, "0.1", pages);
  expect(link("/0.1/concepts/wallets")).toBe("<a class=x href=/0.1/concepts/wallets>0.1</a>");
  expect(link('"/0.1/concepts/wallets/"')).toContain('href="/0.1/concepts/wallets/"');
  expect(link("/0.1/guides/payouts")).toBe("<a class=x href=/0.1/>0.1</a>");
  expect(link('"/0.1/guides/payouts"')).toBe('<a class=x href="/0.1/">0.1</a>');
  expect(link("/0.1/")).toContain("href=/0.1/>");
  expect(link("/0x1/guides")).toContain("href=/0x1/guides");
});
