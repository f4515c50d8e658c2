import {
  concatBytes,
  decodeBase64Url,
  decodeHex,
  decodeUtf8,
  encodeHex,
  encodeUtf8,
  isWellFormed,
} from "@keyhearth/crypto/encoding/bytes";
import { isValidPublicKey } from "@keyhearth/crypto/keys/keys";
import { verifyEd25519 } from "@keyhearth/crypto/keys/verify";
import { sha256 } from "@keyhearth/crypto/primitives";
import { asObject } from "../errors/as-object.ts";
import { Unverified } from "../errors/errors.ts";
import { invalidFields } from "../errors/invalid-fields.ts";
import type { Activity } from "../generated/types.ts";

/** Headers as `fetch` has them, or as Node.js and its frameworks have them. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The keys that may have signed a delivery: pinned ones, or those that the service shows. */
export type WebhookKeys =
  | {
      /** Public keys of the signer in hex, 32 bytes each, which you got from its operator. */
      publicKeys: readonly string[];
    }
  | {
      /** The answer of `/public/v1/discovery/webhooks/jwks`. Then you trust the API, not only the signer. */
      jwks: { keys: readonly object[] };
    };

export type WebhookOptions = WebhookKeys & {
  headers: WebhookHeaders;
  /** The body as it arrived, before anything parsed it. */
  body: Uint8Array | string;
  /**
   * Whether an organization is one whose events you act on: your own, or one of your sub-organizations. Answer `true` or
   * `false`. Every other tenant of the service can have its events sent to your URL, signed with the same key.
   */
  isOurs: (organizationId: string) => boolean;
  /** How old a delivery may be, and how far in the future. Default: 300 seconds. */
  toleranceSeconds?: number;
  /** The current time in milliseconds. Default: this machine's clock. */
  nowMs?: number;
};

/** A delivery whose signature has been verified. */
export type WebhookEvent = {
  /** Stays the same when the event is sent again. One activity may come under several, from several endpoints. */
  eventId: string;
  eventType: "ACTIVITY_UPDATES";
  /** The organization of the activity. It may be a sub-organization of the endpoint's own. */
  organizationId: string;
  /** When this attempt was signed. */
  timestampMs: number;
  /** Which key signed it. */
  keyId: string;
  activity: Activity;
};

/**
 * Verifies a delivery to a webhook: one of the keys signed exactly these bytes, within the tolerance, and they are about
 * one of your organizations. Remember each `activity.id` with its `activity.status`, and handle the pair once: a
 * delivery can arrive twice, anyone who has seen one can send it again within the tolerance, and users of a
 * sub-organization can have its events sent to your URL under further event ids.
 *
 * Throws `Unverified` with the header in `field`, or `body` if the activity is not of one of your organizations. If the
 * field is `x-turnkey-signature-key-id`, the signer may have a different key from yours; every other refused delivery is
 * forged, damaged, too old or not for you. Throws `InvalidField` for wrong options.
 */
