import { privateKeys } from "./private-keys.ts";
import { sessions } from "./sessions.ts";
import { smartContractInterfaces } from "./smart-contract-interfaces.ts";
import type { AnyTable } from "./table.ts";
import { walletAccounts } from "./wallet-accounts.ts";
import { wallets } from "./wallets.ts";

/**
 * The tables of the records that stand beside documents and activities. A want that several of them
 * find is looked for in this order.
 */
export const recordTables: readonly AnyTable[] = [
  sessions,
  wallets,
  walletAccounts,
  privateKeys,
  smartContractInterfaces,
];
