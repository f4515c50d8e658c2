import { randomBytes } from "node:crypto";
import { decodeHex, encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { generatePrivateKey, publicKeyOf, signP256Raw } from "@keyhearth/crypto/keys/keys";
import { createApiKeyStamper } from "@keyhearth/crypto/stamps/create-stamp";
import { peekVerificationToken } from "@keyhearth/crypto/tokens/verification-token";

/** Who can sign: an organization, a function that stamps for it and the addresses of its accounts. */
export type Signatory = {
  organizationId: string;
  stamp: Stamp;
  signWith: string;
  /** The address of its Ed25519 account, if it has one. */
  solana?: string;
  /** The email address of its user, if it has one. */
  email?: string;
  /** A wallet with ten accounts, if it has one. */
  walletId?: string;
};
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

/** What the service receives: the envelope with the parameters in it. */
function bodyOf(organizationId: string, type: string, parameters: object): string {
  return JSON.stringify({ type, timestampMs: String(Date.now()), organizationId, parameters });
}

export function signBody({ organizationId, signWith }: Omit<Signatory, "stamp">): string {
  return bodyOf(organizationId, "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", {
    signWith,
    payload: randomBytes(32).toString("hex"),
    encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
    hashFunction: "HASH_FUNCTION_NO_OP",
  });
}

/** Starts a session of fifteen minutes. */
export function loginBody(
  organizationId: string,
  { publicKey, invalidateExisting }: { publicKey: string; invalidateExisting: boolean },
): string {
  return bodyOf(organizationId, "ACTIVITY_TYPE_STAMP_LOGIN", { publicKey, invalidateExisting });
}

/** Starts such a session for the user of a verification token, which names `tokenKey`. */
export function otpLoginBody(
  organizationId: string,
  {
    verificationToken,
    tokenKey,
    publicKey,
  }: { verificationToken: string; tokenKey: ApiKey; publicKey: string },
): string {
  const tokenId = peekVerificationToken(verificationToken)?.id;
  const message = JSON.stringify({ login: { publicKey }, tokenId, type: "USAGE_TYPE_LOGIN" });
  const signature = signP256Raw(encodeUtf8(message), decodeHex(tokenKey.privateKey));
  return bodyOf(organizationId, "ACTIVITY_TYPE_OTP_LOGIN_V2", {
    verificationToken,
    publicKey,
    clientSignature: {
      publicKey: tokenKey.publicKey,
      scheme: "CLIENT_SIGNATURE_SCHEME_API_P256",
      message,
      signature: encodeHex(signature),
    },
  });
}

/** Signs a message with an Ed25519 key, which hashes it itself. */
export function ed25519Body({ organizationId, solana }: Omit<Signatory, "stamp">): string {
  if (solana === undefined) throw new Error("an organization without an Ed25519 account");
  return bodyOf(organizationId, "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", {
    signWith: solana,
    payload: randomBytes(32).toString("hex"),
    encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
    hashFunction: "HASH_FUNCTION_NOT_APPLICABLE",
  });
}

/** How many digests a batch has. */
export const BATCH = 100;

export function batchBody({ organizationId, signWith }: Omit<Signatory, "stamp">): string {
  return bodyOf(organizationId, "ACTIVITY_TYPE_SIGN_RAW_PAYLOADS", {
    signWith,
    payloads: Array.from({ length: BATCH }, () => randomBytes(32).toString("hex")),
    encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
    hashFunction: "HASH_FUNCTION_NO_OP",
  });
}

export function transactionBody(
  { organizationId, signWith }: Omit<Signatory, "stamp">,
  unsignedTransaction: string,
): string {
  return bodyOf(organizationId, "ACTIVITY_TYPE_SIGN_TRANSACTION_V2", {
    signWith,
    type: "TRANSACTION_TYPE_ETHEREUM",
    unsignedTransaction,
  });
}

/** A wallet with ten accounts, as an app with several chains derives them. */
export function walletBody({ organizationId }: Omit<Signatory, "stamp">): string {
  return bodyOf(organizationId, "ACTIVITY_TYPE_CREATE_WALLET", {
    walletName: `Bench ${randomBytes(8).toString("hex")}`,
    accounts: [0, 1, 2, 3, 4].flatMap((index) => [ethereum(index), solana(index)]),
  });
}

/** How many accounts such a wallet has. */
export const ACCOUNTS = 10;

/** Asks for its accounts. */
export function accountsBody({ organizationId, walletId }: Omit<Signatory, "stamp">): string {
  if (walletId === undefined) throw new Error("an organization without a wallet of ten accounts");
  return JSON.stringify({ organizationId, walletId });
}

function ethereum(index: number) {
  return {
    curve: "CURVE_SECP256K1",
    pathFormat: "PATH_FORMAT_BIP32",
    path: `m/44'/60'/0'/0/${index}`,
    addressFormat: "ADDRESS_FORMAT_ETHEREUM",
  };
}

function solana(index: number) {
  return {
    curve: "CURVE_ED25519",
    pathFormat: "PATH_FORMAT_BIP32",
    path: `m/44'/501'/${index}'/0'`,
    addressFormat: "ADDRESS_FORMAT_SOLANA",
  };
}

/**
 * One user with one API key and maybe an email address, and one wallet with an Ethereum account and
 * maybe a Solana account.
 */
export function subOrganizationBody(
  organizationId: string,
  publicKey: string,
  { withSolana = false, email }: { withSolana?: boolean; email?: string } = {},
): string {
  return bodyOf(organizationId, "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7", {
    subOrganizationName: `Bench ${publicKey.slice(2, 14)}`,
    rootUsers: [
      {
        userName: "Bench user",
        ...(email !== undefined && { userEmail: email }),
        apiKeys: [{ apiKeyName: "Bench key", publicKey, curveType: "API_KEY_CURVE_P256" }],
        authenticators: [],
        oauthProviders: [],
      },
    ],
    rootQuorumThreshold: 1,
    wallet: {
      walletName: "Bench wallet",
      accounts: [ethereum(0), ...(withSolana ? [solana(0)] : [])],
    },
  });
}

/** The bytes of a whole HTTP request. With `from`, a proxy says that it came from that address. */
export function httpRequest(path: string, body: string, stamp: string, from?: string): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    "Content-Type: application/json",
    `X-Stamp: ${stamp}`,
    ...(from === undefined ? [] : [`X-Forwarded-For: ${from}`]),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}

/** The same for a service that knows its callers by a token. */
export function tokenRequest(path: string, body: string, token: string): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    "Content-Type: application/json",
    `X-Vault-Token: ${token}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}
