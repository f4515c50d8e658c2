import { otps } from "./otps.ts";
import { privateKeys } from "./private-keys.ts";
import { sessions } from "./sessions.ts";
import { smartContractInterfaces } from "./smart-contract-interfaces.ts";
import type { AnyTable } from "./table.ts";
import { walletAccounts } from "./wallet-accounts.ts";
import { wallets } from "./wallets.ts";

/**
 * The tables of all records other than documents and activities. If several of them can find a want,
 * they are tried in this order.
 */
export const recordTables: readonly AnyTable[] = [
  sessions,
  wallets,
  walletAccounts,
  privateKeys,
  smartContractInterfaces,
  otps,
];
