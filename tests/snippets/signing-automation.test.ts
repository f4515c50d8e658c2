import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Hex, parseTransaction, recoverTransactionAddress } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findLanguages, run } from "../languages/toolchains.ts";
import { clientOf } from "../start/process.ts";
import { type SharedProduct, sharedProduct } from "../start/shared.ts";

// The first signature in each language of the quickstart. viem says what was signed, and by whom.

const snippets = fileURLToPath(new URL("../../apps/website/snippets/", import.meta.url));
const builds = mkdtempSync(join(tmpdir(), "keyhearth-quickstart-"));
const languages = findLanguages(builds);
const python = languages.find(({ name }) => name === "Python");
const go = languages.find(({ name }) => name === "Go");

let product: SharedProduct;
beforeAll(async () => {
  product = await sharedProduct();
}, 180_000);
afterAll(() => rmSync(builds, { recursive: true, force: true }));

test("TypeScript", async () => {
  await expectSigned(await execute(process.execPath, ["signing-automation-quickstart.ts"]));
});

test("curl and openssl", async () => {
  await expectSigned(await execute("sh", ["signing-automation-quickstart.sh"]));
});

test("curl says why a request was refused", async () => {
  const file = { KEYHEARTH_ROOT_KEY: join(snippets, "package.json") };
  await expect(execute("sh", ["signing-automation-quickstart.sh"], file)).rejects.toThrow();
});

// On CI, a missing language fails in the tests of the languages.
test.runIf(go && !go.missing)(
  "Go",
  async () => {
    if (!go) return;
    const program = join(builds, "sign-transaction");
    expect(await run(go, ["go", "build", "-o", program, "./sign-transaction"])).toMatchObject({
      code: 0,
    });
    await expectSigned((await run(go, [program], product.environment)).stdout);
  },
  120_000,
);

test.runIf(python && !python.missing)("Python", async () => {
  if (!python) return;
  const [program] = python.program;
  const ended = await run(python, [program, "-W", "error", "sign_transaction.py"], {
    ...product.environment,
  });
  await expectSigned(ended.stdout);
});

async function execute(program: string, args: string[], changed: Record<string, string> = {}) {
  const { stdout } = await promisify(execFile)(program, args, {
    cwd: snippets,
    env: { PATH: process.env.PATH, ...product.environment, ...changed },
    timeout: 30_000,
  });
  return stdout;
}

async function expectSigned(output: string) {
  const [, address = ""] = /^Address: (0x[0-9a-fA-F]{40})$/m.exec(output) ?? [];
  const [, signed = ""] = /^Signed transaction: (0x[0-9a-f]+)$/m.exec(output) ?? [];
  const serializedTransaction = signed as `0x02${string}`; // the assertions below fail otherwise
  expect(parseTransaction(signed as Hex)).toMatchObject({
    chainId: 11_155_111,
    to: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045",
    value: 10n ** 16n,
  });
  expect(await recoverTransactionAddress({ serializedTransaction })).toBe(address);
  const { wallets } = await clientOf(product, product.root).listWallets();
  expect(wallets.some(({ walletName }) => walletName.startsWith("Payouts "))).toBe(true);
}
