import type { TestClient, TestServer } from "@keyhearth/api/testing";
import { concatBytes, encodeBase64Url, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { encodeDerSignature } from "@keyhearth/crypto/encoding/der";
import {
  generatePrivateKey,
  publicKeyOf,
  signP256Raw,
  uncompressedPublicKey,
} from "@keyhearth/crypto/keys/keys";
import { randomBytes, sha256 } from "@keyhearth/crypto/primitives";
import { webAuthnChallenge } from "@keyhearth/crypto/webauthn/webauthn";
import { KeyhearthClient } from "@keyhearth/sdk";
import type { AuthenticatorParamsV2 } from "./fields/credentials.ts";

// An authenticator and the browser in front of it, in software.

export const testOrigin = "https://app.example.com";

/** What a page, a browser or an authenticator may do differently. */
export type Ceremony = {
  origin?: string;
  rpId?: string;
  type?: string;
  challenge?: string;
  flags?: number;
};

export type TestPasskey = {
  credentialId: string;
  privateKey: Uint8Array;
  publicKey: Uint8Array;
  coseKey: Uint8Array;
  /** What the authenticator returns at registration. */
  params: AuthenticatorParamsV2;
  /** The value of `X-Stamp-Webauthn`. */
  stamp(body: string, ceremony?: Ceremony): string;
};

const PRESENT = 0x01;
const ATTESTED = 0x40;

export function newPasskey(ceremony: Ceremony & { statement?: StatementMaker } = {}): TestPasskey {
  const privateKey = generatePrivateKey("CURVE_P256");
  const publicKey = publicKeyOf("CURVE_P256", privateKey);
  return passkeyOf({ privateKey, publicKey, id: randomBytes(16) }, ceremony);
}

/** Makes the format and the statement of an attestation, as CBOR. */
export type StatementMaker = (made: {
  authData: Uint8Array;
  clientDataHash: Uint8Array;
  privateKey: Uint8Array;
  publicKey: Uint8Array;
}) => { format: string; statement: Uint8Array };

const none: StatementMaker = () => ({ format: "none", statement: Uint8Array.of(0xa0) });

export function passkeyOf(
  { privateKey, publicKey, id }: { privateKey: Uint8Array; publicKey: Uint8Array; id: Uint8Array },
  {
    flags = PRESENT | ATTESTED,
    statement = none,
    challenge = encodeBase64Url(randomBytes(32)),
    ...ceremony
  }: Ceremony & { statement?: StatementMaker } = {},
): TestPasskey {
  const point = uncompressedPublicKey("CURVE_P256", publicKey);
  const coseKey = concatBytes(
    Uint8Array.of(0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32),
    point.subarray(1, 33),
    Uint8Array.of(0x22, 0x58, 32),
    point.subarray(33),
  );
  const credentialId = encodeBase64Url(id);
  const clientData = clientDataOf({ type: "webauthn.create", ...ceremony, challenge });
  const authData = concatBytes(
    headOf({ ...ceremony, flags }),
    new Uint8Array(16),
    Uint8Array.of(id.length >> 8, id.length & 255),
    id,
    coseKey,
  );
  const clientDataHash = sha256(clientData);
  const made = statement({ authData, clientDataHash, privateKey, publicKey });
  const object = concatBytes(
    Uint8Array.of(0xa3),
    cborText("fmt"),
    cborText(made.format),
    cborText("attStmt"),
    made.statement,
    cborText("authData"),
    cborBytes(authData),
  );
  return {
    credentialId,
    privateKey,
    publicKey,
    coseKey,
    params: {
      authenticatorName: "phone",
      challenge,
      attestation: {
        credentialId,
        clientDataJson: encodeBase64Url(clientData),
        attestationObject: encodeBase64Url(object),
        transports: ["AUTHENTICATOR_TRANSPORT_INTERNAL"],
      },
    },
    stamp: (body, asserted = {}) => stampOf({ privateKey, credentialId }, body, asserted),
  };
}

function stampOf(
  { privateKey, credentialId }: Pick<TestPasskey, "privateKey" | "credentialId">,
  body: string,
  ceremony: Ceremony,
): string {
  const challenge = encodeBase64Url(webAuthnChallenge(encodeUtf8(body)));
  const clientData = clientDataOf({ type: "webauthn.get", challenge, ...ceremony });
  const authenticatorData = headOf({ flags: PRESENT, ...ceremony });
  const signed = concatBytes(authenticatorData, sha256(clientData));
  return JSON.stringify({
    authenticatorData: encodeBase64Url(authenticatorData),
    clientDataJson: encodeBase64Url(clientData),
    credentialId,
    signature: encodeBase64Url(encodeDerSignature(signP256Raw(signed, privateKey))),
  });
}

function clientDataOf({ type, challenge, origin = testOrigin }: Ceremony): Uint8Array {
  return encodeUtf8(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

/** The hash of the relying party's id, the flags and a counter that stays 0, as synced passkeys have. */
function headOf({ rpId = "example.com", flags = 0 }: Ceremony): Uint8Array {
  return concatBytes(sha256(encodeUtf8(rpId)), Uint8Array.of(flags, 0, 0, 0, 0));
}

export function cborText(value: string): Uint8Array {
  return cborString(0x60, encodeUtf8(value));
}

export function cborBytes(value: Uint8Array): Uint8Array {
  return cborString(0x40, value);
}

function cborString(major: number, value: Uint8Array): Uint8Array {
  const { length } = value;
  const head =
    length < 24
      ? [major + length]
      : length < 256
        ? [major + 24, length]
        : [major + 25, length >> 8, length & 255];
  return concatBytes(Uint8Array.from(head), value);
}

/** A client that stamps with a passkey. */
export function passkeyClientOf(
  { fetch }: TestServer,
  organizationId: string,
  passkey: TestPasskey,
  ceremony?: Ceremony,
): TestClient {
  return new KeyhearthClient({
    baseUrl: "http://keyhearth.test",
    organizationId,
    stamper: {
      stamp: async (body) => ({ name: "X-Stamp-Webauthn", value: passkey.stamp(body, ceremony) }),
    },
    fetch,
  });
}

/** The same passkey in the oldest form, as a browser returns it. */
export function browserParams({ params }: TestPasskey, userId: string) {
  const { authenticatorName, challenge, attestation } = params;
  const { credentialId, transports, ...response } = attestation;
  return {
    authenticatorName,
    userId,
    challenge,
    attestation: {
      id: credentialId,
      rawId: credentialId,
      type: "public-key" as const,
      response: { ...response, transports },
      clientExtensionResults: {},
    },
  };
}
