import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
} from "node:crypto";
import { concatBytes, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { encodeDerSignature } from "@keyhearth/crypto/encoding/der";
import { signP256Raw, uncompressedPublicKey } from "@keyhearth/crypto/keys/keys";
import { cborBytes, cborText, type StatementMaker } from "./passkey.testing.ts";

// Attestation statements and the certificates in them, as authenticators make them.

/** `packed`, signed by the passkey itself. */
export const packedSelf: StatementMaker = ({ authData, clientDataHash, privateKey }) => ({
  format: "packed",
  statement: mapOf([
    ["alg", ES256],
    ["sig", cborBytes(signedBy(privateKey, concatBytes(authData, clientDataHash)))],
  ]),
});

/** `packed`, signed by a key with a certificate of its maker. */
export const packedFull: StatementMaker = ({ authData, clientDataHash }) => {
  const { privateKey, publicKey } = newKeyPair();
  const signed = concatBytes(authData, clientDataHash);
  return {
    format: "packed",
    statement: mapOf([
      ["alg", ES256],
      ["sig", cborBytes(Uint8Array.from(sign("sha256", signed, privateKey)))],
      ["x5c", arrayOf([certificate({ publicKey, issuedBy: privateKey })])],
    ]),
  };
};

/** The same with an RSA key whose exponents have changed places: verifying takes as long as signing. */
export const packedCostly: StatementMaker = ({ authData, clientDataHash }) => {
  const made = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  const { e, d, ...others } = made.export({ format: "jwk" });
  const key = { ...others, e: d, d: e, dp: e, dq: e } as JsonWebKey;
  const privateKey = createPrivateKey({ key, format: "jwk" });
  const publicKey = createPublicKey(privateKey).export({ format: "der", type: "spki" });
  const signed = concatBytes(authData, clientDataHash);
  const [issuedBy, known] = [newKeyPair().privateKey, Uint8Array.from(publicKey)];
  return {
    format: "packed",
    statement: mapOf([
      ["alg", RS256],
      ["sig", cborBytes(Uint8Array.from(sign("sha256", signed, privateKey)))],
      ["x5c", arrayOf([certificate({ publicKey: known, issuedBy })])],
    ]),
  };
};

/** `fido-u2f`, as security keys of the first generation make it. */
export const fidoU2f: StatementMaker = ({ authData, clientDataHash, publicKey: made }) => {
  const { privateKey, publicKey } = newKeyPair();
  const idLength = (authData[53] as number) * 256 + (authData[54] as number);
  const signed = concatBytes(
    Uint8Array.of(0),
    authData.subarray(0, 32),
    clientDataHash,
    authData.subarray(55, 55 + idLength),
    uncompressedPublicKey("CURVE_P256", made),
  );
  return {
    format: "fido-u2f",
    statement: mapOf([
      ["sig", cborBytes(Uint8Array.from(sign("sha256", signed, privateKey)))],
      ["x5c", arrayOf([certificate({ publicKey, issuedBy: privateKey })])],
    ]),
  };
};

/**
 * `android-key`, of somebody who has only the passkey: the certificates are their own, and name an
 * address where revoked certificates would be listed.
 */
export function androidKeyOf(revocationUrl: string): StatementMaker {
  return ({ authData, clientDataHash, privateKey, publicKey: made }) => {
    const root = newKeyPair();
    const leafKey = concatBytes(P256_SPKI, uncompressedPublicKey("CURVE_P256", made));
    const description = sequence(
      integer(3),
      der(0x0a, Uint8Array.of(1)),
      integer(4),
      der(0x0a, Uint8Array.of(1)),
      der(0x04, clientDataHash),
      der(0x04, new Uint8Array(0)),
      sequence(),
      sequence(),
    );
    const names = { issuer: "root", revocationUrl, issuedBy: root.privateKey };
    const leaf = certificate({
      ...names,
      subject: "leaf",
      publicKey: leafKey,
      extensions: [extension("1.3.6.1.4.1.11129.2.1.17", description)],
    });
    const rootCertificate = certificate({ ...names, subject: "root", publicKey: root.publicKey });
    return {
      format: "android-key",
      statement: mapOf([
        ["alg", ES256],
        ["sig", cborBytes(signedBy(privateKey, concatBytes(authData, clientDataHash)))],
        ["x5c", arrayOf([leaf, rootCertificate])],
      ]),
    };
  };
}

/** `apple`, of somebody with a certificate of their own. */
export const appleSelf: StatementMaker = () => {
  const { privateKey, publicKey } = newKeyPair();
  return {
    format: "apple",
    statement: mapOf([["x5c", arrayOf([certificate({ publicKey, issuedBy: privateKey })])]]),
  };
};

export function mapOf(members: [string, Uint8Array][]): Uint8Array {
  const parts = members.flatMap(([name, value]) => [cborText(name), value]);
  return concatBytes(Uint8Array.of(0xa0 + members.length), ...parts);
}

function arrayOf(elements: Uint8Array[]): Uint8Array {
  return concatBytes(Uint8Array.of(0x80 + elements.length), ...elements.map(cborBytes));
}

const ES256 = Uint8Array.of(0x26);
const RS256 = Uint8Array.of(0x39, 0x01, 0x00);

function signedBy(privateKey: Uint8Array, message: Uint8Array): Uint8Array {
  return encodeDerSignature(signP256Raw(message, privateKey));
}

function newKeyPair(): { privateKey: KeyObject; publicKey: Uint8Array } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    privateKey,
    publicKey: Uint8Array.from(publicKey.export({ format: "der", type: "spki" })),
  };
}

