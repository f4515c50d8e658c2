import type { SmartContractInterfaceLine } from "../records/organization.ts";
import type { Chain, InterfaceFormat } from "./chain.ts";
import { ethereum } from "./ethereum.ts";
import { solana } from "./solana.ts";

/** Every chain whose transactions can be signed, by the type that requests name it by. */
export const chains: ReadonlyMap<string, Chain> = new Map<string, Chain>([
  ["TRANSACTION_TYPE_ETHEREUM", ethereum],
  ["TRANSACTION_TYPE_SOLANA", solana],
]);

/** How contract interfaces of this type are written. */
export function interfaceFormat(type: SmartContractInterfaceLine["type"]): InterfaceFormat {
  for (const { interfaces } of chains.values()) if (interfaces.type === type) return interfaces;
  // Invariant: each type of interface belongs to a chain of the table, which a test holds.
  throw new Error(`no chain has interfaces of ${type}`);
}
