import { openStore, type Store } from "@keyhearth/api/store/connect";
import { migrate } from "@keyhearth/api/store/migrate";
import { secret } from "@keyhearth/crypto/secret";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findPostgres, type Postgres, startPostgres } from "./start.ts";

/** What PostgreSQL makes of statements on the service's connections. */
describe.runIf(findPostgres())("on PostgreSQL, a statement", () => {
  let postgres: Postgres;
  let store: Store;

  beforeAll(async () => {
    postgres = await startPostgres({ fsync: false });
    store = await openStore({ kind: "postgres", url: secret(postgres.url) });
    await migrate(store, Date.now());
  });

  afterAll(async () => {
    await store?.close();
    await postgres?.stop();
  });

  test("is not compiled, not even one that reads a whole table, as every signup does", async () => {
    const text = 'EXPLAIN (ANALYZE, FORMAT JSON) SELECT "organization_id" FROM "root_organization"';
    const [row] = await store.run("", text, []);
    expect(row?.["QUERY PLAN"]).toEqual([expect.objectContaining({ Plan: expect.anything() })]);
    expect(row?.["QUERY PLAN"]).toEqual([expect.not.objectContaining({ JIT: expect.anything() })]);
  });
});
