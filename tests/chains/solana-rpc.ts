import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Runtime } from "./svm.ts";

/** The JSON-RPC of a node in front of a runtime: as much of it as a wallet needs to pay. */
export async function serveSolanaRpc(runtime: Runtime): Promise<{ url: string; stop(): void }> {
  const methods = methodsOf(runtime);
  const server = createServer(async (request, response) => {
    const { id, method, params } = JSON.parse(await text(request));
    response.setHeader("content-type", "application/json");
    const answer = methods[method];
    try {
      if (!answer) throw new Error(`no method ${method}`);
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result: answer(...params) }));
    } catch (error) {
      const { message } = error as Error; // nothing here throws anything else
      response.end(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32002, message } }));
    }
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

// biome-ignore lint/suspicious/noExplicitAny: each method has parameters of its own
function methodsOf(runtime: Runtime): Record<string, (...params: any[]) => unknown> {
  const context = { slot: 10 };
  return {
    getLatestBlockhash: () => ({
      context,
      value: { blockhash: runtime.latestBlockhash(), lastValidBlockHeight: 1000 },
    }),
    getBalance: (owner) => ({ context, value: Number(runtime.balanceAt(owner)) }),
    requestAirdrop(to, amount) {
      runtime.airdrop(to, BigInt(amount));
      return "1".repeat(64);
    },
    sendTransaction(encoded) {
      const failed = runtime.send(Buffer.from(encoded, "base64"));
      if (failed !== undefined) throw new Error(failed);
      return "1".repeat(64);
    },
  };
}
