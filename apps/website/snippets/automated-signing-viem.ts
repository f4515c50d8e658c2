import { createViemAccount } from "@keyhearth/sdk/viem";
import { parseEther, parseGwei } from "viem";
import { setUp, supplier } from "./automated-signing/set-up.ts";

const { bot, address, walletId } = await setUp();
const account = await createViemAccount({ connection: bot, signWith: address, walletId });

const signed = await account.signTransaction({
  chainId: 1,
  nonce: 0,
  to: supplier,
  value: parseEther("0.005"),
  gas: 21_000n,
  maxFeePerGas: parseGwei("20"),
  maxPriorityFeePerGas: parseGwei("1"),
});
console.log("Ready to broadcast:", signed);
