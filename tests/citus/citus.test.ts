import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { sealSegments } from "@keyhearth/api/jobs/seal-segments";
import { openStore } from "@keyhearth/api/store/connect";
import { places } from "@keyhearth/api/store/distribution";
import { asOneStatement, migrate } from "@keyhearth/api/store/migrate";
import { takeMessages } from "@keyhearth/api/store/outbox";
import { claimSegment } from "@keyhearth/api/store/segments";
import { newOrganization, startTestServer, type TestServer } from "@keyhearth/api/testing";
import { secret } from "@keyhearth/crypto/secret";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createDatabase, findPostgres, type Postgres, startPostgres } from "../postgres/start.ts";
import { type Cluster, hasCitus, startCitus } from "./cluster.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const NEXT_MIGRATION = `INSERT INTO schema_migrations VALUES (9999, 'next', 0, '9');
-- A comment; with a semicolon.
ALTER TABLE activities ADD COLUMN next text;
CREATE TABLE next (organization_id uuid PRIMARY KEY);
CREATE INDEX next_by_organization ON activities (organization_id, next);
UPDATE activities SET next = 'a;b' WHERE status = 'none';`;

type Outcome = { code: number; stdout: string; stderr: string };

async function distribute(url: string | undefined, ...args: string[]): Promise<Outcome> {
  const env = { PATH: process.env.PATH, ...(url === undefined ? {} : { DATABASE_URL: url }) };
  try {
    const command = ["scripts/launch.mjs", "distribute", ...args];
    const done = await promisify(execFile)(process.execPath, command, { cwd: root, env });
    return { code: 0, ...done };
  } catch (error) {
    return error as Outcome;
  }
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

async function migrated(url: string): Promise<string> {
  const store = await openStore({ kind: "postgres", url: secret(url) });
  await migrate(store, Date.now());
  await store.close();
  return url;
}

describe("without Citus", () => {
  test.each([
    [[], "give either --check, which changes nothing, or --apply"],
    [["--check", "--apply"], "give either --check, which changes nothing, or --apply"],
    [
      ["--check", "--move-rows"],
      "--move-rows is a part of --apply; --check says which tables have rows",
    ],
  ])("%j is refused", async (args, sentence) => {
    const { code, stderr } = await distribute("postgres://127.0.0.1:1/none", ...args);
    expect({ code, stderr }).toEqual({ code: 1, stderr: `keyhearth: ${sentence}\n` });
  });

  test("the embedded database cannot be distributed", async () => {
    const { code, stderr } = await distribute(undefined, "--check");
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^keyhearth: the embedded database cannot be distributed; set DATABASE_URL .*\n$/,
    );
  });

  test.runIf(findPostgres())("plain PostgreSQL is told apart, and stays as it is", async () => {
    const postgres = await startPostgres({ fsync: false });
    try {
      for (const option of ["--check", "--apply"]) {
        const { code, stdout, stderr } = await distribute(await migrated(postgres.url), option);
        expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
        expect(stderr).toMatch(
          /^keyhearth: the database of DATABASE_URL is PostgreSQL without Citus; .*\n$/,
        );
      }
    } finally {
      await postgres.stop();
    }
  });
});

describe.runIf(hasCitus())("on Citus", { timeout: 240_000 }, () => {
  let cluster: Cluster;
  let coordinator: Postgres;

  beforeAll(async () => {
    cluster = await startCitus();
    coordinator = cluster.coordinator;
  }, 120_000);

  afterAll(() => cluster?.stop());

  const placeOf = ({ url }: Postgres) => `'127.0.0.1', ${new URL(url).port}`;

  /** A database of Citus with both workers, without tables. */
  async function newDatabase(): Promise<string> {
    const name = `test_${randomUUID().replaceAll("-", "")}`;
    const urls: string[] = [];
    for (const node of [coordinator, ...cluster.workers]) {
      const url = await createDatabase(node.url, name);
      await query(url, "CREATE EXTENSION citus");
      urls.push(url);
    }
    return String(urls[0]);
  }

  async function addNodes(url: string) {
    await query(url, `SELECT citus_set_coordinator_host(${placeOf(coordinator)})`);
    for (const worker of cluster.workers)
      await query(url, `SELECT citus_add_node(${placeOf(worker)})`);
  }

  test("tables are distributed, all or none, and rows go with them", async () => {
    const url = await newDatabase();
    const refused = async (sentence: RegExp, ...args: string[]) => {
      const { code, stdout, stderr } = await distribute(url, ...args);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(sentence);
      expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    };
    await refused(/no node of Citus may have shards; add workers/, "--check");
    await addNodes(url);
    await refused(/does not have the tables of this release; start the service once/, "--apply");
    await migrated(url);
    const before = await distribute(url, "--check");
    expect(before).toMatchObject({ code: 1, stderr: "" });
    expect(before.stdout).toMatch(
      /^Citus 13\.\S+ with 2 nodes for shards: \d+ tables are not where/,
    );
    expect(before.stdout).toContain("  lookups: by value_hash\n");
    expect(before.stdout).toContain("  root_organization: on every node\n");

    const id = randomUUID();
    await query(url, `INSERT INTO organizations VALUES ('${id}', NULL, 1, 'digest', 'Acme', 7)`);
    await refused(
      /these tables have rows: organizations, schema_migrations; make a backup/,
      "--apply",
    );
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await refused(
      /others are connected to the database as the same user/,
      "--apply",
      "--move-rows",
    );
    await other.end();
    const applied = await distribute(url, "--apply", "--move-rows");
    expect(applied).toMatchObject({ code: 0, stderr: "" });
    expect(applied.stdout).toMatch(/: every table is where it belongs\.\n$/);
    expect((await distribute(url, "--check")).code).toBe(0);
    expect(await distribute(url, "--apply")).toMatchObject({ code: 0, stderr: "" });
    expect(await query(url, "SELECT organization_name FROM organizations")).toEqual([
      { organization_name: "Acme" },
    ]);
    const shards = await query(url, "SELECT DISTINCT nodeport FROM citus_shards");
    expect(shards).toHaveLength(3);
    // The next migration changes what is on other nodes.
    await query(url, asOneStatement(NEXT_MIGRATION));
    await query(url, "DELETE FROM schema_migrations WHERE number = 9999");

    await query(url, "SELECT undistribute_table('wallets')");
    await query(url, "SELECT create_distributed_table('wallets', 'wallet_id')");
    await refused(/the table wallets is distributed in another way \(by wallet_id\)/, "--check");
  });

  test("a worker is told apart from the coordinator", async () => {
    const url = await newDatabase();
    await addNodes(url);
    const worker = new URL(url);
    worker.port = new URL(String(cluster.workers[0]?.url)).port;
    const { stderr } = await distribute(worker.href, "--check");
    expect(stderr).toMatch(/^keyhearth: DATABASE_URL leads to a worker of Citus; .*\n$/);
  });

  describe("a service", () => {
    let server: TestServer;

    beforeAll(async () => {
      const urls = [coordinator, ...cluster.workers].map(({ url }) => url);
      vi.stubEnv("KEYHEARTH_TEST_CITUS", urls.join(","));
      server = await startTestServer();
    }, 120_000);

    afterAll(async () => {
      await server?.stop();
      vi.unstubAllEnvs();
    });

    const nodeOf = async (organizationId: string) => {
      const [row] = await server.store.run(
        "",
        `SELECT nodeport FROM citus_shards WHERE shardid =
           get_shard_id_for_distribution_column('organizations', $1::uuid)`,
        [organizationId],
      );
      return Number(row?.nodeport);
    };

    /** An organization on this node. */
    async function organizationOn({ url }: Postgres) {
      for (;;) {
        const organization = await newOrganization(server);
        if ((await nodeOf(organization.organizationId)) === Number(new URL(url).port))
          return organization;
      }
    }

    const segmentsOf = async (organizationId: string) =>
      (
        await server.store.run(
          "",
          "SELECT number FROM segments WHERE organization_id = $1::uuid AND signature IS NOT NULL",
          [organizationId],
        )
      ).length;

    test("of two claims at once, each leaf is in one segment", async () => {
      const { organizationId, root } = await newOrganization(server);
      await sealSegments(server.host);
      for (let round = 0; round < 10; round++) {
        await root.createUserTag({ userTagName: `tag ${round}`, userIds: [] });
        const claims = await Promise.all(
          [1, 2, 3].map(() => claimSegment(server.store, organizationId, 10)),
        );
        expect(claims.toSorted()).toEqual([0, 0, 1]);
        await sealSegments(server.host);
      }
      const twice = await server.store.run(
        "",
        `SELECT activity_id FROM segment_leaves WHERE organization_id = $1::uuid
         GROUP BY activity_id, version HAVING count(*) > 1`,
        [organizationId],
      );
      expect(twice).toEqual([]);
    });

    test("a claim that has read its leaves too early takes none that were sealed meanwhile", async () => {
      const { organizationId, root } = await newOrganization(server);
      await sealSegments(server.host);
      await root.createUserTag({ userTagName: "tag", userIds: [] });
      const { store } = server;
      const late = {
        ...store,
        run: ((name, text, values) => {
          const leaves = "FROM leaves WHERE organization_id = $1::uuid";
          expect(text).toContain(leaves);
          const slow = `${leaves} AND (SELECT pg_sleep(2)) IS NOT NULL`;
          return store.run(name && "late-claim", text.replace(leaves, slow), values);
        }) satisfies typeof store.run,
      };
      const claim = claimSegment(late, organizationId, 10);
      await new Promise((resolve) => setTimeout(resolve, 700));
      await sealSegments(server.host);
      expect(await segmentsOf(organizationId)).toBe(2);
      expect(await claim).toBe(0);
      const rows = await store.run(
        "",
        "SELECT number FROM segment_leaves WHERE organization_id = $1::uuid ORDER BY number",
        [organizationId],
      );
      expect(rows.map(({ number }) => Number(number))).toEqual([1, 2]);
      // The next claim finds nothing in its way.
      await root.createUserTag({ userTagName: "next", userIds: [] });
      await sealSegments(server.host);
      expect(await segmentsOf(organizationId)).toBe(3);
    });

    test("of processes that take messages at once, each message is taken by one", async () => {
      const { store } = server;
      const now = Date.now();
      for (let i = 0; i < 40; i++) {
        await store.run(
          "",
          `INSERT INTO outbox (organization_id, message_id, kind, sealed, state, attempts, next_attempt_at_ms,
             expires_at_ms, created_at_ms) VALUES ($1, $2, 'kind', 'sealed', 'waiting', 0, $3, $4, $3)`,
          [randomUUID(), randomUUID(), now, now + 60_000],
        );
      }
      const sought = {
        kinds: ["kind"],
        busy: [],
        busyFamilies: [],
        nowMs: now,
        leaseMs: 1000,
        limit: 20,
      };
      const taken = await Promise.all([1, 2, 3, 4].map(() => takeMessages(store, sought)));
      const ids = taken.flat().map(({ messageId }) => messageId);
      expect(ids.length).toBeGreaterThan(0);
      expect(new Set(ids).size).toBe(ids.length);
    });

    test("while a worker is lost, answers say so, and afterwards everything goes on", async () => {
      const [near, far] = cluster.workers as [Postgres, Postgres];
      const here = await organizationOn(near);
      const there = await organizationOn(far);
      await sealSegments(server.host);
      const sealed = await segmentsOf(here.organizationId);
      const sealedThere = await segmentsOf(there.organizationId);
      await there.root.createUserTag({ userTagName: "before", userIds: [] });
      await far.halt();
      try {
        const tag = { userTagName: "meanwhile", userIds: [] };
        const refused = { code: "DATABASE_UNAVAILABLE" };
        await expect(there.root.createUserTag(tag)).rejects.toMatchObject(refused);
        await expect(there.root.whoami()).rejects.toMatchObject(refused);
        // What is on the other node can be read, and not written: Citus takes the parts of a commit to all nodes.
        await expect(here.root.createUserTag(tag)).rejects.toMatchObject(refused);
        expect((await here.root.whoami()).organizationId).toBe(here.organizationId);
      } finally {
        await far.resume();
      }
      await expect.poll(() => segmentsOf(there.organizationId).catch(() => -1)).toBe(sealedThere);
      for (const { root } of [here, there])
        await root.createUserTag({ userTagName: "after", userIds: [] });
      await sealSegments(server.host);
      expect(await segmentsOf(here.organizationId)).toBe(sealed + 1);
      expect(await segmentsOf(there.organizationId)).toBe(sealedThere + 1);
    });
  });

  test("every table of the migrations has a place", async () => {
    const url = await migrated(await newDatabase());
    const rows = await query(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
    expect(Object.keys(places).toSorted()).toEqual(rows.map((row) => row.tablename).toSorted());
  });
});
