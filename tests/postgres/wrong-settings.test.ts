import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkInstallation } from "@keyhearth/api/check/check";
import { certificate, certificateKey } from "@keyhearth/outbound/certificate.testing";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { newDataDirectory } from "../start/data-directory.ts";
import { startService, startSigner } from "../start/process.ts";
import { sentenceOf } from "../start/refused.ts";
import {
  createDatabase,
  findPostgres,
  type Postgres,
  startPostgres,
  unprivilegedUser,
} from "./start.ts";

// What operators get wrong where a database is on several machines, and the sentence that each mistake gets, at the start
// and from `doctor`.

describe.runIf(findPostgres())("a database", { timeout: 120_000 }, () => {
  const temporary = mkdtempSync(join(tmpdir(), "keyhearth-wrong-database-"));
  let postgres: Postgres;

  beforeAll(async () => {
    postgres = await startPostgres({ fsync: false });
  }, 60_000);
  afterAll(async () => {
    await postgres?.stop();
    rmSync(temporary, { recursive: true, force: true });
  });

  async function newData(): Promise<string> {
    const data = await newDataDirectory("wrong-database");
    onTestFinished(() => rmSync(data, { recursive: true }));
    return data;
  }

  /** What both say, without what comes before it. */
  async function toldOf(environment: Record<string, string>, check = "database") {
    const settings = { KEYHEARTH_DATA_DIR: await newData(), ...environment };
    const said = (await sentenceOf(settings)).slice("keyhearth: ".length, -1);
    expect(await messagesOf(settings, check)).toEqual([said]);
    return said;
  }

  async function messagesOf(settings: Record<string, string>, check: string) {
    const findings = await checkInstallation(settings);
    return findings
      .filter((each) => each.check === check && each.status === "error")
      .map(({ message }) => message);
  }

  const withQuery = (url: string, query: string) => `${url}?${query}`;

  async function ask({ url }: Postgres, ...statements: string[]) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  }

  test("whose certificate is not trusted, or that has none, is not waited for", async () => {
    expect(await toldOf({ DATABASE_URL: withQuery(postgres.url, "sslmode=verify-full") })).toBe(
      "the database of DATABASE_URL does not speak TLS, and the URL asks for it; switch it on in PostgreSQL with ssl = on, or, if nobody else can be between, take sslmode from the URL",
    );
    const owner = unprivilegedUser();
    for (const [name, text] of [
      ["server.crt", certificate],
      ["server.key", certificateKey],
    ] as const) {
      const path = join(postgres.cluster, name);
      writeFileSync(path, text, { mode: 0o600 });
      if (owner) chownSync(path, owner.uid, owner.gid);
    }
    await ask(postgres, "ALTER SYSTEM SET ssl = on", "SELECT pg_reload_conf()");
    const strict = withQuery(postgres.url, "sslmode=verify-full");
    expect(await toldOf({ DATABASE_URL: strict })).toBe(
      "the database of DATABASE_URL is not trusted, because its certificate is not from an authority that this machine trusts (DEPTH_ZERO_SELF_SIGNED_CERT); correct the host or the certificate, or add sslrootcert=FILE with the authority to the URL",
    );
    const authority = join(temporary, "authority");
    writeFileSync(authority, certificate);
    expect(await toldOf({ DATABASE_URL: `${strict}&sslrootcert=${authority}` })).toMatch(
      /^the database of DATABASE_URL is not trusted, because its certificate is for another name \(ERR_TLS_CERT_ALTNAME_INVALID\); /,
    );
    const read = { DATABASE_URL: postgres.url, DATABASE_READ_URL: strict };
    expect(await toldOf(read, "standbys")).toMatch(
      /^a server of DATABASE_READ_URL is not trusted, because its certificate is not from an authority that this machine trusts/,
    );
  });

  test("at a host that nobody knows is named, and the start waits for it", async () => {
    const DATABASE_URL = "postgres://keyhearth:secret@database.invalid/keyhearth";
    const [message, ...others] = await messagesOf(
      { KEYHEARTH_DATA_DIR: await newData(), DATABASE_URL },
      "database",
    );
    expect(others).toEqual([]);
    expect(message).toMatch(
      /^the database of DATABASE_URL cannot be reached \((ENOTFOUND|EAI_AGAIN)\); check that it is running and that host, port and database name are right$/,
    );
  });

  test("whose hosts are servers of two clusters is refused, whichever of them answers", async () => {
    const other = await startPostgres({ fsync: false, isUnrelated: true });
    onTestFinished(() => other.stop());
    for (const { url } of [postgres, other]) await createDatabase(url, "hosts");
    const [one, two] = [postgres, other].map(({ url }) => new URL(url).host);
    const sentence = (a = "", b = "", what = "system identifiers") =>
      `the hosts ${a} and ${b} of DATABASE_URL are not servers of one cluster, because they have different ${what}; name only a primary and the standbys that follow it`;
    for (const [a, b] of [
      [one, two],
      [two, one],
    ]) {
      const DATABASE_URL = `postgres://keyhearth@${a},${b}/hosts?target_session_attrs=read-write`;
      expect(await toldOf({ DATABASE_URL }, "hosts")).toBe(sentence(a, b));
    }
    // A host that is away may be the standby that it should be.
    await other.halt();
    const DATABASE_URL = `postgres://keyhearth@${one},${two}/hosts?target_session_attrs=read-write`;
    const service = await startService({ KEYHEARTH_DATA_DIR: await newData(), DATABASE_URL });
    expect(await service.stop()).toBe(0);
  });

  test("that a newer release has changed is left alone", async () => {
    const url = await createDatabase(postgres.url, "newer");
    const settings = { KEYHEARTH_DATA_DIR: await newData(), DATABASE_URL: url };
    await (await startService(settings)).stop();
    const newer = "INSERT INTO schema_migrations VALUES (9999, '9999-later', 0, '99.0.0')";
    await ask({ ...postgres, url }, newer);
    expect(await toldOf({ DATABASE_URL: url }, "tables")).toMatch(
      /^the database was written by Keyhearth 99\.0\.0, and this is \S+, which is older; start that release again, or restore a backup from before the upgrade; nothing was changed$/,
    );
  });

  test("of another installation is not the signer's, and nobody is told to accept it", async () => {
    const own = await createDatabase(postgres.url, "of_one");
    const ofOther = await createDatabase(postgres.url, "of_other");
    const [one, two] = await Promise.all(
      ["one", "two"].map(async (name) => {
        const signer = await startSigner(join(temporary, name));
        onTestFinished(async () => void (await signer.stop()));
        return `unix:${signer.socket}`;
      }),
    );
    for (const [DATABASE_URL, signer = ""] of [
      [own, one],
      [ofOther, two],
    ] as const) {
      const settings = { KEYHEARTH_DATA_DIR: await newData(), DATABASE_URL };
      await (await startService({ ...settings, KEYHEARTH_SIGNER: signer })).stop();
    }
    const mixed = { DATABASE_URL: ofOther, KEYHEARTH_SIGNER: one ?? "" };
    expect(await toldOf(mixed, "installation")).toMatch(
      /^the database of DATABASE_URL belongs to installation \S+, but the signer's state to installation \S+; set DATABASE_URL and KEYHEARTH_SIGNER to a database and a signer that belong together$/,
    );
    const settings = { KEYHEARTH_DATA_DIR: await newData(), ...mixed };
    expect(await messagesOf(settings, "marks")).toEqual([]);
  });
});
