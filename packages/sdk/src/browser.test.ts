import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const entries = [
  "index.ts",
  "advice.ts",
  "browser.ts",
  ...["indexed-db", "native-passkey", "secure-storage", "session", "wallet", "webauthn"].map(
    (name) => `stampers/${name}.ts`,
  ),
];

test.each(entries)("nothing that %s imports needs Node.js", (entry) => {
  const seen = reach(entry);
  expect(seen.size).toBeGreaterThan(5);
  for (const [url, source] of seen) {
    expect(source, url).not.toMatch(/from "node:|\bBuffer\b|\bprocess\.|\brequire\(/);
  }
});

test("only the advice entry loads the policy language, not the package's main entry", () => {
  const policy = (entry: string) =>
    [...reach(entry).keys()].filter((url) => /\/policy\//.test(url));
  expect(policy("index.ts")).toEqual([]);
  expect(policy("advice.ts").length).toBeGreaterThan(10);
});

function reach(entry: string): Map<string, string> {
  const seen = new Map<string, string>();
  const visit = (url: URL) => {
    if (seen.has(url.href)) return;
    const source = readFileSync(url, "utf8");
    seen.set(url.href, source);
    for (const [, name = ""] of source.matchAll(/from "([^"]+)"/g)) {
      const target = resolve(name, url);
      if (target) visit(target);
    }
  };
  visit(new URL(entry, import.meta.url));
  return seen;
}

// Resolves as a bundler for browsers does: to the portable primitives, not to those on `node:crypto`.
function resolve(name: string, from: URL): URL | undefined {
  const crypto = new URL("../../crypto/src/", import.meta.url);
  if (name.startsWith(".")) return new URL(name, from);
  if (name === "#primitives") return new URL("primitives/portable.ts", crypto);
  if (name === "@keyhearth/crypto/primitives") return new URL("primitives/portable.ts", crypto);
  if (name.startsWith("@keyhearth/crypto/")) {
    return new URL(`${name.slice("@keyhearth/crypto/".length)}.ts`, crypto);
  }
  if (name.startsWith("@keyhearth/policy/")) {
    const policy = new URL("../../policy/src/", import.meta.url);
    return new URL(`${name.slice("@keyhearth/policy/".length)}.ts`, policy);
  }
  return undefined;
}
