import { sql } from "kysely";

/** An address that an organization may have. */
export type AddressOf = { organizationId: string; address: string };

/** Addresses of any number of organizations as rows, so that one statement finds what each of them has. */
export function rowsOf(asked: readonly AddressOf[]) {
  const organizationIds = asked.map(({ organizationId }) => organizationId);
  const addresses = asked.map(({ address }) => address);
  return sql<{ organization_id: string; address: string }>`(
    SELECT * FROM unnest(${organizationIds}::uuid[], ${addresses}::text[]) AS r (organization_id, address)
  )`;
}
