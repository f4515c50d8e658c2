import { decodeHex, encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { generatePrivateKey, publicKeyOf } from "@keyhearth/crypto/keys/keys";
import { createApiKeyStamp } from "@keyhearth/crypto/stamps/create-stamp";
import { StartError } from "../config/start-error.ts";
import { isRecord } from "../directory/files.ts";

/** A P-256 key in hexadecimal digits, as `root-api-key.json` has it. */
export type NewKey = { apiPublicKey: string; apiPrivateKey: string };

/** The key of a user of this organization. */
export type OwnedKey = NewKey & { organizationId: string };

export type Submission = {
  path: string;
  type: string;
  timestampMs: string;
  parameters: object;
};

export function newKey(): NewKey {
  const privateKey = generatePrivateKey("CURVE_P256");
  const apiPublicKey = encodeHex(publicKeyOf("CURVE_P256", privateKey));
  return { apiPublicKey, apiPrivateKey: encodeHex(privateKey) };
}

export function keyOf(value: unknown): NewKey | undefined {
  if (!isRecord(value)) return undefined;
  const { apiPublicKey, apiPrivateKey } = value;
  if (typeof apiPublicKey !== "string" || typeof apiPrivateKey !== "string") return undefined;
  return { apiPublicKey, apiPrivateKey };
}

/** Sends a stamped request. Returns the result of the activity, which is empty while it waits for approvals. */
export async function submit(
  url: string,
  { organizationId, apiPrivateKey }: OwnedKey,
  { path, ...envelope }: Submission,
): Promise<Record<string, unknown>> {
  const body = encodeUtf8(JSON.stringify({ ...envelope, organizationId }));
  const privateKey = decodeHex(apiPrivateKey);
  const scheme = "SIGNATURE_SCHEME_TK_API_P256";
  const stamp = createApiKeyStamp({ privateKey, scheme }, body);
  privateKey.fill(0);
  const response = await fetch(`${url}/public/v1/submit/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-stamp": stamp },
    body: Buffer.from(body),
  });
  const answer: unknown = await response.json();
  const { activity, message } = isRecord(answer) ? answer : {};
  if (!isRecord(activity)) throw new StartError(`the demo could not be made: ${String(message)}`);
  const { result } = activity;
  const [value] = isRecord(result) ? Object.values(result) : [];
  return isRecord(value) ? value : {};
}
