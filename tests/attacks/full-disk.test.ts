import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newKey } from "@keyhearth/api/testing";
import { decodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { createApiKeyStamp } from "@keyhearth/crypto/stamps/create-stamp";
import type { Answer } from "@keyhearth/engine/core/protocol";
import { FOUND_TYPE } from "@keyhearth/engine/records/activity";
import { openSigner, type Signer } from "@keyhearth/signer/signer";
import pg from "pg";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { findPostgres, startPostgres } from "../postgres/start.ts";
import { canMakeDisks, fillDisk, makeDisk, unmountDisks } from "../start/disk.ts";
import { newWallet, query, submit } from "../start/post.ts";
import { readRootKey, startService } from "../start/process.ts";
import { sentenceOf } from "../start/refused.ts";

vi.setConfig({ testTimeout: 400_000, hookTimeout: 60_000 });

const temporary = mkdtempSync(join(tmpdir(), "keyhearth-full-disk-"));
afterEach(unmountDisks);
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

async function readiness(service: { url: string }) {
  const response = await fetch(`${service.url}/readyz`);
  const { reasons } = (await response.json()) as { reasons: string[] };
  return { status: response.status, retryAfter: response.headers.get("retry-after"), reasons };
}

const notReady = { status: 503, retryAfter: "1", reasons: ["the database's disk is full"] };
const ready = { status: 200, retryAfter: null, reasons: [] };

describe.runIf(canMakeDisks)("a full disk", () => {
  test("of the embedded database is 503 and not ready until there is space, and named at the start", async () => {
    const disk = makeDisk(160);
    const environment = {
      KEYHEARTH_DATA_DIR: join(disk, "data"),
      KEYHEARTH_LOG_LEVEL: "fatal",
    };
    const service = await startService(environment);
    const root = readRootKey(join(disk, "data"));
    expect((await submit(service, root, newWallet(root, "before"))).status).toBe(200);
    expect(await readiness(service)).toEqual(ready);

    const filler = fillDisk(disk);
    const wallet = newWallet(root, "while full");
    for (let attempt = 0; attempt < 5; attempt++) {
      const refused = await submit(service, root, wallet);
      expect(refused.status).toBe(503);
      expect(refused.headers.get("retry-after")).toBe("1");
      expect(refused.json).toMatchObject({
        code: 14,
        message: expect.stringContaining("disk is full"),
        details: [expect.objectContaining({ code: "DISK_FULL" })],
      });
    }
    await expect.poll(() => readiness(service)).toMatchObject({ status: 503, retryAfter: "1" });
    expect((await readiness(service)).reasons).toContain("the database's disk is full");
    // Reading goes on.
    expect((await query(service, root, "list_wallets")).json.wallets).toHaveLength(1);

    filler.free();
    expect((await submit(service, root, wallet)).status).toBe(200);
    await expect.poll(() => readiness(service)).toEqual(ready);
    expect((await query(service, root, "list_wallets")).json.wallets).toHaveLength(2);
    expect(await service.stop()).toBe(0);

    const full = fillDisk(disk);
    const sentence = await sentenceOf(environment);
    expect(sentence).toContain(join(disk, "data"));
    expect(sentence).toContain("full; free");
    full.free();
    const again = await startService(environment);
    expect((await query(again, root, "list_wallets")).json.wallets).toHaveLength(2);
    expect(await again.stop()).toBe(0);
  });

  test("at the very first start leaves nothing that hinders the next one", async () => {
    const disk = makeDisk(160);
    const environment = { KEYHEARTH_DATA_DIR: join(disk, "data") };
    for (const leave of [0, 60_000, 36_000_000]) {
      const filler = fillDisk(disk, leave);
      expect(await sentenceOf(environment)).toMatch(/full; free/);
      filler.free();
    }
    expect(await (await startService(environment)).stop()).toBe(0);
  });

  test("of the signer's state refuses changes and is not ready until there is space", () => {
    const stateDirectory = join(makeDisk(2), "state");
    const events: string[] = [];
    const open = () =>
      openSigner({
        stateDirectory,
        mayCreate: true,
        log: ({ event }) => void events.push(event),
      });
    const signer = open();
    const describeIt = (): Answer => signer.handle({ call: "describe" });
    expect(found(signer)).toMatchObject({ kind: "confirmed" });
    const filler = fillDisk(join(stateDirectory, ".."));
    // What is on the disk already has some room left.
    let answer = found(signer);
    while (answer.kind === "confirmed") answer = found(signer);
    expect(answer).toMatchObject({
      kind: "error",
      error: { code: "UNAVAILABLE", reason: "DISK_FULL" },
    });
    expect(events).toContain("state not written");
    expect(describeIt()).toMatchObject({ kind: "error", error: { reason: "DISK_FULL" } });
    filler.free();
    expect(describeIt()).toMatchObject({ kind: "description" });
    expect(found(signer)).toMatchObject({ kind: "confirmed" });

    const again = fillDisk(join(stateDirectory, ".."));
    signer.close();
    again.free();
    open().close();
  });
});

describe.runIf(canMakeDisks && findPostgres())("a full disk", () => {
  test("of PostgreSQL is 503 and not ready until there is space", async () => {
    const postgres = await startPostgres({ fsync: false });
    const disk = makeDisk(48);
    const place = join(disk, "tablespace");
    mkdirSync(place);
    chmodSync(temporary, 0o755);
    await ownByServer(postgres.url, place);
    const admin = new pg.Client({ connectionString: postgres.url });
    await admin.connect();
    await admin.query(`CREATE TABLESPACE small LOCATION '${place}'`);
    await admin.query("CREATE DATABASE full_disk TABLESPACE small");
    const url = new URL(postgres.url);
    url.pathname = "/full_disk";
    const dataDirectory = join(temporary, "postgres-data");
    const environment = {
      KEYHEARTH_DATA_DIR: dataDirectory,
      DATABASE_URL: url.href,
      KEYHEARTH_LOG_LEVEL: "fatal",
    };
    // A new connection needs some room of its own.
    const early = fillDisk(disk, 250_000);
    expect(await sentenceOf(environment)).toContain(
      "the disk of the database of DATABASE_URL is full",
    );
    early.free();

    const service = await startService(environment);
    const root = readRootKey(dataDirectory);
    const filler = fillDisk(disk);
    // The pages that the tables have already take a few more rows.
    let refused = await submit(service, root, newWallet(root));
    for (let count = 0; refused.status === 200 && count < 100; count++) {
      refused = await submit(service, root, newWallet(root));
    }
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(refused.json.details).toMatchObject([{ code: "DISK_FULL" }]);
    // Readiness is kept for a second, so the first answer may be of the time before.
    await expect.poll(() => readiness(service), { timeout: 5000 }).toEqual(notReady);
    expect(await readiness(service)).toEqual(notReady);

    filler.free();
    await expect.poll(() => readiness(service)).toEqual(ready);
    expect((await submit(service, root, newWallet(root))).status).toBe(200);
    expect(await service.stop()).toBe(0);
    await admin.end();
    await postgres.stop();
  });
});

/** Founds an organization and confirms it, which moves a mark. */
function found(signer: Signer): Answer {
  const { publicKey, privateKey } = newKey();
  const text = JSON.stringify({
    type: FOUND_TYPE,
    timestampMs: String(Date.now()),
    organizationId: "00000000-0000-0000-0000-000000000000",
    parameters: {
      organizationName: "Organization",
      rootUserName: "Root user",
      apiKey: { apiKeyName: "Key", publicKey, curveType: "API_KEY_CURVE_P256" },
    },
  });
  const key = {
    privateKey: decodeHex(privateKey),
    scheme: "SIGNATURE_SCHEME_TK_API_P256",
  } as const;
  const body = encodeUtf8(text);
  const value = createApiKeyStamp(key, body);
  const answer = signer.handle({
    call: "submit",
    endpoint: "create_organization",
    body,
    stamp: { name: "X-Stamp", value },
    records: [],
    attachments: [],
  });
  if (answer.kind !== "proposal" || answer.ticket === null) return answer;
  return signer.handle({ call: "confirm", ticket: answer.ticket });
}

/** Gives a directory to the user that the server runs as. */
async function ownByServer(url: string, path: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query("SHOW data_directory");
  await client.end();
  const { uid, gid } = statSync(String(rows[0].data_directory));
  chownSync(path, uid, gid);
}