/** An X.509 certificate (RFC 5280) with the subject that `packed` needs. */
function certificate({
  publicKey,
  issuedBy,
  subject = "authenticator",
  issuer = subject,
  revocationUrl,
  extensions = [],
}: {
  publicKey: Uint8Array;
  issuedBy: KeyObject;
  subject?: string;
  issuer?: string;
  revocationUrl?: string;
  extensions?: Uint8Array[];
}): Uint8Array {
  const algorithm = sequence(oid("1.2.840.10045.4.3.2"));
  const revocation = revocationUrl === undefined ? [] : [crlExtension(revocationUrl)];
  const signed = sequence(
    der(0xa0, integer(2)),
    integer(1),
    algorithm,
    nameOf(issuer),
    sequence(utcTime("200101000000Z"), utcTime("491231235959Z")),
    nameOf(subject),
    publicKey,
    der(0xa3, sequence(extension("2.5.29.19", sequence()), ...revocation, ...extensions)),
  );
  const signature = Uint8Array.from(sign("sha256", signed, issuedBy));
  return sequence(signed, algorithm, der(0x03, Uint8Array.of(0), signature));
}

function nameOf(commonName: string): Uint8Array {
  const part = (id: string, value: string, tag = 0x0c) =>
    der(0x31, sequence(oid(id), der(tag, encodeUtf8(value))));
  return sequence(
    part("2.5.4.6", "SE", 0x13),
    part("2.5.4.10", "Example"),
    part("2.5.4.11", "Authenticator Attestation"),
    part("2.5.4.3", commonName),
  );
}

function crlExtension(url: string): Uint8Array {
  const name = der(0xa0, der(0xa0, der(0x86, encodeUtf8(url))));
  return extension("2.5.29.31", sequence(sequence(name)));
}

function extension(id: string, value: Uint8Array): Uint8Array {
  return sequence(oid(id), der(0x04, value));
}

function sequence(...parts: Uint8Array[]): Uint8Array {
  return der(0x30, ...parts);
}

function integer(value: number): Uint8Array {
  return der(0x02, Uint8Array.of(value));
}

function utcTime(value: string): Uint8Array {
  return der(0x17, encodeUtf8(value));
}

function oid(text: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number);
  const bytes = rest.flatMap((part) => {
    const digits = [part & 127];
    for (let left = part >> 7; left > 0; left >>= 7) digits.unshift((left & 127) | 128);
    return digits;
  });
  return der(0x06, Uint8Array.of(40 * first + second, ...bytes));
}

function der(tag: number, ...parts: Uint8Array[]): Uint8Array {
  const value = concatBytes(...parts);
  const { length } = value;
  const size =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return concatBytes(Uint8Array.of(tag, ...size), value);
}

const P256_SPKI = Uint8Array.from(
  Buffer.from("3059301306072a8648ce3d020106082a8648ce3d030107034200", "hex"),
);
