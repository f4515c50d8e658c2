import { upcast } from "@keyhearth/engine/records/kind";
import { readRecord } from "@keyhearth/engine/records/record";
import {
  type SmartContractInterface,
  smartContractInterface,
} from "@keyhearth/engine/records/smart-contract-interface";
import type { Db } from "./connect.ts";
import type { StoredRecord } from "./keys.ts";

export async function findSmartContractInterface(
  db: Db,
  organizationId: string,
  smartContractInterfaceId: string,
): Promise<StoredRecord | undefined> {
  const row = await db
    .selectFrom("smart_contract_interfaces")
    .select(["digest", "record"])
    .where("organization_id", "=", organizationId)
    .where("smart_contract_interface_id", "=", smartContractInterfaceId)
    .executeTakeFirst();
  return row && { digest: row.digest, bytes: row.record };
}

/** These interfaces of the organization, in no order. */
export async function listSmartContractInterfaces(
  db: Db,
  organizationId: string,
  smartContractInterfaceIds: string[],
): Promise<SmartContractInterface[]> {
  if (smartContractInterfaceIds.length === 0) return [];
  const rows = await db
    .selectFrom("smart_contract_interfaces")
    .select("record")
    .where("organization_id", "=", organizationId)
    .where("smart_contract_interface_id", "in", smartContractInterfaceIds)
    .execute();
  return rows.map(({ record }) => upcast(smartContractInterface, readRecord(record)));
}
