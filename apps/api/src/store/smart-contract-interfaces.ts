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
