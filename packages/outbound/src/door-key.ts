import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  timingSafeEqual,
} from "node:crypto";

// The keys with which the API and the signer know each other at the door between two machines (decision 29). What one
// side shows the other is a line of text, `keyhearth-signer:` or `keyhearth-api:` and the digest of its public key.

export type Side = "api" | "signer";

/** SHA-256 of a public key (SPKI). */
export type Pin = Buffer;

export type DoorKey = {
  /** In PEM. Only TLS gets it. */
  privateKey: string;
  certificate: string;
  pin: Pin;
};

const PIN = /^[A-Za-z0-9_-]{43}$/;

/** The text of a file with a new private key. */
export function newDoorKey(): string {
  return pemOf(generateKeyPairSync("ed25519").privateKey);
}

/** Null if the text is not a key that `newDoorKey` made. */
export function readDoorKey(text: string): DoorKey | null {
  const key = privateKeyOf(text);
  if (key?.asymmetricKeyType !== "ed25519") return null;
  const spki = createPublicKey(key).export({ type: "spki", format: "der" });
  return { privateKey: pemOf(key), certificate: certificateOf(key, spki), pin: pinOf(spki) };
}

function privateKeyOf(text: string): KeyObject | null {
  try {
    return createPrivateKey(text);
  } catch {
    return null;
  }
}

function pemOf(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

export function pinOf(spki: Uint8Array): Pin {
  return createHash("sha256").update(spki).digest();
}

/** Whether one of the pins is this one. Takes as long for every pin. */
export function hasPin(pins: readonly Pin[], pin: Pin): boolean {
  let isFound = false;
  for (const each of pins) if (timingSafeEqual(each, pin)) isFound = true;
  return isFound;
}

export function lineOf(side: Side, pin: Pin): string {
  return `keyhearth-${side}:${pin.toString("base64url")}`;
}

/** Null if the text is not a line of that side. */
export function readLine(side: Side, text: string): Pin | null {
  const [name = "", digest = "", ...rest] = text.split(":");
  if (name !== `keyhearth-${side}` || rest.length > 0 || !PIN.test(digest)) return null;
  const pin = Buffer.from(digest, "base64url");
  // The last of 43 characters has two bits that belong to no byte.
  return pin.toString("base64url") === digest ? pin : null;
}

// TLS wants a certificate around a key. Nobody believes what this one says: it has no name, and ends with the calendar.
// Every part has a fixed length, because Ed25519 keys and signatures have.
const VERSION_AND_NUMBER = "a003020102020101";
const ED25519 = "300506032b6570";
const NO_NAME = "3000";
const FROM_1970_TO_9999 =
  "3022180f31393730303130313030303030305a180f39393939313233313233353935395a";
const SIGNATURE_BYTES = 64;

function certificateOf(key: KeyObject, spki: Buffer): string {
  const constants = [VERSION_AND_NUMBER, ED25519, NO_NAME, FROM_1970_TO_9999, NO_NAME];
  const stated = sequence(Buffer.from(constants.join(""), "hex"), spki);
  const signature = sign(null, stated, key);
  const bits = Buffer.from([0x03, SIGNATURE_BYTES + 1, 0]);
  const whole = sequence(stated, Buffer.from(ED25519, "hex"), bits, signature);
  const lines = whole.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function sequence(...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  // Both sequences have 128 to 255 bytes, or fewer.
  const length = body.length < 128 ? [body.length] : [0x81, body.length];
  return Buffer.concat([Buffer.from([0x30, ...length]), body]);
}
