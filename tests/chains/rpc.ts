import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Hex } from "viem";
import { type Evm, GWEI } from "./evm.ts";

export type Rpc = {
  url: string;
  /** Names of the methods that were called, in order. */
  calls: string[];
  stop(): void;
};

// biome-ignore lint/suspicious/noExplicitAny: each method has parameters of its own
type Answer = (...params: any[]) => unknown;

/** The JSON-RPC of a node in front of a chain: as much of it as a wallet needs to send. */
export async function serveRpc(evm: Evm, chainId = "0x1"): Promise<Rpc> {
  const methods = methodsOf(evm, chainId);
  const calls: string[] = [];
  async function call(method: string, params: unknown[]): Promise<object> {
    calls.push(method);
    const answer = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (!answer) return { error: { code: -32601, message: `no method ${method}` } };
    try {
      return { result: await answer(...params) };
    } catch (error) {
      return { error: { code: -32000, message: String(error), data: "0x08" } };
    }
  }
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request));
    const answerOf = async ({
      id,
      method,
      params,
    }: {
      id: number;
      method: string;
      params?: [];
    }) => ({
      jsonrpc: "2.0",
      id,
      ...(await call(method, params ?? [])),
    });
    const answer = Array.isArray(body)
      ? await Promise.all(body.map(answerOf))
      : await answerOf(body);
    response.setHeader("content-type", "application/json");
    return response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function methodsOf(evm: Evm, chainId: string): Record<string, Answer> {
  const sent = new Map<string, boolean>();
  return {
    eth_chainId: () => chainId,
    eth_blockNumber: () => quantity(1n),
    eth_gasPrice: () => quantity(2n * GWEI),
    eth_maxPriorityFeePerGas: () => quantity(GWEI),
    // More than any transaction of the tests needs.
    eth_estimateGas: () => quantity(200_000n),
    eth_getBalance: async (address = "") => quantity(await evm.balanceOf(address)),
    eth_getTransactionCount: async (address = "") => quantity(await evm.nonceOf(address)),
    eth_getCode: (address = "") => evm.codeOf(address),
    eth_getBlockByNumber: () => block,
    async eth_sendRawTransaction(signed) {
      // The parameter of this method is the transaction in hex.
      const { hash, isReverted } = await evm.execute(signed as Hex);
      sent.set(hash, isReverted);
      return hash;
    },
    eth_getTransactionReceipt(hash = "") {
      const isReverted = sent.get(hash);
      return isReverted === undefined ? null : receipt(hash, isReverted);
    },
    eth_call: ({ from, to, data }) => evm.call({ from, to, data }),
    anvil_setBalance: (address, balance) => evm.fund(address, BigInt(balance)),
  };
}

const word = (digit: string): Hex => `0x${digit.repeat(64)}`;
const nobody = `0x${"0".repeat(40)}`;

const block = {
  number: "0x1",
  hash: word("1"),
  parentHash: word("0"),
  timestamp: "0x1",
  nonce: "0x0000000000000000",
  difficulty: "0x0",
  gasLimit: "0x1c9c380",
  gasUsed: "0x0",
  miner: nobody,
  extraData: "0x",
  baseFeePerGas: quantity(GWEI),
  blobGasUsed: "0x0",
  excessBlobGas: "0x0",
  transactions: [],
};

function receipt(hash: string, isReverted: boolean) {
  return {
    transactionHash: hash,
    transactionIndex: "0x0",
    blockHash: block.hash,
    blockNumber: block.number,
    from: nobody,
    to: nobody,
    contractAddress: null,
    cumulativeGasUsed: "0x5208",
    gasUsed: "0x5208",
    effectiveGasPrice: quantity(GWEI),
    logs: [],
    logsBloom: `0x${"0".repeat(512)}`,
    status: isReverted ? "0x0" : "0x1",
    type: "0x2",
  };
}

function quantity(value: bigint): Hex {
  return `0x${value.toString(16)}`;
}
