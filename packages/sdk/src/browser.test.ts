import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("nothing that the package's entry reaches needs Node.js", () => {
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
  visit(new URL("index.ts", import.meta.url));
  expect(seen.size).toBeGreaterThan(10);
  for (const [url, source] of seen) {
    expect(source, url).not.toMatch(/from "node:|\bBuffer\b|\bprocess\.|\brequire\(/);
  }
});

// As a bundler for browsers resolves: the portable primitives, not their twin on `node:crypto`.
function resolve(name: string, from: URL): URL | undefined {
  const crypto = new URL("../../crypto/src/", import.meta.url);
  if (name.startsWith(".")) return new URL(name, from);
  if (name === "#primitives") return new URL("primitives/portable.ts", crypto);
  if (name.startsWith("@keyhearth/crypto/")) {
    return new URL(`${name.slice("@keyhearth/crypto/".length)}.ts`, crypto);
  }
  return undefined;
}
