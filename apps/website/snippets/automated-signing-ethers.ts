import { KeyhearthEthersSigner } from "@keyhearth/sdk/ethers";
import { parseEther, parseUnits } from "ethers";
import { setUp, supplier } from "./automated-signing/set-up.ts";

const { bot, address } = await setUp();
const signer = new KeyhearthEthersSigner({ connection: bot, signWith: address });

const signed = await signer.signTransaction({
  type: 2,
  chainId: 1,
  nonce: 0,
  to: supplier,
  value: parseEther("0.005"),
  gasLimit: 21_000,
  maxFeePerGas: parseUnits("20", "gwei"),
  maxPriorityFeePerGas: parseUnits("1", "gwei"),
});
console.log("Ready to broadcast:", signed);
