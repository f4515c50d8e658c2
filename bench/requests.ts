import { randomBytes } from "node:crypto";
import { createApiKeyStamper } from "@keyhearth/crypto/create-stamp";
import { decodeHex, encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding";
import { generatePrivateKey, publicKeyOf } from "@keyhearth/crypto/keys";

/** Who can sign: an organization, a function that stamps for it and the address of its account. */
export type Signatory = { organizationId: string; stamp: Stamp; signWith: string };
export type Stamp = (body: string) => string;

export type SubOrganization = { stamp: Stamp; body: string };

export type ApiKey = { publicKey: string; privateKey: string };

export function newApiKey(): ApiKey {
  const privateKey = generatePrivateKey("CURVE_P256");
  const publicKey = encodeHex(publicKeyOf("CURVE_P256", privateKey));
  return { publicKey, privateKey: encodeHex(privateKey) };
}

/** A stamper that parses its key once. */
export function stamperOf(privateKey: string): Stamp {
  const stamp = createApiKeyStamper({
    privateKey: decodeHex(privateKey),
    scheme: "SIGNATURE_SCHEME_TK_API_P256",
  });
  return (body) => stamp(encodeUtf8(body));
}

export function signBody({ organizationId, signWith }: Omit<Signatory, "stamp">): string {
  return JSON.stringify({
    type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
    timestampMs: String(Date.now()),
    organizationId,
    parameters: {
      signWith,
      payload: randomBytes(32).toString("hex"),
      encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
      hashFunction: "HASH_FUNCTION_NO_OP",
    },
  });
}

/** One user with one API key and one wallet with one Ethereum account. */
export function subOrganizationBody(organizationId: string, publicKey: string): string {
  return JSON.stringify({
    type: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7",
    timestampMs: String(Date.now()),
    organizationId,
    parameters: {
      subOrganizationName: `Bench ${publicKey.slice(2, 14)}`,
      rootUsers: [
        {
          userName: "Bench user",
          apiKeys: [{ apiKeyName: "Bench key", publicKey, curveType: "API_KEY_CURVE_P256" }],
          authenticators: [],
          oauthProviders: [],
        },
      ],
      rootQuorumThreshold: 1,
      wallet: {
        walletName: "Bench wallet",
        accounts: [
          {
            curve: "CURVE_SECP256K1",
            pathFormat: "PATH_FORMAT_BIP32",
            path: "m/44'/60'/0'/0/0",
            addressFormat: "ADDRESS_FORMAT_ETHEREUM",
          },
        ],
      },
    },
  });
}

/** The bytes of a whole HTTP request. */
export function httpRequest(path: string, body: string, stamp: string): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    "Content-Type: application/json",
    `X-Stamp: ${stamp}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}
