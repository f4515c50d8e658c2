import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newKey } from "@keyhearth/api/testing";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDatabase, findPostgres, type Postgres, startPostgres } from "../postgres/start.ts";
import { newWallet, query, signing, stampOf, submission, submit } from "../start/post.ts";
import {
  type Process,
  type RootKey,
  readRootKey,
  type Service,
  startService,
  startSigner,
} from "../start/process.ts";
import { createTarget } from "./load.ts";

describe.runIf(findPostgres())("two API processes on one PostgreSQL and one signer", () => {
  const temporary = mkdtempSync(join(tmpdir(), "keyhearth-two-"));
  let postgres: Postgres;
  let databaseUrl: string;
  let signer: Process & { socket: string };
  let first: Service;
  let second: Service;
  let root: RootKey;

  beforeAll(async () => {
    postgres = await startPostgres({ fsync: false });
    databaseUrl = await createDatabase(postgres.url, "shared");
    const separate = await startSigner(join(temporary, "signer"));
    signer = separate;
    // Both find an empty database at the same time: both migrate.
    [first, second] = (await Promise.all(
      ["first", "second"].map((name) =>
        startService({
          KEYHEARTH_DATA_DIR: join(temporary, name),
          DATABASE_URL: databaseUrl,
          KEYHEARTH_SIGNER: `unix:${separate.socket}`,
          KEYHEARTH_LOG_LEVEL: "fatal",
        }),
      ),
    )) as [Service, Service];
    const holder = ["first", "second"].find((name) =>
      existsSync(join(temporary, name, "root-api-key.json")),
    );
    root = readRootKey(join(temporary, holder ?? "first"));
  });

  afterAll(async () => {
    await Promise.all([first?.stop(), second?.stop()]);
    await signer?.stop();
    await postgres?.stop();
    rmSync(temporary, { recursive: true, force: true });
  });

  test("apply each migration once, and found one root organization", async () => {
    const database = new pg.Client({ connectionString: databaseUrl });
    await database.connect();
    const migrations = await database.query(
      "SELECT number, count(*)::int AS count FROM schema_migrations GROUP BY number",
    );
    const roots = await database.query(
      "SELECT organization_id FROM organizations WHERE parent_organization_id IS NULL",
    );
    await database.end();
    expect(migrations.rows.every(({ count }) => count === 1)).toBe(true);
    expect(roots.rows).toEqual([{ organization_id: root.organizationId }]);
  });

  test("never lose an update of a document, whichever process writes", async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const wallet = newWallet(root, `shared ${index}`);
        const service = index % 2 === 0 ? first : second;
        // For a busy organization the answer may be 503. A client then sends the same bytes again.
        for (let attempt = 0; ; attempt++) {
          const answer = await submit(service, root, wallet);
          if (answer.status !== 503 || attempt === 100) return answer;
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 100));
        }
      }),
    );
    const made = answers.map(({ json }) => json.activity?.result?.createWalletResult?.walletId);
    expect(new Set(made).size).toBe(40);
    expect(made).not.toContain(undefined);
    for (const service of [first, second]) {
      const { json } = await query(service, root, "list_wallets");
      const listed = [...(json.wallets ?? [])].map(({ walletId }) => walletId);
      expect(listed).toEqual(expect.arrayContaining(made));
    }
  });

  test("sign although the other process has just changed the document", async () => {
    const { key, signWith } = await createTarget(first, root);
    for (let round = 0; round < 10; round++) {
      // Both processes have the document in memory. Then one changes it without the other's knowledge.
      for (const service of [first, second]) {
        const { status } = await submit(service, key, signing(key, signWith));
        expect(status).toBe(200);
      }
      const [writer, reader] = round % 2 === 0 ? [first, second] : [second, first];
      expect((await submit(writer, key, newWallet(key))).status).toBe(200);
      const { status, json } = await submit(reader, key, signing(key, signWith));
      expect(status).toBe(200);
      expect(json.activity?.status).toBe("ACTIVITY_STATUS_COMPLETED");
    }
  });

  test("answer the same bytes sent to both with one activity", async () => {
    const wallet = newWallet(root, "sent twice");
    const answers = await Promise.all(
      [first, second].map((service) => submit(service, root, wallet)),
    );
    const ids = answers.map(({ json }) => json.activity?.id);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(new Set(ids).size).toBe(1);
  });

  test("count racing votes through both processes, and execute once", async () => {
    const { key } = await createTarget(first, root);
    const voters = Array.from({ length: 20 }, (): RootKey => {
      const { publicKey, privateKey } = newKey();
      return { ...key, apiPublicKey: publicKey, apiPrivateKey: privateKey };
    });
    const users = voters.map(({ apiPublicKey: publicKey }, index) => ({
      userName: `Voter ${index}`,
      apiKeys: [{ apiKeyName: "Key", publicKey, curveType: "API_KEY_CURVE_P256" }],
      authenticators: [],
      oauthProviders: [],
      userTags: [],
    }));
    const create = submission(key, "create_users", "ACTIVITY_TYPE_CREATE_USERS_V3", { users });
    expect((await submit(first, key, create)).status).toBe(200);
    const policy = submission(key, "create_policy", "ACTIVITY_TYPE_CREATE_POLICY_V3", {
      policyName: "ten of us",
      effect: "EFFECT_ALLOW",
      condition: "activity.kind == 'CREATE_WALLET'",
      consensus: "approvers.count() >= 10",
      notes: "",
    });
    expect((await submit(second, key, policy)).status).toBe(200);

    const [starter = key] = voters;
    const started = await submit(first, starter, newWallet(key, "ours"));
    const id = String(started.json.activity?.id);
    const fingerprint = String(started.json.activity?.fingerprint);
    const votes = Array.from({ length: 100 }, async (_, index) => {
      const voter = voters[index % voters.length] ?? key;
      const vote = submission(key, "approve_activity", "ACTIVITY_TYPE_APPROVE_ACTIVITY", {
        fingerprint,
      });
      for (let attempt = 0; ; attempt++) {
        const { status } = await submit(index % 3 === 0 ? first : second, voter, vote);
        if (status !== 503 || attempt === 100) return status;
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 100));
      }
    });
    expect(new Set(await Promise.all(votes))).toEqual(new Set([200]));
    for (const service of [first, second]) {
      const { json } = await query(service, key, "get_activity", { activityId: id });
      expect(json.activity?.status).toBe("ACTIVITY_STATUS_COMPLETED");
      const approvers = [...(json.activity?.votes ?? [])].map(({ userId }) => String(userId));
      expect(approvers).toHaveLength(10);
      expect(new Set(approvers).size).toBe(10);
      const wallets = await query(service, key, "list_wallets");
      const names = [...(wallets.json.wallets ?? [])].map(({ walletName }) => String(walletName));
      expect(names.filter((name) => name === "ours")).toHaveLength(1);
    }
  });

  test("answer 503 if a commit takes long, because the other process does not know the activity", async () => {
    const { key } = await createTarget(first, root);
    const locker = new pg.Client({ connectionString: databaseUrl });
    await locker.connect();
    await locker.query("BEGIN");
    await locker.query("LOCK TABLE activities IN EXCLUSIVE MODE");
    const wallet = newWallet(key, "late");
    const late = await submit(first, key, wallet);
    await locker.query("COMMIT");
    await locker.end();
    expect(late.status).toBe(503);
    expect(late.headers.get("retry-after")).toBe("1");
    expect(late.json).toMatchObject({
      message: expect.stringContaining("send the same bytes again"),
      details: [{ code: "DATABASE_UNAVAILABLE" }],
    });
    const again = await submit(second, key, wallet);
    expect(again.json).toMatchObject({ activity: { status: "ACTIVITY_STATUS_COMPLETED" } });
    const { json } = await query(second, key, "list_wallets");
    const names = [...(json.wallets ?? [])].map(({ walletName }) => String(walletName));
    expect(names.filter((name) => name === "late")).toHaveLength(1);
  });

  test("leave nothing in the log of the signer that somebody has to investigate", () => {
    expect(
      signer
        .stderr()
        .split("\n")
        // Each of the two has a courier of its own here, and the signer trusts that of one.
        .filter((line) => line.includes("refused") && !line.includes("another courier")),
    ).toEqual([]);
  });

  test("count the requests of an address and of a credential together", async () => {
    const rate = { address: 24, credential: 16 };
    const services = await Promise.all(
      ["third", "fourth"].map((name) =>
        startService({
          KEYHEARTH_DATA_DIR: join(temporary, name),
          DATABASE_URL: databaseUrl,
          KEYHEARTH_SIGNER: `unix:${signer.socket}`,
          KEYHEARTH_LOG_LEVEL: "fatal",
          KEYHEARTH_TRUSTED_PROXIES: "127.0.0.1",
          KEYHEARTH_RATE_LIMIT: `address=${rate.address},credential=${rate.credential}`,
        }),
      ),
    );
    try {
      const seconds = 3;
      const body = JSON.stringify({ organizationId: root.organizationId });
      const { value: stamp } = await stampOf(body, root);
      const endAt = performance.now() + seconds * 1000;
      let number = 0;
      /** Sends to one process, as fast as it answers. Returns how many requests were not refused. */
      const press = async ({ url }: Service, by: "address" | "credential") => {
        let allowed = 0;
        while (performance.now() < endAt) {
          number += 1;
          // Requests that are counted for the credential come from everywhere.
          const address = `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
          const { status } = await fetch(`${url}/public/v1/query/whoami`, {
            method: "POST",
            body,
            headers: {
              "X-Forwarded-For": by === "address" ? "203.0.113.7" : address,
              ...(by === "credential" && { "X-Stamp": stamp }),
            },
          });
          expect([by === "address" ? 401 : 200, 429]).toContain(status);
          if (status !== 429) allowed += 1;
        }
        return allowed;
      };
      const pressAll = async (by: "address" | "credential") => {
        const counts = services.flatMap((each) => [press(each, by), press(each, by)]);
        return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
      };
      const [ofAddress, ofCredential] = await Promise.all([
        pressAll("address"),
        pressAll("credential"),
      ]);
      // Alone, each process allows what one second allows at once, and as much in each second. Together
      // they allow that at once, but from then on the rate is the rate of all.
      const together = (perSecond: number) => 2 * perSecond + seconds * perSecond;
      expect(ofAddress).toBeLessThanOrEqual(together(rate.address));
      expect(ofCredential).toBeLessThanOrEqual(together(rate.credential));
      expect(ofAddress).toBeGreaterThanOrEqual(seconds * rate.address);
      expect(ofCredential).toBeGreaterThanOrEqual(seconds * rate.credential);
    } finally {
      await Promise.all(services.map((each) => each.stop()));
    }
  });
});
