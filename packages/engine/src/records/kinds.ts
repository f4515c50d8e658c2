import { activity } from "./activity.ts";
import { type RecordKind, upcast } from "./kind.ts";
import { organization } from "./organization.ts";
import { privateKey } from "./private-key.ts";
import type { NotarizedRecord, RecordType } from "./record.ts";
import { sessions } from "./sessions.ts";
import { smartContractInterface } from "./smart-contract-interface.ts";
import { wallet, walletAccount } from "./wallet.ts";

/** Every kind of record whose body has a shape. */
export const recordKinds = {
  organization,
  sessions,
  wallet,
  "wallet-account": walletAccount,
  "private-key": privateKey,
  "smart-contract-interface": smartContractInterface,
  activity,
};

/** The body in its current shape; that of a type with one shape only as it is. */
export function currentBody(record: NotarizedRecord): unknown {
  const kinds: Partial<Record<RecordType, RecordKind<unknown>>> = recordKinds;
  const kind = kinds[record.header.type];
  return kind ? upcast(kind, record) : record.body;
}
