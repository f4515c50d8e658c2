import { createHash } from "node:crypto";
import { decodeBase64Url, encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { publicKeyOf, signP256Raw } from "@keyhearth/crypto/keys/keys";
import { createApiKeyStamper } from "@keyhearth/crypto/stamps/create-stamp";
import { createInvitationProof } from "@keyhearth/crypto/tokens/invitation";
import { peekVerificationToken } from "@keyhearth/crypto/tokens/verification-token";
import { passkeyOf, type TestPasskey } from "@keyhearth/engine/passkey.testing";
import { clausesOf } from "./policies.ts";
import { kindOf } from "./promise.ts";
import type { Ask } from "./state.ts";

// How the requests of plans look as stamped bytes.

/** The keys that people have in plans: always the same ones, because making them takes longest. */
export const KEYS = Array.from({ length: 20 }, (_, index) => `k${index}`);

type Pair = { publicKey: string; stamp(body: Uint8Array): string };

const pairs = new Map<string, Pair>(KEYS.map((name) => [name, pairOf(name)]));
const names = new Map([...pairs].map(([name, { publicKey }]) => [publicKey, name]));

function privateKeyNamed(name: string): Uint8Array {
  return createHash("sha256").update(`key ${name} of the model`).digest();
}

function pairOf(name: string): Pair {
  const privateKey = privateKeyNamed(name);
  return {
    publicKey: encodeHex(publicKeyOf("CURVE_P256", privateKey)),
    stamp: createApiKeyStamper({ privateKey, scheme: "SIGNATURE_SCHEME_TK_API_P256" }),
  };
}

/** The passkeys of people who are invited. */
export const PASSKEYS = ["p0", "p1", "p2", "p3"];

const passkeys = new Map(
  PASSKEYS.map((name): [string, TestPasskey] => {
    const hash = (what: string) =>
      createHash("sha256").update(`${what} ${name} of the model`).digest();
    const privateKey = hash("passkey");
    const publicKey = publicKeyOf("CURVE_P256", privateKey);
    const challenge = hash("challenge").toString("base64url");
    return [
      name,
      passkeyOf({ privateKey, publicKey, id: hash("id").subarray(0, 16) }, { challenge }),
    ];
  }),
);
for (const [name, { credentialId }] of passkeys) names.set(credentialId, name);

function passkeyNamed(name: string): TestPasskey {
  const passkey = passkeys.get(name);
  if (!passkey) throw new Error(`no passkey ${name}`);
  return passkey;
}

/** Or the id of a passkey. */
export function publicKeyNamed(name: string): string {
  return pairs.get(name)?.publicKey ?? passkeyNamed(name).credentialId;
}

export function nameOfKey(publicKey: string): string {
  return names.get(publicKey) ?? publicKey;
}

/** Signatures of API keys have random nonces. Nothing that the core decides depends on them. */
export function stampOf(name: string, body: string): { name: string; value: string } {
  if (PASSKEYS.includes(name)) {
    const value = once(`${name} stamps ${body}`, () => passkeyNamed(name).stamp(body));
    return { name: "X-Stamp-Webauthn", value };
  }
  const pair = pairs.get(name);
  if (!pair) throw new Error(`no key ${name}`);
  return { name: "X-Stamp", value: pair.stamp(encodeUtf8(body)) };
}

const made = new Map<string, string>();

/** Signatures without random nonces take longest, and are the same each time. */
function once(name: string, make: () => string): string {
  const known = made.get(name);
  if (known !== undefined) return known;
  if (made.size >= 1000) made.clear();
  const value = make();
  made.set(name, value);
  return value;
}

/** A key to which clients have things encrypted: nobody decrypts them here. */
const TARGET_KEY =
  "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5";

export function bodyOf(
  { kind, args, timestampMs }: Omit<Ask, "fingerprint">,
  organizationId: string,
  addressOf: (accountId: string) => string | undefined,
): string {
  const type =
    kind in votes ? votes[kind as keyof typeof votes] : `ACTIVITY_TYPE_${kindOf({ kind }).type}`;
  return JSON.stringify({
    type,
    timestampMs: String(timestampMs),
    organizationId,
    parameters: parametersOf(kind, args, { organizationId, addressOf }),
  });
}

export const votes = {
  approve_activity: "ACTIVITY_TYPE_APPROVE_ACTIVITY",
  reject_activity: "ACTIVITY_TYPE_REJECT_ACTIVITY",
} as const;

function parametersOf(
  kind: string,
  { id = "", name, userId, key, path = "", seconds, endsOthers, ...args }: Ask["args"],
  { organizationId, addressOf }: Pick<Addresses, "organizationId" | "addressOf">,
): object {
  const isPasskey = key !== undefined && PASSKEYS.includes(key);
  const publicKey = key === undefined || isPasskey ? undefined : publicKeyNamed(key);
  const expirationSeconds = seconds === undefined ? undefined : String(seconds);
  const apiKey = { apiKeyName: "key", publicKey, curveType: "API_KEY_CURVE_P256" };
  const account = { ...ACCOUNT, path };
  switch (kind) {
    case "approve_activity":
    case "reject_activity":
      return { fingerprint: args.fingerprint };
    case "create_user_tag":
      return { userTagName: name, userIds: [] };
    case "delete_user_tags":
      return { userTagIds: [id] };
    case "create_policy": {
      if (!args.policy) throw new Error("no policy");
      const { condition, consensus, time } = clausesOf(args.policy);
      return {
        policyName: args.policy.name,
        effect: `EFFECT_${args.policy.effect}`,
        notes: "",
        ...(condition !== null && { condition }),
        ...(consensus !== null && { consensus }),
        ...(time !== null && { time }),
      };
    }
    case "delete_policy":
      return { policyId: id };
    case "update_root_quorum":
      return { threshold: args.threshold, userIds: args.userIds };
    case "create_users":
      return {
        users: [
          {
            userName: name,
            apiKeys: [apiKey],
            authenticators: [],
            oauthProviders: [],
            userTags: [],
          },
        ],
      };
    case "delete_users":
      return { userIds: [id] };
    case "update_user_name":
      return { userId: id, userName: name };
    case "create_api_keys":
      return { userId, apiKeys: [{ ...apiKey, expirationSeconds }] };
    case "delete_api_keys":
      return { userId, apiKeyIds: [id] };
    case "log_out_everywhere":
      return { userId };
    case "stamp_login":
      return { publicKey, expirationSeconds, invalidateExisting: endsOthers };
    case "create_read_write_session":
      return {
        targetPublicKey: TARGET_KEY,
        expirationSeconds,
        invalidateExisting: endsOthers,
        userId,
      };
    case "create_private_keys":
      return {
        privateKeys: [
          { privateKeyName: name, curve: "CURVE_P256", privateKeyTags: [], addressFormats: [] },
        ],
      };
    case "delete_private_keys":
      return { privateKeyIds: [id], deleteWithoutExport: true };
    case "export_private_key":
      return { privateKeyId: id, targetPublicKey: TARGET_KEY };
    case "sign_raw_payload":
      return {
        signWith: addressOf(id) ?? id,
        payload: "00".repeat(32),
        encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
        hashFunction: "HASH_FUNCTION_NO_OP",
      };
    case "create_wallet":
      return { walletName: name, accounts: path ? [account] : [] };
    case "delete_wallets":
      return { walletIds: [id], deleteWithoutExport: true };
    case "create_wallet_accounts":
      return { walletId: id, accounts: [account] };
    case "delete_wallet_accounts":
      return { walletAccountIds: [id], deleteWithoutExport: true };
    case "update_user_email":
      return { userId, userEmail: args.email, verificationToken: args.token };
    case "init_otp": {
      const otpType = "OTP_TYPE_EMAIL";
      // Of the shortest, each wrong one counts as one.
      const form = { otpLength: 6, alphanumeric: false };
      return { otpType, contact: args.email, appName: "Model", ...form, expirationSeconds: "600" };
    }
    case "verify_otp":
      return { otpId: id, otpCode: args.code, publicKey };
    case "otp_login":
      return {
        verificationToken: args.token,
        publicKey,
        expirationSeconds,
        invalidateExisting: endsOthers,
        clientSignature: signatureOf(
          args.signedBy ?? "",
          args.token ?? "",
          args.signedFor === undefined ? (publicKey ?? "") : publicKeyNamed(args.signedFor),
        ),
      };
    case "create_invitations": {
      const receiver = { receiverUserName: name, receiverUserEmail: args.email };
      const rest = { receiverUserTags: [], accessType: "ACCESS_TYPE_ALL", senderUserId: userId };
      return { invitations: [{ ...receiver, ...rest }] };
    }
    case "delete_invitation":
      return { invitationId: id };
    case "accept_invitation":
      return {
        invitationId: id,
        userId,
        authenticator: passkeyNamed(key ?? "").params,
        tokenProof: createInvitationProof({
          token: decodeBase64Url(args.proof?.token ?? ""),
          organizationId,
          invitationId: id,
          attestationObject: passkeyNamed(args.proof?.key ?? "").params.attestation
            .attestationObject,
        }),
      };
    case "create_sub_organization":
      return {
        subOrganizationName: name,
        rootQuorumThreshold: 1,
        rootUsers: [{ userName: name, apiKeys: [apiKey], authenticators: [], oauthProviders: [] }],
      };
    case "delete_sub_organization":
      return { deleteWithoutExport: true };
    case "delete_organization":
      return { organizationId, deleteWithoutExport: true };
    default:
      throw new Error(`no parameters of ${kind}`);
  }
}

type Addresses = {
  organizationId: string;
  addressOf: (accountId: string) => string | undefined;
};

/** By the key that a verification token names: what its holder wants to log in with. */
function signatureOf(signer: string, token: string, publicKey: string) {
  const { id: tokenId = "" } = peekVerificationToken(token) ?? {};
  const message = JSON.stringify({ login: { publicKey }, tokenId, type: "USAGE_TYPE_LOGIN" });
  const signature = once(`${signer} signs ${message}`, () =>
    encodeHex(signP256Raw(encodeUtf8(message), privateKeyNamed(signer))),
  );
  const scheme = "CLIENT_SIGNATURE_SCHEME_API_P256";
  return { publicKey: publicKeyNamed(signer), scheme, message, signature };
}

const ACCOUNT = {
  curve: "CURVE_SECP256K1",
  pathFormat: "PATH_FORMAT_BIP32",
  addressFormat: "ADDRESS_FORMAT_ETHEREUM",
};
