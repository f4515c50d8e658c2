import type { Want } from "@keyhearth/engine/records/kinds";
import type { Db } from "./connect.ts";
import {
  findSessions,
  findSigningRecords,
  findWallet,
  listAccountsAt,
  type StoredRecord,
} from "./keys.ts";
import { findSmartContractInterface } from "./smart-contract-interfaces.ts";

/** The records that an activity wants beside the organization's document. */
export async function findWanted(
  db: Db,
  organizationId: string,
  want: Want,
): Promise<StoredRecord[]> {
  switch (want.type) {
    case "signing-key":
      return findSigningRecords(db, organizationId, want.signWith);
    case "wallet":
      return present(await findWallet(db, organizationId, want.walletId));
    case "sessions":
      return present(await findSessions(db, organizationId, want.userId));
    case "accounts-at":
      return listAccountsAt(db, organizationId, want.walletId, want.places);
    case "smart-contract-interface": {
      const id = want.smartContractInterfaceId;
      return present(await findSmartContractInterface(db, organizationId, id));
    }
    case "activity":
      // The activity that is voted on is brought by the caller.
      return [];
  }
}

function present(record: StoredRecord | undefined): StoredRecord[] {
  return record ? [record] : [];
}
