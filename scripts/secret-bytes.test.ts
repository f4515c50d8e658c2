import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root, sourcesOf } from "./source-files.testing.ts";

// `openBytes` is where a key can become text, so it is named where somebody reviews it.

const MAY = [
  "packages/crypto/src/",
  "packages/engine/src/vault/",
  "apps/courier/src/key-file.ts",
  "apps/signer/src/root-key/file.ts",
  "apps/signer/src/workers/handed-over.ts",
];

test("only the vault, the cryptography, the files of keys and what threads hand over make and open secret bytes", () => {
  const files = sourcesOf(".", "{packages,apps}/*/src/**/*.{ts,tsx}").filter((file) =>
    /\b(openBytes|secretBytes)\b/.test(readFileSync(join(root, file), "utf8")),
  );
  expect(files.filter((file) => !MAY.some((place) => file.startsWith(place)))).toEqual([]);
  for (const place of MAY) expect(files.some((file) => file.startsWith(place))).toBe(true);
});
