/** Keys of Keyhearth behind the provider interface of EIP-1193. */

import type { Connection } from "../connection/connection.ts";
import type { Fetch } from "../connection/request.ts";
import { asObject } from "../errors/as-object.ts";
import { checkConnection } from "../errors/invalid-fields.ts";
import { Chains, type Eip1193Chain, isRpcUrl } from "./eip-1193/chains.ts";
import { codes, Eip1193Error, eip1193Error, invalidParams } from "./eip-1193/errors.ts";
import {
  type Eip1193Events,
  type Eip1193Request,
  type Listener,
  Listeners,
} from "./eip-1193/events.ts";
import { isObject } from "./eip-1193/node.ts";
import { isQuantity, toQuantity } from "./eip-1193/quantity.ts";
import { type EvmKey, findAddress, type Hex, invalid, isSameAddress } from "./evm/key.ts";
import type { AddressedKey } from "./evm/sign.ts";

export type { Eip1193Chain, Eip1193Events, Eip1193Request };
export { Eip1193Error };

export type Eip1193ProviderOptions = {
  /** Where requests go, and who stamps them. A `KeyhearthClient` is one. */
  connection: Connection;
  /** The keys: Ethereum addresses, or ids of private keys that have one. The first is the default. */
  signWith: string | readonly string[];
  /** The organization that has the keys, if it is not the connection's own. */
  organizationId?: string;
  /** The chains, and their nodes. The provider starts on the first one. */
  chains: readonly Eip1193Chain[];
  /**
   * Asked before accounts are shown, before each signature, and before a chain is added. A transaction is
   * shown with everything that is signed. Unless it returns true, the request fails with code 4001.
   * Without this function, policies alone decide about signatures, and no chain can be added.
   */
  confirm?: (request: Eip1193Request) => boolean | Promise<boolean>;
  /** Used for nodes instead of the global `fetch`. */
  fetch?: Fetch;
  /** Timeout of one request to a node in milliseconds. Default: 30 seconds. */
  timeoutMs?: number;
};

/**
 * Makes a provider (EIP-1193) that signs with keys of Keyhearth and sends everything else to the chain's
 * node. Policies read transactions and typed data before they are signed. A request that fails throws an
 * `Eip1193Error`. If an error of the SDK is the reason, that is its `cause`.
 */
export function createEip1193Provider(options: Eip1193ProviderOptions): KeyhearthEip1193Provider {
  return new KeyhearthEip1193Provider(options);
}

export class KeyhearthEip1193Provider {
  readonly #keys: EvmKey[];
  readonly #confirm: Eip1193ProviderOptions["confirm"];
  readonly #listeners = new Listeners();
  readonly #chains: Chains;
  /** The accounts that have been shown, and their keys. */
  #accounts: { address: Hex; key: EvmKey }[] = [];
  /** Settles when the last transaction was sent, so that the next one gets the next nonce. */
  #lastSent: Promise<unknown> = Promise.resolve();

