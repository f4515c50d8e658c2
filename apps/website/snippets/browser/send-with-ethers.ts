import type { Connection } from "@keyhearth/sdk";
import { KeyhearthEthersSigner } from "@keyhearth/sdk/ethers";
import { JsonRpcProvider } from "ethers";

/** Signs with the session, and sends by the node at `rpcUrl`. ethers fills in nonce, gas and fees. */
export async function sendWithEthers(
  connection: Connection,
  { signWith, to, value, rpcUrl }: { signWith: string; to: string; value: bigint; rpcUrl: string },
): Promise<string> {
  const provider = new JsonRpcProvider(rpcUrl, "mainnet", { cacheTimeout: -1 });
  try {
    const signer = new KeyhearthEthersSigner({ connection, signWith, provider });
    const { hash } = await signer.sendTransaction({ type: 2, to, value });
    return hash;
  } finally {
    provider.destroy();
  }
}
