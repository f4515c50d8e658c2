import { decodeUtf8 } from "../encoding/bytes.ts";
import {
  ARRAY,
  BYTE_STRING,
  endOfItem,
  type Head,
  MAP,
  readHead,
  readString,
  TEXT_STRING,
} from "../encoding/cbor.ts";
import { decodeCoseKey } from "./cose.ts";
import { isUserPresent } from "./webauthn.ts";

/** What an authenticator says when it makes a passkey (WebAuthn L2, 6.5.4). */
export type AttestationObject = {
  /** The format of the statement, such as `none`. */
  format: string;
  /** Whether the statement says anything. */
  hasStatement: boolean;
  /** The certificates that it brings along. */
  certificates: readonly Uint8Array[];
  authenticatorData: Uint8Array;
};

/** Parses an attestation object. What the statement says is not looked at. */
export function parseAttestationObject(bytes: Uint8Array): AttestationObject {
  const map = readHead(bytes, 0);
  if (map.major !== MAP || map.argument !== 3) throw malformed();
  const members = new Map<string, Head>();
  let offset = map.end;
  for (let i = 0; i < map.argument; i++) {
    const label = readText(bytes, offset);
    if (members.has(label.value)) throw malformed();
    members.set(label.value, readHead(bytes, label.end));
    offset = endOfItem(bytes, label.end);
  }
  const format = members.get("fmt");
  const statement = members.get("attStmt");
  const data = members.get("authData");
  if (offset !== bytes.length || !format || !statement || !data) throw malformed();
  if (format.major !== TEXT_STRING || statement.major !== MAP || data.major !== BYTE_STRING) {
    throw malformed();
  }
  return {
    format: decodeUtf8(readString(bytes, format).value),
    hasStatement: statement.argument > 0,
    certificates: readCertificates(bytes, statement),
    authenticatorData: readString(bytes, data).value,
  };
}

function readCertificates(bytes: Uint8Array, statement: Head): Uint8Array[] {
  const certificates: Uint8Array[] = [];
  let offset = statement.end;
  for (let i = 0; i < statement.argument; i++) {
    const label = readText(bytes, offset);
    const { major, argument, end } = readHead(bytes, label.end);
    let next = end;
    for (let n = 0; label.value === "x5c" && major === ARRAY && n < argument; n++) {
      const { value, end } = readString(bytes, readBytes(bytes, next));
      certificates.push(value);
      next = end;
    }
    offset = endOfItem(bytes, label.end);
  }
  return certificates;
}

function readBytes(bytes: Uint8Array, start: number): Head {
  const head = readHead(bytes, start);
  if (head.major !== BYTE_STRING) throw malformed();
  return head;
}

/** A passkey that was made, and how. */
export type AttestedCredential = {
  credentialId: Uint8Array;
  /** A COSE key, in the bytes of the authenticator. */
  publicKey: Uint8Array;
  aaguid: Uint8Array;
  isUserPresent: boolean;
};

/** Reads the passkey from authenticator data (WebAuthn L2, 6.1 and 6.5.1). */
export function readAttestedCredential(authenticatorData: Uint8Array): AttestedCredential {
  const flags = authenticatorData[32] ?? 0;
  if (authenticatorData.length < 55 || (flags & ATTESTED_CREDENTIAL) === 0) throw malformed();
  const view = new DataView(authenticatorData.buffer, authenticatorData.byteOffset);
  const keyStart = 55 + view.getUint16(53);
  if (keyStart === 55 || keyStart >= authenticatorData.length) throw malformed();
  const keyEnd = endOfItem(authenticatorData, keyStart);
  const hasExtensions = (flags & EXTENSIONS) !== 0;
  if (hasExtensions && readHead(authenticatorData, keyEnd).major !== MAP) throw malformed();
  const end = hasExtensions ? endOfItem(authenticatorData, keyEnd) : keyEnd;
  if (end !== authenticatorData.length) throw malformed();
  const publicKey = authenticatorData.slice(keyStart, keyEnd);
  decodeCoseKey(publicKey);
  return {
    credentialId: authenticatorData.slice(55, keyStart),
    publicKey,
    aaguid: authenticatorData.slice(37, 53),
    isUserPresent: isUserPresent(authenticatorData),
  };
}

function readText(bytes: Uint8Array, start: number): { value: string; end: number } {
  const head = readHead(bytes, start);
  if (head.major !== TEXT_STRING) throw malformed();
  const { value, end } = readString(bytes, head);
  return { value: decodeUtf8(value), end };
}

function malformed(): Error {
  return new Error("malformed attestation");
}

const ATTESTED_CREDENTIAL = 0x40;
const EXTENSIONS = 0x80;
