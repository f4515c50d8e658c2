import { createHash, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";

/**
 * Returns the activity, or throws. `headers` has lower-case names, as Node.js gives them; `body` is the text that arrived;
 * `isOurs` says whether an organization is yours. Handle each activity's id with its status once.
 */
export function verifyWebhook({ headers, body, jwks, isOurs, nowMs = Date.now() }) {
  const read = (name) => headers[`x-turnkey-${name}`] ?? "";
  const [keyId, timestamp, eventId] = ["signature-key-id", "timestamp", "event-id"].map(read);
  if (read("signature-version") !== "v1" || read("signature-algorithm") !== "ed25519") {
    throw new Error("unknown form of signature");
  }
  if (!/^[1-9]\d{0,15}$/.test(timestamp)) throw new Error("not a timestamp");
  const jwk = jwks.keys.find(({ kid, crv }) => kid === keyId && crv === "Ed25519");
  // The id is the first half of the key's digest, so a pinned id pins the key.
  const digest = createHash("sha256").update(Buffer.from(jwk?.x ?? "", "base64url"));
  if (!jwk || digest.digest("hex").slice(0, 32) !== keyId) {
    throw new Error("not a key of the signer");
  }
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: jwk.x }, format: "jwk" });
  const signed = Buffer.from(`v1.ed25519.${keyId}.${timestamp}.${eventId}.${body}`);
  if (!verify(null, signed, key, Buffer.from(read("signature"), "hex"))) {
    throw new Error("not signed by this key");
  }
  if (Math.abs(nowMs - Number(timestamp)) > 300_000) throw new Error("older than five minutes");
  const activity = JSON.parse(body);
  // Other tenants can have their events sent to your URL, signed with the same key.
  if (isOurs(activity.organizationId) !== true) throw new Error("not one of our organizations");
  return activity;
}

if (process.argv[2]) {
  const delivery = JSON.parse(readFileSync(process.argv[2], "utf8"));
  const isOurs = (id) => delivery.organizationIds.includes(id);
  const { type, status } = verifyWebhook({ ...delivery, isOurs });
  console.log(`${type}: ${status}`);
}
