import { readRecord } from "@keyhearth/engine/records/record";
import pg from "pg";

/** What a database of a release has: how many rows of each table, and which schemas of each kind of record. */
export type Contents = {
  tables: Record<string, number>;
  records: Record<string, number[]>;
};

/** Tables that have records, with the column that holds them. */
export async function contentsOf(databaseUrl: string): Promise<Contents> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const columns = await client.query<{ name: string; has_record: boolean }>(
      `SELECT table_name AS name, bool_or(column_name = 'record') AS has_record
       FROM information_schema.columns WHERE table_schema = 'public'
       GROUP BY table_name ORDER BY table_name`,
    );
    const tables: Record<string, number> = {};
    const schemas = new Map<string, Set<number>>();
    for (const { name, has_record: hasRecord } of columns.rows) {
      const { rows } = await client.query(`SELECT * FROM ${name}`);
      tables[name] = rows.length;
      // What is stored as a difference has no record of its own.
      for (const { record, base } of hasRecord ? rows : []) {
        if (!record || base != null) continue;
        const { type, schema } = readRecord(new Uint8Array(record)).header;
        schemas.set(type, (schemas.get(type) ?? new Set()).add(schema));
      }
    }
    const records = [...schemas].map(([type, found]) => [type, [...found].toSorted()] as const);
    return { tables, records: Object.fromEntries(records.toSorted()) };
  } finally {
    await client.end();
  }
}
