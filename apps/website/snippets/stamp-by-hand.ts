import { createECDH, createPrivateKey, sign } from "node:crypto";
import { readFile } from "node:fs/promises";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const { organizationId, apiPublicKey, apiPrivateKey } = JSON.parse(
  await readFile(rootKeyFile, "utf8"),
);

// 1. Serialize the body once: you must sign and send the same bytes.
const body = JSON.stringify({ organizationId });

// 2. Import the private key in the format that Node needs.
const ecdh = createECDH("prime256v1");
ecdh.setPrivateKey(apiPrivateKey, "hex");
const point = ecdh.getPublicKey();
const privateKey = createPrivateKey({
  format: "jwk",
  key: {
    kty: "EC",
    crv: "P-256",
    d: Buffer.from(apiPrivateKey, "hex").toString("base64url"),
    x: point.subarray(1, 33).toString("base64url"),
    y: point.subarray(33).toString("base64url"),
  },
});

// 3. Sign the SHA-256 of the body with ECDSA. Node returns DER, as a stamp needs it.
const signature = sign("sha256", Buffer.from(body), privateKey).toString("hex");

// 4. Encode the stamp: JSON, then base64url without padding.
const stamp = { publicKey: apiPublicKey, scheme: "SIGNATURE_SCHEME_TK_API_P256", signature };
const header = Buffer.from(JSON.stringify(stamp)).toString("base64url");

// 5. Send the stamp and the body.
const response = await fetch(`${baseUrl}/public/v1/query/whoami`, {
  method: "POST",
  headers: { "X-Stamp": header },
  body,
});
console.log(response.status, await response.json());
process.exitCode = response.ok ? 0 : 1;
