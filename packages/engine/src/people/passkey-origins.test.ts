import { expect, test } from "vitest";
import { originsOf, parseOrigins } from "./passkey-origins.ts";

const features = (value: string | null) => ({
  features: [{ name: "FEATURE_NAME_WEBAUTHN_ORIGINS", value }],
});
const unset = { features: [] };

function pages(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `https://a${index}.example`);
}

test.each([
  ["https://app.example.com", ["https://app.example.com"]],
  ["https://a.example, https://b.example:8443", ["https://a.example", "https://b.example:8443"]],
  ["http://localhost:3000", ["http://localhost:3000"]],
  ["*", ["*"]],
  [
    "https://a.example android:apk-key-hash:ab-_1",
    ["https://a.example", "android:apk-key-hash:ab-_1"],
  ],
  ["*,android:apk-key-hash:ab", ["*", "android:apk-key-hash:ab"]],
  ["\n, https://a.example ,", ["https://a.example"]],
  ["http://localhost", ["http://localhost"]],
  ["https://a-1.example:65535", ["https://a-1.example:65535"]],
  [`* android:apk-key-hash:${"a".repeat(100)}`, ["*", `android:apk-key-hash:${"a".repeat(100)}`]],
  [pages(20).join(), pages(20)],
  [`https://${"a.".repeat(126)}b:8443`, [`https://${"a.".repeat(126)}b:8443`]],
])("%s is a list of origins", (value, origins) => {
  expect(parseOrigins(value)).toEqual(origins);
});

test.each([
  [null],
  [""],
  ["example.com"],
  ["https://example.com/"],
  ["https://Example.com"],
  ["http://example.com"],
  ["https://*.example.com"],
  ["android:apk-key-hash:abc"],
  [pages(21).join()],
  [`https://${"a.".repeat(126)}bc`],
  ["a-https://a.example"],
  ["http://localhost.example"],
  ["http://localhost:"],
  ["https://a.example:123456"],
  ["https://a.example:port"],
  ["https://"],
  ["https://a.example *.b.example"],
  ["* android:apk-key-hash:"],
  ["* android:apk-key-hash:a!"],
  ["* an-android:apk-key-hash:ab"],
  [`* android:apk-key-hash:${"a".repeat(101)}`],
])("%s is not", (value) => {
  expect(parseOrigins(value)).toBeNull();
});

test("unset means any", () => {
  expect(originsOf(unset, null)).toEqual(["*"]);
  expect(originsOf(unset, unset)).toEqual(["*"]);
  const others = { features: [{ name: "FEATURE_NAME_WEBHOOK", value: "https://a.example" }] };
  expect(originsOf(others, others)).toEqual(["*"]);
});

test("a parent's list applies to its sub-organizations, which can only narrow it", () => {
  const parent = features("https://a.example,https://b.example");
  expect(originsOf(unset, parent)).toEqual(["https://a.example", "https://b.example"]);
  expect(originsOf(features("*"), parent)).toEqual(["https://a.example", "https://b.example"]);
  expect(originsOf(features("https://b.example,https://c.example"), parent)).toEqual([
    "https://b.example",
  ]);
  expect(originsOf(features("https://c.example"), parent)).toEqual([]);
  expect(originsOf(features("https://c.example"), unset)).toEqual(["https://c.example"]);
});

test("a list that cannot be read allows nothing", () => {
  expect(originsOf(features("example.com"), null)).toEqual([]);
  expect(originsOf(unset, features(null))).toEqual([]);
});
