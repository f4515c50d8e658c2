import { lookupHash } from "@keyhearth/api/store/lookups";
import type pg from "pg";
import type { RootKey } from "../tests/start/process.ts";
import { stamperOf } from "./requests.ts";

/**
 * Rows by which a parent finds a million sub-organizations, written in bulk beside the real ones: a
 * query looks at nothing else.
 */
export async function seedSubOrganizations(
  database: pg.Client,
  parentOrganizationId: string,
  count: number,
) {
  const hash = (kind: string, value: string) =>
    `encode(sha256(convert_to('${kind}' || E'\\n' || ${value}, 'UTF8')), 'hex')`;
  const values = [
    ["NAME", "'seeded ' || n"],
    ["USERNAME", "'Root user'"],
    ["EMAIL", "'user' || n || '@example.com'"],
    ["PUBLIC_KEY", "'02' || encode(sha256(convert_to('key ' || n, 'UTF8')), 'hex')"],
  ];
  await database.query(`CREATE TABLE seeded AS
    SELECT n, gen_random_uuid() AS id FROM generate_series(1, ${count}) AS n ORDER BY id`);
  await database.query(
    `INSERT INTO organizations (organization_id, parent_organization_id, version, digest,
       organization_name, created_at_ms)
     SELECT id, $1::uuid, 1, repeat('0', 64), 'seeded ' || n, 0 FROM seeded`,
    [parentOrganizationId],
  );
  for (const [kind = "", value = ""] of values) {
    await database.query(
      `INSERT INTO lookups (organization_id, kind, value_hash, subject_id, parent_organization_id)
       SELECT id, '${kind}', ${hash(kind, value)}, id, $1::uuid FROM seeded`,
      [parentOrganizationId],
    );
  }
  await database.query(
    `INSERT INTO wallet_accounts (organization_id, wallet_account_id, wallet_id, path, address_format,
       place, address, created_at_ms, digest, record)
     SELECT id, id, id, 'm/0', 'ADDRESS_FORMAT_ETHEREUM', 'm/0',
       'seeded-' || encode(sha256(convert_to('address ' || n, 'UTF8')), 'hex'), 0, '', ''
     FROM seeded`,
  );
  await database.query(
    "INSERT INTO wallets (organization_id, wallet_id, digest, record) SELECT id, id, '', '' FROM seeded",
  );
  await database.query("VACUUM ANALYZE organizations, lookups, wallets, wallet_accounts");
}

/** What a sub-organization is found by, for the one with this number. */
export async function filtersOf(database: pg.Client, number: number) {
  const text = `SELECT encode(sha256(convert_to($1, 'UTF8')), 'hex') AS hex`;
  const hexOf = async (seed: string) => String((await database.query(text, [seed])).rows[0].hex);
  return {
    EMAIL: `user${number}@example.com`,
    PUBLIC_KEY: `02${await hexOf(`key ${number}`)}`,
    NAME: `seeded ${number}`,
    USERNAME: "Root user",
    WALLET_ACCOUNT_ADDRESS: `seeded-${await hexOf(`address ${number}`)}`,
  };
}

/** The seed writes the hashes in SQL: they must be those that the service looks for. */
export async function assertSeeded(database: pg.Client) {
  const { EMAIL } = await filtersOf(database, 1);
  const text = "SELECT 1 FROM lookups WHERE kind = 'EMAIL' AND value_hash = $1";
  const { rowCount } = await database.query(text, [lookupHash("EMAIL", EMAIL)]);
  if (rowCount !== 1) throw new Error("the seeded look-ups are not those of the service");
}

/** Times of one request after another, in milliseconds, sorted. */
export async function timeListing(
  url: string,
  { organizationId, apiPrivateKey }: RootKey,
  filters: { filterType: string; filterValue: string }[],
): Promise<number[]> {
  const stamp = stamperOf(apiPrivateKey);
  const times: number[] = [];
  for (const filter of filters) {
    const body = JSON.stringify({ organizationId, ...filter });
    const headers = { "Content-Type": "application/json", "X-Stamp": stamp(body) };
    const startedAt = performance.now();
    const response = await fetch(`${url}/public/v1/query/list_suborgs`, {
      method: "POST",
      headers,
      body,
    });
    const answer = (await response.json()) as { organizationIds?: string[] };
    times.push(performance.now() - startedAt);
    if (!answer.organizationIds?.length)
      throw new Error(`nothing found: ${JSON.stringify(answer)}`);
  }
  return times.sort((a, b) => a - b);
}
