// A program that creates an embedded database with all tables in the directory of its argument. What PostgreSQL takes from
// the clock and from chance when it creates a cluster is the same each time, so that the bytes are. None of it is a
// secret of an installation: a number of the cluster, and a nonce for logins over a network, which it does not have.

import crypto from "node:crypto";
import { PGlite } from "@electric-sql/pglite";
import { migrate, PACKED_MS } from "../../apps/api/src/store/migrate.ts";
import { dropTemplates } from "../../apps/api/src/store/pglite-templates.ts";

const [, , directory = ""] = process.argv;

Date.now = () => Date.UTC(2026, 0, 1);
crypto.randomFillSync = (bytes) => {
  new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength).fill(0);
  return bytes;
};

// A segment of the log that is used again would still have what was in it.
const startParams = [...PGlite.defaultStartParams, "-c", "wal_recycle=off"];
const database = await PGlite.create({ dataDir: directory, startParams });
await migrate(
  {
    async run(_name, text) {
      return (await database.exec(text)).at(-1)?.rows ?? [];
    },
  },
  PACKED_MS,
);
await dropTemplates(database);
// The log begins again, with a segment of zeros.
await database.exec("SELECT pg_switch_wal()");
await database.exec("CHECKPOINT");
await database.close();
