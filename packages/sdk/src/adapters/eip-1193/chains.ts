import type { Fetch } from "../../connection/request.ts";
import { asObject } from "../../errors/as-object.ts";
import { type Hex, invalid } from "../evm/key.ts";
import { codes, Eip1193Error } from "./errors.ts";
import type { Listeners } from "./events.ts";
import { callNode, NodeUnreachable } from "./node.ts";
import { isQuantity, toQuantity } from "./quantity.ts";

/** A chain, and the node that requests about it go to. */
export type Eip1193Chain = {
  /** Such as 1 for Ethereum. */
  chainId: number;
  /** Address of the node's JSON-RPC. Plain http only on this machine. */
  rpcUrl: string;
};

type Chain = { id: Hex; rpcUrl: string; state: "unknown" | "connected" | "unreachable" };

/** The chains of a provider, and which of them it can reach. */
export class Chains {
  readonly #chains = new Map<string, Chain>();
  readonly #listeners: Listeners;
  readonly #options: { fetch: Fetch; timeoutMs: number };
  #current: Hex;

  constructor(
    chains: readonly Eip1193Chain[],
    listeners: Listeners,
    options: { fetch: Fetch; timeoutMs: number },
  ) {
    this.#listeners = listeners;
    this.#options = options;
    chains.forEach((chain, index) => {
      const { chainId, rpcUrl } = asObject(chain);
      if (!Number.isSafeInteger(chainId) || chainId < 1) {
        throw invalid(`chains[${index}].chainId`, "must be a positive integer");
      }
      if (!isRpcUrl(rpcUrl)) {
        throw invalid(`chains[${index}].rpcUrl`, "must be an https URL, or http on this machine");
      }
      const id = toQuantity(chainId);
      if (this.has(id)) throw invalid(`chains[${index}].chainId`, "is listed twice");
      this.#chains.set(id, { id, rpcUrl, state: "unknown" });
    });
    const [first] = this.#chains.keys();
    if (first === undefined) throw invalid("chains", "must have at least one chain");
    this.#current = first as Hex; // the keys come from `toQuantity`
  }

  get current(): Hex {
    return this.#current;
  }

  has(id: string): boolean {
    return this.#chains.has(id);
  }

  /** Adds a chain, after its node has said that it is on it (EIP-3085). */
  async add(id: Hex, rpcUrl: string): Promise<void> {
    const chain: Chain = { id, rpcUrl, state: "unknown" };
    await this.#connect(chain);
    this.#chains.set(id, chain);
  }

  async switchTo(id: string): Promise<void> {
    const chain = this.#chains.get(id);
    if (!chain) {
      throw new Eip1193Error(
        codes.unknownChain,
        `This provider has no chain ${id}. Add it with wallet_addEthereumChain`,
      );
    }
    await this.#connect(chain);
    if (this.#current === id) return;
    this.#current = chain.id;
    this.#listeners.emit("chainChanged", chain.id);
  }

  /** Calls the current chain's node, or that of another chain. */
  async call(method: string, params: readonly unknown[] | object, id?: Hex): Promise<unknown> {
    // Invariant: chains are never removed.
    const chain = this.#chains.get(id ?? this.#current) as Chain;
    if (chain.state !== "connected") await this.#connect(chain);
    return this.#reach(chain, () =>
      callNode({ ...this.#options, rpcUrl: chain.rpcUrl }, method, params),
    );
  }

  // A transaction for one chain must not get the nonce and the fees of another one.
  async #connect(chain: Chain): Promise<void> {
    await this.#reach(chain, async () => {
      const node = { ...this.#options, rpcUrl: chain.rpcUrl };
      const answer = await callNode(node, "eth_chainId");
      if (isQuantity(answer) && toQuantity(answer) === chain.id) return;
      throw new NodeUnreachable(
        `The node of chain ${chain.id} is on another chain. Correct its rpcUrl`,
      );
    });
    const isFirst = !this.#isConnected();
    chain.state = "connected";
    if (isFirst) this.#listeners.emit("connect", { chainId: this.#current });
  }

  async #reach<Result>(chain: Chain, request: () => Promise<Result>): Promise<Result> {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof NodeUnreachable)) throw error;
      throw this.#lost(chain, error);
    }
  }

  #lost(chain: Chain, { message, cause }: NodeUnreachable): Eip1193Error {
    const wasConnected = this.#isConnected();
    chain.state = "unreachable";
    const all = [...this.#chains.values()];
    const hasOthers = all.some((each) => each !== chain && each.state !== "unreachable");
    const code = hasOthers ? codes.chainDisconnected : codes.disconnected;
    const error = new Eip1193Error(code, message, { cause });
    if (wasConnected && !this.#isConnected()) {
      const { disconnected } = codes;
      this.#listeners.emit("disconnect", new Eip1193Error(disconnected, message, { cause }));
    }
    return error;
  }

  #isConnected(): boolean {
    return [...this.#chains.values()].some(({ state }) => state === "connected");
  }
}

/** Whether a node may be asked: by https, or on this machine by http. */
export function isRpcUrl(url: unknown): url is string {
  if (typeof url !== "string" || !URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  if (protocol === "https:") return true;
  return protocol === "http:" && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
