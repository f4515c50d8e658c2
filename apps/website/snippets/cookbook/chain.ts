import { createPublicClient, createTestClient, defineChain, http, parseEther } from "viem";

// A development chain on this machine, as `anvil` starts one.
const url = process.env.ETH_RPC_URL ?? "http://localhost:8545";

const chain = defineChain({
  id: Number(process.env.ETH_CHAIN_ID ?? 31_337),
  name: "Development",
  nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
  rpcUrls: { default: { http: [url] } },
});

export const ethereum = createPublicClient({ chain, transport: http(url), pollingInterval: 100 });

await ethereum.getChainId().catch(() => {
  console.error(
    `No Ethereum node answers at ${url}. Start anvil, which is part of Foundry, or set ETH_RPC_URL.`,
  );
  process.exit(1);
});

/** What a faucet does on a test network. */
export async function fund(address: `0x${string}`): Promise<void> {
  const faucet = createTestClient({ chain, mode: "anvil", transport: http(url) });
  await faucet.setBalance({ address, value: parseEther("10") });
}
