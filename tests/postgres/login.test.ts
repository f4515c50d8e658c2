import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openPostgres } from "@keyhearth/api/store/postgres";
import { secret } from "@keyhearth/crypto/secret";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { findPostgres, startPostgres } from "./start.ts";

const hint =
  "check the user name and the password, and that the server allows the user to log in from this machine";

describe.runIf(findPostgres())("a user whom PostgreSQL does not let in", () => {
  test("is told apart from a server that is not there", async () => {
    const postgres = await startPostgres({ fsync: false });
    onTestFinished(() => postgres.stop());
    const admin = new pg.Client({ connectionString: postgres.url });
    await admin.connect();
    await admin.query("ALTER USER keyhearth PASSWORD 'right'");
    writeFileSync(join(postgres.cluster, "pg_hba.conf"), "host all keyhearth all scram-sha-256\n");
    await admin.query("SELECT pg_reload_conf()");
    await admin.end();

    const sentenceFor = async (user: string, password: string) => {
      const url = new URL(postgres.url);
      Object.assign(url, { username: user, password });
      try {
        await (
          await openPostgres({ url: secret(url.href), isPooled: false, standbyUrl: null })
        ).close();
        return "opened";
      } catch (error) {
        return String(error);
      }
    };
    await expect
      .poll(() => sentenceFor("keyhearth", "wrong"))
      .toBe(`StartError: the database of DATABASE_URL does not let this user in (28P01); ${hint}`);
    expect(await sentenceFor("stranger", "right")).toBe(
      `StartError: the database of DATABASE_URL does not let this user in (28000); ${hint}`,
    );
    expect(await sentenceFor("keyhearth", "right")).toBe("opened");
    await postgres.halt();
    expect(await sentenceFor("keyhearth", "right")).toMatch(
      /cannot be reached \(ECONNREFUSED\); check that it is running/,
    );
  });
});
