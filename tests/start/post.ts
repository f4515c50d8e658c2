import { randomBytes } from "node:crypto";
import { ApiKeyStamper } from "@keyhearth/sdk";
import type { RootKey } from "./process.ts";

/** A submission before it is stamped. If it is sent again, it is the same activity. */
export type Submission = { endpoint: string; body: string };

export type Answer = { status: number; headers: Headers; json: Json };
// JSON of any shape; the assertions of a test say which shape it expects.
export type Json = { [member: string]: Json } & Json[] & string;

export function submission(
  { organizationId }: { organizationId: string },
  endpoint: string,
  type: string,
  parameters: object,
): Submission {
  const timestampMs = String(Date.now());
  return { endpoint, body: JSON.stringify({ type, timestampMs, organizationId, parameters }) };
}

export function signing(root: RootKey, signWith: string): Submission {
  return submission(root, "sign_raw_payload", "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", {
    signWith,
    payload: randomBytes(32).toString("hex"),
    encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
    hashFunction: "HASH_FUNCTION_NO_OP",
  });
}

export function newWallet(root: RootKey, walletName = randomBytes(8).toString("hex")): Submission {
  return submission(root, "create_wallet", "ACTIVITY_TYPE_CREATE_WALLET", {
    walletName,
    accounts: [account(0)],
  });
}

export function newAccount(root: RootKey, walletId: string, index: number): Submission {
  return submission(root, "create_wallet_accounts", "ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS", {
    walletId,
    accounts: [account(index)],
  });
}

/** One root user with this key, and a wallet with one account. */
export function newSubOrganization(root: RootKey, publicKey: string): Submission {
  return submission(root, "create_sub_organization", "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7", {
    subOrganizationName: "Sub-organization",
    rootUsers: [
      {
        userName: "Root user",
        apiKeys: [{ apiKeyName: "Key", publicKey, curveType: "API_KEY_CURVE_P256" }],
        authenticators: [],
        oauthProviders: [],
      },
    ],
    rootQuorumThreshold: 1,
    wallet: { walletName: "First", accounts: [account(0)] },
  });
}

function account(index: number) {
  return {
    curve: "CURVE_SECP256K1",
    pathFormat: "PATH_FORMAT_BIP32",
    path: `m/44'/60'/0'/0/${index}`,
    addressFormat: "ADDRESS_FORMAT_ETHEREUM",
  };
}

/** Posts once, without retries. */
export async function submit(
  service: { url: string },
  key: RootKey,
  { endpoint, body }: Submission,
): Promise<Answer> {
  return post(`${service.url}/public/v1/submit/${endpoint}`, body, key);
}

export async function query(
  service: { url: string },
  key: RootKey,
  endpoint: string,
  parameters: object = {},
): Promise<Answer> {
  const body = JSON.stringify({ organizationId: key.organizationId, ...parameters });
  return post(`${service.url}/public/v1/query/${endpoint}`, body, key);
}

export async function stampOf(body: string, { apiPublicKey, apiPrivateKey }: RootKey) {
  return new ApiKeyStamper({ apiPublicKey, apiPrivateKey }).stamp(body);
}

async function post(url: string, body: string, key: RootKey): Promise<Answer> {
  const { name, value } = await stampOf(body, key);
  const headers = { "Content-Type": "application/json", [name]: value };
  const response = await fetch(url, { method: "POST", headers, body });
  const text = await response.text();
  return { status: response.status, headers: response.headers, json: JSON.parse(text) };
}
