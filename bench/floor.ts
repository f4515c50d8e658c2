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

type Secp256k1 = {
  ecdsaSign(digest: Uint8Array, privateKey: Uint8Array): { signature: Uint8Array };
};

const LOOPS = 32;

process.once("message", async (task: Task) => {
  try {
    process.send?.({ result: await measure(task) });
  } catch (error) {
    process.send?.({ error: error instanceof Error ? error.message : String(error) });
  }
  process.disconnect?.();
});

async function measure({ databaseUrl, recordBytes, bodyBytes, seconds }: Task) {
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

  let count = 0;
  const countFrom = performance.now() + 2000;
  const endAt = countFrom + seconds * 1000;
  const loop = async () => {
    for (;;) {
      if (!verify("sha256", body, stampKey, stamp)) throw new Error("a stamp did not verify");
      const digest = createHash("sha256").update(body).digest();
      native.ecdsaSign(digest, signingKey);
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
  return { perSecond: count / seconds };
}
