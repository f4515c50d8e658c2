import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Hex } from "viem";
import type { Evm } from "./evm.ts";

/** The JSON-RPC of a node in front of a chain: as much of it as a wallet needs to send. */
export async function serveRpc(evm: Evm): Promise<{ url: string; stop(): void }> {
  async function call(method: string, params: unknown[]): Promise<object> {
    if (method === "eth_chainId") return { result: "0x1" };
    if (method !== "eth_sendRawTransaction") {
      return { error: { code: -32601, message: `no method ${method}` } };
    }
    try {
      // The parameter of this method is the transaction in hex.
      return { result: (await evm.execute(params[0] as Hex)).hash };
    } catch (error) {
      return { error: { code: -32000, message: String(error) } };
    }
  }
  const server = createServer(async (request, response) => {
    const { id, method, params } = JSON.parse(await text(request));
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...(await call(method, params ?? [])) }));
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
