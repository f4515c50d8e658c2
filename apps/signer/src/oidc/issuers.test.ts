import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { SignerStateError } from "../state/state-error.ts";
import { parseIssuers } from "./issuers.ts";

const directory = mkdtempSync(join(tmpdir(), "keyhearth-issuers-"));
const file = join(directory, "jwks.json");
writeFileSync(file, '{"keys":[]}');

afterAll(() => rmSync(directory, { recursive: true }));

test("three providers are accepted by default, and `none` accepts nobody", () => {
  expect(parseIssuers().map(({ issuer }) => issuer)).toEqual([
    "https://accounts.google.com",
    "https://appleid.apple.com",
    "https://www.facebook.com",
  ]);
  expect(parseIssuers("none")).toEqual([]);
});

test("issuers are names or URLs, with a file of keys or at a private address", () => {
  expect(
    parseIssuers(`google=${file}, https://id.example.com/tenant/ ,private:http://127.0.0.1:4000`),
  ).toEqual([
    {
      issuer: "https://accounts.google.com",
      discoveryUrl: "https://accounts.google.com/.well-known/openid-configuration",
      keysFile: file,
      isPrivate: false,
    },
    {
      issuer: "https://id.example.com/tenant/",
      discoveryUrl: "https://id.example.com/tenant/.well-known/openid-configuration",
      keysFile: null,
      isPrivate: false,
    },
    {
      issuer: "http://127.0.0.1:4000",
      discoveryUrl: "http://127.0.0.1:4000/.well-known/openid-configuration",
      keysFile: null,
      isPrivate: true,
    },
  ]);
});

test.each([
  "",
  "google,",
  "gogle",
  "constructor",
  "private:google",
  "http://id.example.com",
  "ftp://id.example.com",
  "private:ftp://id.example.com",
  "https://user:pass@id.example.com",
  "https://id.example.com?x=1",
  "https://id.example.com#x",
  "https://id.example.com?",
  "https://id.example.com=",
  "https://id.example.com=/a=/b",
  "https://id.example.com=/nowhere/jwks.json",
  "google,https://accounts.google.com",
  Array.from({ length: 101 }, (_, index) => `https://id${index}.example.com`).join(","),
])("`%s` is refused", (text) => {
  expect(() => parseIssuers(text)).toThrow(SignerStateError);
  expect(() => parseIssuers(text)).toThrow(/^KEYHEARTH_OIDC_ISSUERS: /);
});
