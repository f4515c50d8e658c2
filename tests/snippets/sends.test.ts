import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Sepolia } from "@ethereumjs/common";
import { PublicKey } from "@solana/web3.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startEvm } from "../chains/evm.ts";
import { serveRpc } from "../chains/rpc.ts";
import { serveSolanaRpc } from "../chains/solana-rpc.ts";
import { startRuntime } from "../chains/svm.ts";
import { asBundled } from "../start/bundled-imports.ts";
import { type SharedProduct, sharedProduct } from "../start/shared.ts";

// Runs the programs that send a payment, as a reader would: once without funds, and again with them. The node is the
// tests' own, and an EVM and Solana's runtime execute what arrives.

const folder = fileURLToPath(new URL("../../apps/website/snippets/sends/", import.meta.url));
const closers: (() => void)[] = [];

let product: SharedProduct;
beforeAll(async () => {
  product = await sharedProduct();
}, 180_000);
afterAll(() => {
  for (const close of closers) close();
});

async function run(file: string, url: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [...asBundled, file], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...product.environment, RPC_URL: url },
    timeout: 60_000,
  });
  return stdout.trim().split("\n");
}

test("the program for Ethereum sends a payment that an EVM executes", async () => {
  const evm = await startEvm(Sepolia);
  const rpc = await serveRpc(evm, "0xaa36a7");
  closers.push(() => rpc.stop());
  const recipient = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";

  const [empty = "", advice] = await run("ethereum.ts", rpc.url);
  const [address = ""] = empty.match(/^0x[0-9a-fA-F]{40}/) ?? [];
  expect([empty, advice]).toEqual([
    `${address} has 0 ether`,
    "Send it some test ether from a faucet, then run this again",
  ]);
  await evm.fund(address);
  expect(await run("ethereum.ts", rpc.url)).toEqual([
    `${address} has 10 ether`,
    "Sent 0.001 ether: success",
  ]);
  expect(await evm.balanceOf(recipient)).toBe(10n ** 15n);
  expect(await evm.nonceOf(address)).toBe(1n);
});

test("the program for Solana sends a payment that the chain's runtime executes", async () => {
  const runtime = startRuntime();
  const rpc = await serveSolanaRpc(runtime);
  closers.push(() => rpc.stop());
  const recipient = new PublicKey("vines1vzrYbzLMRdu58ou5XTby4qAqVRLmqo36NKPTg");
  const before = runtime.balanceOf(recipient);

  const [empty = "", advice] = await run("solana.ts", rpc.url);
  const [address = ""] = empty.split(" ");
  expect([empty, advice]).toEqual([
    `${address} has 0 SOL`,
    "Send it some test SOL from a faucet, then run this again",
  ]);
  runtime.fund(new PublicKey(address));
  expect(await run("solana.ts", rpc.url)).toEqual([
    `${address} has 1 SOL`,
    "Sent 0.001 SOL: success",
  ]);
  expect(runtime.balanceOf(recipient) - before).toBe(1_000_000n);
});
