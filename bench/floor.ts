import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  verify,
} from "node:crypto";
import { createRequire } from "node:module";
import pg from "pg";

/**
 * The least work that a signature needs, as a measure of the machine. 32 loops in one process each
 * verify a P-256 stamp, sign with secp256k1 and insert one row in a separate commit.
 */
type Task = { databaseUrl: string; recordBytes: number; bodyBytes: number; seconds: number };

export type Floor = {
  perSecond: number;
  /** What verifying and signing alone take of a processor. */
  processorMs: number;
};

type Secp256k1 = {
  ecdsaSign(digest: Uint8Array, privateKey: Uint8Array): { signature: Uint8Array };
};

const LOOPS = 32;
const WARM_UP_MS = 500;

/** Enough that the clock of processor time, which some systems round to milliseconds, does not matter. */
const TIMED = 3000;

process.once("message", async (task: Task) => {
  try {
    process.send?.({ result: await measure(task) });
  } catch (error) {
    process.send?.({ error: error instanceof Error ? error.message : String(error) });
  }
  process.disconnect?.();
});

async function measure({ databaseUrl, recordBytes, bodyBytes, seconds }: Task): Promise<Floor> {
  const require = createRequire(import.meta.url);
  // The JavaScript version would make our numbers look better. `bindings.js` throws without the
  // native part.
  const native = require("secp256k1/bindings") as Secp256k1;
  const pool = new pg.Pool({ connectionString: databaseUrl, max: LOOPS });
  await pool.query(
    "CREATE TABLE floor (organization_id uuid, id uuid, record bytea, PRIMARY KEY (organization_id, id))",
  );
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const stampKey = createPublicKey(publicKey.export({ type: "spki", format: "pem" }));
  const body = randomBytes(bodyBytes);
  const stamp = sign("sha256", body, privateKey);
  const signingKey = randomBytes(32);
  const organizationId = crypto.randomUUID();

  const decide = () => {
    if (!verify("sha256", body, stampKey, stamp)) throw new Error("a stamp did not verify");
    const digest = createHash("sha256").update(body).digest();
    native.ecdsaSign(digest, signingKey);
  };
  const processorMs = processorMsOf(decide);

  let count = 0;
  const countFrom = performance.now() + WARM_UP_MS;
  const endAt = countFrom + seconds * 1000;
  const loop = async () => {
    for (;;) {
      decide();
      await pool.query({
        name: "floor",
        text: "INSERT INTO floor (organization_id, id, record) VALUES ($1, $2, $3)",
        values: [organizationId, crypto.randomUUID(), randomBytes(recordBytes)],
      });
      const now = performance.now();
      if (now > endAt) return;
      if (now > countFrom) count += 1;
    }
  };
  await Promise.all(Array.from({ length: LOOPS }, loop));
  await pool.query("DROP TABLE floor");
  await pool.end();
  return { perSecond: count / seconds, processorMs };
}

function processorMsOf(decide: () => void): number {
  for (let each = 0; each < TIMED / 10; each++) decide();
  const before = process.cpuUsage();
  for (let each = 0; each < TIMED; each++) decide();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / TIMED;
}