  constructor(options: Eip1193ProviderOptions) {
    const { connection, signWith, organizationId, chains, ...rest } = asObject(options);
    checkConnection(connection);
    const names = typeof signWith === "string" ? [signWith] : signWith;
    if (!Array.isArray(chains)) throw invalid("chains", "must be a list of { chainId, rpcUrl }");
    if (!Array.isArray(names) || names.length === 0)
      throw invalid("signWith", "must name at least one key");
    this.#keys = names.map((each) => ({ connection, signWith: each, organizationId }));
    this.#confirm = rest.confirm;
    this.#chains = new Chains(chains, this.#listeners, {
      // Browsers refuse to call `fetch` as a method of another object.
      fetch: rest.fetch ?? ((url, init) => globalThis.fetch(url, init)),
      timeoutMs: rest.timeoutMs ?? 30_000,
    });
  }

  /** Answers a request, or throws an `Eip1193Error`. */
  async request(request: Eip1193Request): Promise<unknown> {
    try {
      const { method, params = [] } = isObject(request) ? request : { method: undefined };
      if (typeof method !== "string" || typeof params !== "object" || params === null) {
        const message = "A request must be an object with a method, and params as a list or object";
        throw new Eip1193Error(codes.invalidRequest, message);
      }
      // A copy: what a page changes while the user reads the request is not what they confirm.
      return await this.#answer(method, copyOf(params));
    } catch (error) {
      throw eip1193Error(error);
    }
  }

  on<Name extends keyof Eip1193Events>(event: Name, listener: Listener<Eip1193Events[Name]>): this;
  on(event: string, listener: Listener<never>): this;
  on(event: string, listener: Listener<never>): this {
    this.#listeners.add(event, listener);
    return this;
  }

  removeListener<Name extends keyof Eip1193Events>(
    event: Name,
    listener: Listener<Eip1193Events[Name]>,
  ): this;
  removeListener(event: string, listener: Listener<never>): this;
  removeListener(event: string, listener: Listener<never>): this {
    this.#listeners.remove(event, listener);
    return this;
  }

  async #answer(method: string, params: readonly unknown[] | object): Promise<unknown> {
    const list: readonly unknown[] = Array.isArray(params) ? params : [];
    switch (method) {
      case "eth_accounts":
        return this.#addresses();
      case "eth_requestAccounts":
        return this.#showAccounts();
      case "eth_chainId":
        return this.#chains.current;
      case "net_version":
        return String(BigInt(this.#chains.current));
      case "personal_sign":
      case "eth_signTypedData_v4":
      case "eth_signTransaction":
        return this.#sign(method, list);
      case "eth_sendTransaction":
        return this.#sendTransaction(method, list);
      case "wallet_switchEthereumChain":
        await this.#chains.switchTo(chainIdOf(list[0]));
        return null;
      case "wallet_addEthereumChain":
        return this.#addChain(list);
      case "wallet_revokePermissions":
        this.#setAccounts([]);
        return null;
      default:
        if (isRead(method)) return this.#chains.call(method, params);
        throw new Eip1193Error(codes.unsupported, unsupported(method));
    }
  }

  async #showAccounts(): Promise<Hex[]> {
    if (this.#accounts.length === 0) {
      await this.#ask({ method: "eth_requestAccounts" });
      const find = async (key: EvmKey) => ({ address: await findAddress(key), key });
      this.#setAccounts(await Promise.all(this.#keys.map(find)));
    }
    return this.#addresses();
  }

  #setAccounts(accounts: { address: Hex; key: EvmKey }[]): void {
    const before = this.#addresses().join();
    this.#accounts = accounts;
    if (this.#addresses().join() === before) return;
    this.#listeners.emit("accountsChanged", this.#addresses());
  }

  #addresses(): Hex[] {
    return this.#accounts.map(({ address }) => address);
  }

  // Loaded when it is needed: many pages only read.
  async #sign(
    method: string,
    params: readonly unknown[],
    chainId = this.#chains.current,
  ): Promise<Hex> {
    const { sign } = await import("./eip-1193/sign.ts");
    return sign(method, params, {
      chainId,
      keyOf: (address) => this.#keyOf(address),
      ask: (request) => this.#ask(request),
      call: (name, list) => this.#chains.call(name, list, chainId),
    });
  }

  // One after the other, because two at the same time would get the same nonce.
  #sendTransaction(method: string, params: readonly unknown[]): Promise<unknown> {
    // Another chain may be the current one when it is this request's turn.
    const chainId = this.#chains.current;
    const send = async () => {
      const signed = await this.#sign(method, params, chainId);
      return this.#chains.call("eth_sendRawTransaction", [signed], chainId);
    };
    const sent = this.#lastSent.then(send, send);
    this.#lastSent = sent;
    return sent;
  }

  async #addChain([chain]: readonly unknown[]): Promise<null> {
    const chainId = chainIdOf(chain);
    const { rpcUrls } = chain as { rpcUrls?: unknown }; // `chainIdOf` refuses anything but an object
    if (this.#chains.has(chainId)) return null;
    const rpcUrl = Array.isArray(rpcUrls) ? rpcUrls.find(isRpcUrl) : undefined;
    if (rpcUrl === undefined) {
      throw invalidParams("rpcUrls must have an https URL, or an http URL of this machine");
    }
    if (!this.#confirm) {
      const message = "This provider adds no chains, because it was made without `confirm`";
      throw new Eip1193Error(codes.unsupported, message);
    }
    await this.#ask({ method: "wallet_addEthereumChain", params: [chain] });
    await this.#chains.add(chainId, rpcUrl);
    return null;
  }

  #keyOf(address: unknown): AddressedKey {
    const found =
      typeof address === "string" &&
      this.#accounts.find((account) => isSameAddress(account.address, address));
    if (found) return { ...found.key, address: found.address };
    throw new Eip1193Error(
      codes.unauthorized,
      "The request names no account of this provider that was shown. Call eth_requestAccounts first",
    );
  }

  async #ask(request: Eip1193Request): Promise<void> {
    if (!this.#confirm || (await this.#confirm(request)) === true) return;
    throw new Eip1193Error(codes.userRejected, `The user rejected ${request.method}`);
  }
}

function copyOf(params: readonly unknown[] | object): readonly unknown[] | object {
  try {
    return JSON.parse(JSON.stringify(params));
  } catch {
    throw invalidParams("params must be data, as in JSON");
  }
}

// Deny by default: other methods could act with keys of the node.
function isRead(method: string): boolean {
  return /^(eth_(get\w+|call|estimateGas|createAccessList|simulateV1|blockNumber|blobBaseFee|feeHistory|gasPrice|maxPriorityFeePerGas|syncing|new\w*Filter|uninstallFilter|sendRawTransaction)|net_\w+|web3_\w+)$/.test(
    method,
  );
}

function unsupported(method: string): string {
  if (/^eth_sign(TypedData(_v[13])?)?$/.test(method)) {
    return `${method} is refused, because nobody can read what it signs. Use personal_sign or eth_signTypedData_v4`;
  }
  return `This provider does not support ${method}`;
}

function chainIdOf(chain: unknown): Hex {
  const chainId = isObject(chain) ? chain.chainId : undefined;
  if (isQuantity(chainId)) return toQuantity(chainId);
  throw invalidParams("params[0].chainId must be the id of a chain in hex, such as 0x1");
}
