import { expect, test } from "vitest";
import { originsOf, parseOrigins } from "./passkey-origins.ts";

const features = (value: string | null) => ({
  features: [{ name: "FEATURE_NAME_WEBAUTHN_ORIGINS", value }],
});
const unset = { features: [] };

test.each([
  ["https://app.example.com", ["https://app.example.com"]],
  ["https://a.example, https://b.example:8443", ["https://a.example", "https://b.example:8443"]],
  ["http://localhost:3000", ["http://localhost:3000"]],
  ["*", ["*"]],
  [
    "https://a.example android:apk-key-hash:ab-_1",
    ["https://a.example", "android:apk-key-hash:ab-_1"],
  ],
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
  [Array.from({ length: 21 }, (_, index) => `https://a${index}.example`).join(",")],
])("%s is not", (value) => {
  expect(parseOrigins(value)).toBeNull();
});

test("unset means any", () => {
  expect(originsOf(unset, null)).toEqual(["*"]);
  expect(originsOf(unset, unset)).toEqual(["*"]);
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