export function verifyWebhook(given: WebhookOptions): WebhookEvent {
  const options = asObject(given);
  const { toleranceSeconds = 300, nowMs = Date.now(), isOurs } = options;
  const keys = keysOf(options);
  checkNumbers({ toleranceSeconds, nowMs });
  if (typeof isOurs !== "function") {
    throw invalidFields({
      field: "isOurs",
      message: "must be a function that says whether an organization, given by its id, is yours",
    });
  }
  const body = bodyOf(options.body);
  if (typeof options.headers !== "object" || options.headers === null) {
    throw invalidFields({ field: "headers", message: "must be the headers of the delivery" });
  }
  const read = (name: string, pattern: RegExp) => readHeader(options.headers, name, pattern);
  read("signature-version", /^v1$/);
  read("signature-algorithm", /^ed25519$/);
  const keyId = read("signature-key-id", /^[0-9a-f]{32}$/);
  const timestamp = read("timestamp", /^[1-9]\d{0,15}$/);
  const eventId = read("event-id", /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  const signature = decodeHex(read("signature", /^[0-9a-f]{128}$/));
  const publicKey = keys.get(keyId);
  if (!publicKey) throw refused("signature-key-id", "names a key that is not among yours");
  const signed = encodeUtf8(`v1.ed25519.${keyId}.${timestamp}.${eventId}.`);
  if (!verifyEd25519(publicKey, concatBytes(signed, body), signature)) {
    throw refused("signature", "is not a signature over this body. Pass the bytes as they arrived");
  }
  // After the signature, so that nobody learns about the clock without one.
  const timestampMs = Number(timestamp);
  if (Math.abs(nowMs - timestampMs) > toleranceSeconds * 1000) {
    throw refused("timestamp", `is more than ${toleranceSeconds} seconds from this machine's time`);
  }
  // Not signed, but there is only one kind so far.
  read("event-type", /^ACTIVITY_UPDATES$/);
  const activity = activityOf(body);
  const { organizationId } = activity;
  // Not signed either, so the body decides.
  if (read("organization-id", /^/) !== organizationId) {
    throw refused("organization-id", "is not the organization of the activity");
  }
  const answer: unknown = isOurs(organizationId);
  // A promise would count as yes.
  if (typeof answer !== "boolean") {
    throw invalidFields({ field: "isOurs", message: "must answer true or false, and no promise" });
  }
  if (!answer) {
    throw new Unverified(
      `This delivery is not for you: its activity is of the organization ${organizationId}. Do not act on it`,
      { code: "UNVERIFIED", field: "body" },
    );
  }
  return { eventId, eventType: "ACTIVITY_UPDATES", organizationId, timestampMs, keyId, activity };
}

/** The usable keys by their ids. The id of a key is the first half of its SHA-256 digest in hex. */
function keysOf(options: WebhookKeys): Map<string, Uint8Array> {
  const isPinned = "publicKeys" in options && options.publicKeys !== undefined;
  const field = isPinned ? "publicKeys" : "jwks";
  const given: unknown = isPinned
    ? options.publicKeys
    : "jwks" in options
      ? options.jwks?.keys
      : undefined;
  if (!Array.isArray(given)) {
    throw invalidFields({
      field,
      message: isPinned
        ? "must be a list of public keys in hex"
        : "is missing. Give the JWK set of the service, or publicKeys",
    });
  }
  const keys = new Map<string, Uint8Array>();
  for (const [index, value] of given.entries()) {
    // A key set may also have keys of other kinds, which have not signed this.
    if (!isPinned && !isEd25519Jwk(value)) continue;
    const bytes = isPinned ? hexOf(value) : base64UrlOf(value.x);
    const keyId = bytes && encodeHex(sha256(bytes).slice(0, 16));
    const isNamed = isPinned || value.kid === keyId;
    if (!bytes || !keyId || !isNamed || !isValidPublicKey("CURVE_ED25519", bytes)) {
      const at = isPinned ? `publicKeys[${index}]` : `jwks.keys[${index}]`;
      throw invalidFields({ field: at, message: "is not an Ed25519 public key of a signer" });
    }
    keys.set(keyId, bytes);
  }
  if (keys.size > 0) return keys;
  throw invalidFields({ field, message: "has no Ed25519 key. Then no delivery can be verified" });
}

function isEd25519Jwk(value: unknown): value is { x: unknown; kid: unknown } {
  return (
    typeof value === "object" &&
    value !== null &&
    "kty" in value &&
    value.kty === "OKP" &&
    "crv" in value &&
    value.crv === "Ed25519" &&
    "x" in value &&
    "kid" in value
  );
}

function hexOf(value: unknown): Uint8Array | undefined {
  return typeof value === "string" && /^[0-9a-f]{64}$/i.test(value) ? decodeHex(value) : undefined;
}

function base64UrlOf(value: unknown): Uint8Array | undefined {
  return typeof value === "string" && /^[\w-]{43}$/.test(value) ? tryDecode(value) : undefined;
}

function tryDecode(text: string): Uint8Array | undefined {
  try {
    return decodeBase64Url(text);
  } catch {
    return undefined;
  }
}

// A comparison with NaN is false, so it would let every timestamp pass.
function checkNumbers({ toleranceSeconds, nowMs }: { toleranceSeconds: number; nowMs: number }) {
  const fields = [];
  if (!(Number.isFinite(toleranceSeconds) && toleranceSeconds > 0)) {
    fields.push({ field: "toleranceSeconds", message: "must be a number of seconds above 0" });
  }
  if (!Number.isFinite(nowMs)) {
    fields.push({ field: "nowMs", message: "must be a time in milliseconds" });
  }
  if (fields.length > 0) throw invalidFields(...fields);
}

function bodyOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  if (typeof body === "string" && isWellFormed(body)) return encodeUtf8(body);
  throw invalidFields({
    field: "body",
    message: "must be the bytes or the text that arrived. Read it before a JSON parser does",
  });
}

/** The only value of a header, if it has this form. */
function readHeader(headers: WebhookHeaders, name: string, pattern: RegExp): string {
  const values = valuesOf(headers, `x-turnkey-${name}`);
  const [value] = values;
  if (value === undefined) throw refused(name, "is missing");
  if (values.length > 1 || !pattern.test(value)) throw refused(name, "has an unknown form");
  return value;
}

function valuesOf(headers: WebhookHeaders, name: string): string[] {
  if (hasGet(headers)) {
    const value = headers.get(name);
    return value === null ? [] : [value];
  }
  return Object.entries(headers).flatMap(([key, value]) =>
    key.toLowerCase() === name && value !== undefined ? [value].flat() : [],
  );
}

function hasGet(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === "function";
}

function activityOf(body: Uint8Array): Activity {
  try {
    const value: unknown = JSON.parse(decodeUtf8(body));
    if (
      typeof value === "object" &&
      value !== null &&
      ["id", "organizationId", "status", "type", "fingerprint"].every(
        (name) => typeof Object.entries(value).find(([key]) => key === name)?.[1] === "string",
      )
    ) {
      // The signer made this text from an activity; the members that decide anything are checked.
      return value as Activity;
    }
  } catch {
    // The same as any other text that is not an activity.
  }
  throw new Unverified(
    "The body is signed, but it is not an activity that this SDK can read. Update the SDK",
    { code: "UNVERIFIED", field: "body" },
  );
}

function refused(header: string, problem: string): Unverified {
  const field = `x-turnkey-${header}`;
  const remedy = "Answer 401 and do not act on it";
  return new Unverified(`This delivery cannot be trusted: ${field} ${problem}. ${remedy}`, {
    code: "UNVERIFIED",
    field,
  });
}
