import { expect, test } from "vitest";
import { parseUrl } from "./url.ts";

test("a text is read as `URL.parse` reads it", () => {
  const texts = [
    "https://a.example/b?c#d",
    "HTTP://A.example:80",
    "mailto:a@b",
    "",
    "/b",
    "http://[::1",
    "::",
  ];
  for (const text of texts) {
    for (const base of [undefined, "https://base.example/x/"]) {
      expect([text, base, parseUrl(text, base)?.href]).toEqual([
        text,
        base,
        URL.parse(text, base)?.href,
      ]);
    }
  }
  expect(parseUrl("no URL")).toBeNull();
});
