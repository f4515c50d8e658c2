import { expect, test } from "vitest";
import { readApiUrl } from "./api-url.ts";

test.each([
  [undefined, null],
  ["", null],
  ["https://keys.example.com", "https://keys.example.com"],
  ["https://keys.example.com/", "https://keys.example.com"],
  ["http://127.0.0.1:3000/keys/", "http://127.0.0.1:3000/keys"],
])("KEYHEARTH_SITE_API_URL %o is %o", (given, expected) => {
  expect(readApiUrl({ KEYHEARTH_SITE_API_URL: given })).toBe(expected);
});

test.each([
  "keys.example.com",
  "ftp://keys.example.com",
  "https://a:b@c",
  "https://a?b",
  "https://a#b",
])("%s is refused with what to write", (given) => {
  expect(() => readApiUrl({ KEYHEARTH_SITE_API_URL: given })).toThrow(
    `KEYHEARTH_SITE_API_URL is \`${given}\`: write the address of a service, such as https://keys.example.com`,
  );
});
