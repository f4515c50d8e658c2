import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { assetHeaders, libraryStyles, pageHeaders, pageRules } from "./headers.ts";

/** Where React Aria has its modules. */
const library = dirname(fileURLToPath(import.meta.resolve("react-aria-components/package.json")));
const read = (path: string) =>
  readFileSync(join(library, "../react-aria/dist/private", path), "utf8");

test("the hashes of the policy are those of the styles that React Aria adds", () => {
  const press = read("interactions/usePress.mjs");
  const [, attribute = ""] = /PRESSABLE_ATTRIBUTE = '([^']+)'/.exec(press) ?? [];
  const texts = [press, read("overlays/usePreventScroll.mjs")].map((source) => {
    const [, text = ""] = /style\.textContent = `([^`]+)`\.trim\(\)/.exec(source) ?? [];
    return text.replace(/\$\{[^}]+\}/, attribute).trim();
  });
  expect(texts.map((text) => text.startsWith("@layer"))).toEqual([true, true]);
  const hashes = texts.map(
    (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`,
  );
  expect(libraryStyles).toEqual(hashes);
});

test("a page connects to its service, and nothing inline runs", () => {
  const rules = pageRules().split("; ");
  expect(rules).toContain("default-src 'none'");
  expect(rules).toContain("script-src 'self'");
  expect(rules).toContain("connect-src 'self'");
  expect(rules).toContain("frame-src 'self'");
  expect(pageRules()).not.toContain("unsafe");
  const elsewhere = pageRules({
    api: "https://keys.example.com",
    frames: "https://frames.example.com",
  }).split("; ");
  expect(elsewhere).toContain("connect-src 'self' https://keys.example.com");
  expect(elsewhere).toContain("frame-src 'self' https://frames.example.com");
});

test("nobody may embed a page, and only files with a hash in their names are kept", () => {
  expect(pageHeaders()).toMatchObject({
    "Cache-Control": "no-cache",
    "Content-Security-Policy": expect.stringMatching(/; frame-ancestors 'none'$/),
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
  });
  expect(assetHeaders({ isHashed: true })["Cache-Control"]).toContain("immutable");
  expect(assetHeaders({ isHashed: false })["Cache-Control"]).toBe("no-cache");
});
