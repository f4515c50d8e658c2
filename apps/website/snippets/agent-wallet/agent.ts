import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { parseEther, parseGwei, serializeTransaction } from "viem";

// A program where a model would be: `node agent.ts pay 0.005`, or `node agent.ts wait ID`.
const [task, what = ""] = process.argv.slice(2);

const client = new Client({ name: "small agent", version: "1.0.0" });
await client.connect(
  new StdioClientTransport({
    command: "keyhearth",
    args: ["mcp", "--profile", "trader"],
    stderr: "ignore",
  }),
);

type Facts = { wallets: { walletId: string }[]; accounts: { address: string }[] };

async function call(name: string, args: Record<string, unknown>) {
  const { content, structuredContent } = await client.callTool({ name, arguments: args });
  const [first] = content;
  return {
    facts: structuredContent as Facts,
    text: first?.type === "text" ? first.text : "",
  };
}

if (task === "wait") {
  const { text } = await call("wait_for_approval", { activityId: what, timeoutSeconds: 50 });
  console.log(text);
} else {
  const { facts: listed } = await call("list_wallets", { limit: 1 });
  const { walletId } = listed.wallets[0] ?? {};
  const { facts } = await call("list_accounts", { walletId });
  const unsignedTransaction = serializeTransaction({
    chainId: 11155111,
    type: "eip1559",
    nonce: 0,
    gas: 21_000n,
    maxFeePerGas: parseGwei("20"),
    maxPriorityFeePerGas: parseGwei("1"),
    to: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045",
    value: parseEther(what),
  });
  const { text } = await call("sign_transaction", {
    signWith: facts.accounts[0]?.address,
    chain: "ethereum",
    unsignedTransaction,
  });
  console.log(text);
}
await client.close();
