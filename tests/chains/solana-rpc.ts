import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { getSignatureFromTransaction, getTransactionDecoder } from "@solana/kit";
import { PublicKey } from "@solana/web3.js";
import type { Runtime } from "./svm.ts";

export type SolanaRpc = { url: string; stop(): void };

/** The JSON-RPC of a Solana node in front of a runtime: as much of it as a program needs to send. */
export async function serveSolanaRpc(runtime: Runtime): Promise<SolanaRpc> {
  const sent = new Map<string, string | undefined>();
  const context = { slot: 10 };
  const methods: Record<string, (...params: never[]) => unknown> = {
    getBalance: (key: string) => ({
      context,
      value: Number(runtime.balanceOf(new PublicKey(key))),
    }),
    getLatestBlockhash: () => ({
      context,
      value: { blockhash: runtime.latestBlockhash(), lastValidBlockHeight: 1_000 },
    }),
    requestAirdrop(key: string, amount: number) {
      runtime.airdrop(key, BigInt(amount));
      return "1".repeat(64);
    },
    sendTransaction(transaction: string) {
      const bytes = Buffer.from(transaction, "base64");
      const signature = getSignatureFromTransaction(getTransactionDecoder().decode(bytes));
      sent.set(signature, runtime.send(bytes));
      return signature;
    },
    getSignatureStatuses: (signatures: string[]) => ({
      context,
      value: signatures.map((signature) =>
        sent.has(signature)
          ? { slot: 10, confirmations: 1, err: sent.get(signature) ?? null, status: null }
          : null,
      ),
    }),
  };
  const server = createServer(async (request, response) => {
    // The body of a call of JSON-RPC, which a client of the tests wrote.
    const { id, method, params } = (await json(request)) as {
      id: unknown;
      method: string;
      params: never[];
    };
    const answer = methods[method];
    const result = answer
      ? { result: answer(...params) }
      : { error: { code: -32601, message: `no method ${method}` } };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...result }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
