import { upcast } from "@keyhearth/engine/records/kind";
import { readRecord } from "@keyhearth/engine/records/record";
import {
  type SmartContractInterface,
  smartContractInterface,
} from "@keyhearth/engine/records/smart-contract-interface";
import { sql } from "kysely";
import type { Db } from "./connect.ts";
import { within } from "./stored-record.ts";
import { defineTable, type TableOf } from "./table.ts";

export const smartContractInterfaces = defineTable({
  kind: smartContractInterface,
  name: "smart_contract_interfaces",
  id: "smart_contract_interface_id",
  columns: {},
  finds: {
    "smart-contract-interface": {
      id: ({ smartContractInterfaceId }) => smartContractInterfaceId,
      // Interfaces never change, so they are dropped only to make room.
      cache: {
        keyOf: ({ smartContractInterfaceId }) => smartContractInterfaceId,
        maxBytes: 16 * 1024 * 1024,
      },
    },
  },
});

/** One of the organization's interfaces, or null if its record has more bytes. They are not read then. */
export async function findSmartContractInterface(
  db: Db,
  organizationId: string,
  smartContractInterfaceId: string,
  maxBytes: number,
): Promise<SmartContractInterface | null | undefined> {
  const row = await db
    .withTables<TableOf<typeof smartContractInterfaces>>()
    .selectFrom("smart_contract_interfaces")
    .select(within(maxBytes).as("record"))
    .where("organization_id", "=", organizationId)
    .where("smart_contract_interface_id", "=", smartContractInterfaceId)
    .executeTakeFirst();
  if (!row) return undefined;
  return row.record && upcast(smartContractInterface, readRecord(row.record));
}

/** These interfaces of the organization, in any order. */
export async function listSmartContractInterfaces(
  db: Db,
  organizationId: string,
  smartContractInterfaceIds: string[],
): Promise<SmartContractInterface[]> {
  if (smartContractInterfaceIds.length === 0) return [];
  const rows = await db
    .withTables<TableOf<typeof smartContractInterfaces>>()
    .selectFrom("smart_contract_interfaces")
    .select("record")
    .where("organization_id", "=", organizationId)
    .where("smart_contract_interface_id", "in", smartContractInterfaceIds)
    .execute();
  return rows.map(({ record }) => upcast(smartContractInterface, readRecord(record)));
}

/** The bytes of these interfaces' records, by id, without reading them. */
export async function sizesOfSmartContractInterfaces(
  db: Db,
  organizationId: string,
  smartContractInterfaceIds: string[],
): Promise<Map<string, number>> {
  if (smartContractInterfaceIds.length === 0) return new Map();
  const rows = await db
    .withTables<TableOf<typeof smartContractInterfaces>>()
    .selectFrom("smart_contract_interfaces")
    .select(["smart_contract_interface_id as id", sql<number>`octet_length(record)`.as("size")])
    .where("organization_id", "=", organizationId)
    .where("smart_contract_interface_id", "in", smartContractInterfaceIds)
    .execute();
  return new Map(rows.map(({ id, size }) => [id, size]));
}
