import type { Eip1193Error } from "./errors.ts";

/** A request of EIP-1193. */
export type Eip1193Request = { method: string; params?: readonly unknown[] | object };

/** The events of EIP-1193, and what listeners get. */
export type Eip1193Events = {
  /** The provider has reached its first chain. */
  connect: { chainId: string };
  /** The provider can reach none of its chains; the error has code 4900. */
  disconnect: Eip1193Error;
  /** The id of the chain that requests now go to, in hex. */
  chainChanged: string;
  /** What `eth_accounts` now returns. */
  accountsChanged: string[];
};

export type Listener<Value> = (value: Value) => void;

/** Listeners by event. One that throws stops neither the others nor the provider. */
export class Listeners {
  readonly #listeners = new Map<string, Set<Listener<never>>>();

  add(event: string, listener: Listener<never>): void {
    const all = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, all.add(listener));
  }

  remove(event: string, listener: Listener<never>): void {
    this.#listeners.get(event)?.delete(listener);
  }

  emit<Name extends keyof Eip1193Events>(event: Name, value: Eip1193Events[Name]): void {
    for (const listener of [...(this.#listeners.get(event) ?? [])]) {
      try {
        // It was added for this event, so it takes this value.
        (listener as Listener<Eip1193Events[Name]>)(value);
      } catch (error) {
        setTimeout(() => {
          throw error;
        });
      }
    }
  }
}
