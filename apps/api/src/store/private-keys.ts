import { upcast } from "@keyhearth/engine/records/kind";
import { type PrivateKey, privateKey } from "@keyhearth/engine/records/private-key";
import { readRecord } from "@keyhearth/engine/records/record";
import type { Db } from "./connect.ts";

/** These private keys of the organization, in no order. */
export async function listPrivateKeys(
  db: Db,
  organizationId: string,
  privateKeyIds: string[],
): Promise<PrivateKey[]> {
  if (privateKeyIds.length === 0) return [];
  const rows = await db
    .selectFrom("private_keys")
    .select("record")
    .where("organization_id", "=", organizationId)
    .where("private_key_id", "in", privateKeyIds)
    .execute();
  return rows.map(({ record }) => upcast(privateKey, readRecord(record)));
}
