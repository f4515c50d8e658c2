import { randomUUID } from "node:crypto";
import { openStore, type Store } from "@keyhearth/api/store/connect";
import { migrate } from "@keyhearth/api/store/migrate";
import { takeMessages } from "@keyhearth/api/store/outbox";
import { addToRequestCounts } from "@keyhearth/api/store/request-counts";
import { secret } from "@keyhearth/crypto/secret";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findPostgres, type Postgres, startPostgres } from "./start.ts";

/** What processes that share a PostgreSQL do at the same moment: here one waits in the middle of a statement. */
describe.runIf(findPostgres())("two processes on one PostgreSQL", () => {
  let postgres: Postgres;
  let store: Store;
  const clients: pg.Client[] = [];

  beforeAll(async () => {
    postgres = await startPostgres({ fsync: false });
    store = await openStore({ kind: "postgres", url: secret(postgres.url) });
    await migrate(store, Date.now());
  });

  afterAll(async () => {
    await Promise.all(clients.map((client) => client.end()));
    await store?.close();
    await postgres?.stop();
  });

  /** Another process, whose statements are committed when it says so. */
  async function openOther(): Promise<{ store: Store; client: pg.Client }> {
    const client = new pg.Client({ connectionString: postgres.url });
    clients.push(client);
    await client.connect();
    await client.query("BEGIN");
    const run: Store["run"] = async (name, text, values) =>
      (await client.query({ name, text, values })).rows;
    return { store: { ...store, run }, client };
  }

  test("never take a message of the outbox twice, and do not wait for each other", async () => {
    const nowMs = Date.now();
    const ids = Array.from({ length: 4 }, () => randomUUID());
    await store.run(
      "",
      `INSERT INTO outbox (organization_id, message_id, kind, sealed, state, attempts, next_attempt_at_ms,
         created_at_ms, expires_at_ms)
       VALUES ${ids.map((id, index) => `('${id}', '${id}', 'invitation', 'sealed', 'waiting', 0, ${index}, 0, ${nowMs + 60_000})`).join(", ")}`,
      [],
    );
    const options = {
      kinds: ["invitation"],
      busy: [],
      busyFamilies: [],
      nowMs,
      leaseMs: 60_000,
      limit: 2,
    };
    const other = await openOther();
    const theirs = await takeMessages(other.store, options);
    const ours = await inTime(takeMessages(store, options));
    await other.client.query("COMMIT");
    const rest = await takeMessages(store, options);
    const idsOf = (taken: { messageId: string }[]) =>
      taken.map(({ messageId }) => messageId).sort();
    expect(idsOf(theirs)).toEqual(ids.slice(0, 2).sort());
    expect(idsOf(ours)).toEqual(ids.slice(2).sort());
    expect(rest).toEqual([]);
  });

  test("count requests of the same addresses, in whatever order, without a deadlock", async () => {
    const limit = { name: "address", longestMs: 60_000 };
    const spent = (keys: string[]) => keys.map((keyHash) => ({ keyHash, spentMs: 1000, ageMs: 0 }));
    await addToRequestCounts(store, limit, spent(["a", "m", "z"]));
    // Both have to wait in the middle of their lists.
    const { client: middle } = await openOther();
    await middle.query("SELECT 1 FROM request_counts WHERE key_hash = 'm' FOR UPDATE");
    const both = Promise.all([
      addToRequestCounts(store, limit, spent(["z", "m", "a"])),
      addToRequestCounts(store, limit, spent(["a", "m", "z"])),
    ]);
    both.catch(() => {});
    await expect.poll(waiting).toBe(2);
    await middle.query("COMMIT");
    const counts = await both;
    expect(counts.map((count) => [...count.keys()].sort())).toEqual([
      ["a", "m", "z"],
      ["a", "m", "z"],
    ]);
  });

  async function waiting(): Promise<number> {
    const [row] = await store.run(
      "",
      "SELECT count(*)::int AS count FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%INTO request_counts%'",
      [],
    );
    return Number(row?.count);
  }
});

/** The outcome, unless it waits for a lock that nobody opens. */
function inTime<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  const late = new Promise<never>((_, reject) =>
    setTimeout(() => reject(new Error("it waits for the other process")), 3000).unref(),
  );
  return Promise.race([work, late]);
}
