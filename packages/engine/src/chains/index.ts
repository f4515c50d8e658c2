import type { SmartContractInterfaceLine } from "../records/organization.ts";
import { bitcoin } from "./bitcoin.ts";
import type { Chain, InterfaceFormat } from "./chain.ts";
import { ethereum } from "./ethereum.ts";
import { solana } from "./solana.ts";
import { tron } from "./tron.ts";

/** Every chain whose transactions can be signed, by the transaction type in requests. */
export const chains: ReadonlyMap<string, Chain> = new Map<string, Chain>([
  ["TRANSACTION_TYPE_ETHEREUM", ethereum],
  ["TRANSACTION_TYPE_SOLANA", solana],
  ["TRANSACTION_TYPE_TRON", tron],
  ["TRANSACTION_TYPE_BITCOIN", bitcoin],
]);

/** The format of contract interfaces of this type. */
export function interfaceFormat(type: SmartContractInterfaceLine["type"]): InterfaceFormat {
  for (const { interfaces } of chains.values()) if (interfaces?.type === type) return interfaces;
  // Invariant, checked by a test: each type of interface belongs to a chain in the table.
  throw new Error(`no chain has interfaces of ${type}`);
}
