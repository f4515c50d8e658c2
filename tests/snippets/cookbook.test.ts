import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import factory from "@safe-global/safe-contracts/build/artifacts/contracts/proxies/SafeProxyFactory.sol/SafeProxyFactory.json" with {
  type: "json",
};
import safe from "@safe-global/safe-contracts/build/artifacts/contracts/Safe.sol/Safe.json" with {
  type: "json",
};
import type { Hex } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startEvm } from "../chains/evm.ts";
import { type Rpc, serveRpc } from "../chains/rpc.ts";
import { serveSolanaRpc } from "../chains/solana-rpc.ts";
import { startRuntime } from "../chains/svm.ts";
import { asBundled } from "../start/bundled-imports.ts";
import { compiled } from "../start/process.ts";
import { type SharedProduct, sharedProduct } from "../start/shared.ts";

// The programs of the guides, as readers run them: a service, and chains that execute what it signed.

const directory = fileURLToPath(new URL("../../apps/website/snippets/cookbook/", import.meta.url));
const programs = readdirSync(directory)
  .filter((file) => file.endsWith(".out.txt"))
  .map((file) => file.replace(".out.txt", ".ts"));

let product: SharedProduct;
let ethereum: Rpc;
let solana: Awaited<ReturnType<typeof serveSolanaRpc>>;

beforeAll(async () => {
  product = await sharedProduct();
  const evm = await startEvm();
  // Where the chains have them on which the program can run.
  await evm.putCode("0x4e1DCf7AD4e460CfD30791CCC4F9c8a4f820ec67", factory.deployedBytecode as Hex);
  await evm.putCode("0x41675C099F32341bf84BFc5382aF534df5C7461a", safe.deployedBytecode as Hex);
  ethereum = await serveRpc(evm);
  solana = await serveSolanaRpc(startRuntime());
});
afterAll(() => {
  ethereum.stop();
  solana.stop();
});

test("each program has an output on its page", () => {
  expect(programs.length).toBeGreaterThan(4);
});

test.each(programs)("%s runs unchanged, and prints what its page shows", async (file) => {
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [...asBundled, join(directory, file)],
    {
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: compiled,
        ...product.environment,
        ETH_RPC_URL: ethereum.url,
        ETH_CHAIN_ID: "1",
        SOLANA_RPC_URL: solana.url,
      },
      timeout: 60_000,
    },
  );
  expect(stderr).toBe("");
  const recorded = readFileSync(join(directory, file.replace(/\.ts$/, ".out.txt")), "utf8");
  expect(withoutKeys(stdout)).toBe(withoutKeys(recorded));
});

/** Each run has other keys. */
function withoutKeys(output: string): string {
  return output.replace(/\b0[23][0-9a-f]{64}\b/g, "a public key");
}
