import type { Connection } from "@keyhearth/sdk";
import { createViemAccount } from "@keyhearth/sdk/viem";
import { createWalletClient, type Hex, http } from "viem";
import { mainnet } from "viem/chains";

/** Signs with the session, and sends by the node at `rpcUrl`. viem fills in nonce, gas and fees. */
export async function sendWithViem(
  connection: Connection,
  { signWith, to, value, rpcUrl }: { signWith: string; to: Hex; value: bigint; rpcUrl: string },
): Promise<string> {
  const account = await createViemAccount({ connection, signWith });
  const wallet = createWalletClient({ account, chain: mainnet, transport: http(rpcUrl) });
  return wallet.sendTransaction({ type: "eip1559", to, value });
}
