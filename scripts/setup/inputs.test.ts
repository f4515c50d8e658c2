import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { scan } from "./inputs.mjs";

const what = { inputs: ["examples"], variables: [], known: {} };

test("what an example writes when it runs is neither read nor a reason to build the site", () => {
  const root = mkdtempSync(join(tmpdir(), "keyhearth-inputs-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const example = join(root, "examples/server-signer");
  mkdirSync(join(example, "data"), { recursive: true });
  writeFileSync(join(example, "server.ts"), "export {};\n");
  const before = scan(root, what);
  expect(Object.keys(before)).toContain("examples/server-signer/server.ts");
  writeFileSync(join(example, "data/server.json"), "{}");
  // Another user may have run it, and nobody else may look inside.
  chmodSync(join(example, "data"), 0o000);
  expect(scan(root, what)).toEqual(before);
  chmodSync(join(example, "data"), 0o700);
  writeFileSync(join(example, "server.ts"), "export const changed = 1;\n");
  expect(scan(root, what)).not.toEqual(before);
});
