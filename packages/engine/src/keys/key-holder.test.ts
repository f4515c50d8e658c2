import { addressEncodings } from "@keyhearth/crypto/addresses/formats";
import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { derivePrivateKey } from "@keyhearth/crypto/keys/derive";
import { publicKeyOf } from "@keyhearth/crypto/keys/keys";
import { randomBytes } from "@keyhearth/crypto/primitives";
import { secretBytes } from "@keyhearth/crypto/secret-bytes";
import { expect, test } from "vitest";
import {
  createTestCore,
  documentWith,
  newPerson,
  testOrganizationId as organizationId,
  userOf,
} from "../core/core.testing.ts";
import type { Answer } from "../core/protocol.ts";
import { frozenKeyring } from "../records/frozen.testing.ts";
import type { OrganizationDocument, Policy } from "../records/organization.ts";
import { type PrivateKey, privateKey as privateKeyKind } from "../records/private-key.ts";
import { type Wallet, wallet as walletKind } from "../records/wallet.ts";
import { type WalletAccount, walletAccount } from "../records/wallet-account.ts";
import { notarizeRecord } from "../records/write.ts";
import { type SealedOwner, seal } from "../vault/seal.ts";

// One key twice: as an account of a wallet, and as a private key.

const walletId = "7c2e3d4f-8b65-4b9f-9a6f-1e2b3c4d5e6f";
const privateKeyId = "8d3f4e5a-9c76-4ca0-8b70-2f3c4d5e6f70";
const seed = new Uint8Array(64).fill(7);
const curve = "CURVE_SECP256K1";
const path = "m/44'/60'/0'/0/0";
const key = derivePrivateKey({ seed, curve, path });
const publicKey = publicKeyOf(curve, key);
const address = addressEncodings.ADDRESS_FORMAT_ETHEREUM.encode(publicKey, curve);
const otherAddress = addressEncodings.ADDRESS_FORMAT_COMPRESSED.encode(publicKey, curve);
// The negative of a key has the other parity, and the same Taproot address.
const negative = encodeHex(publicKey).replace(/^0[23]/, (parity) =>
  parity === "02" ? "03" : "02",
);
const taprootAddress = addressEncodings.ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR.encode(
  publicKey,
  curve,
);

const times = { createdAtMs: 0, updatedAtMs: 0 };
const proof = {
  scheme: "SIGNATURE_SCHEME_EPHEMERAL_KEY_P256" as const,
  publicKey: "",
  proofPayload: "",
  signature: "",
};

function sealed(part: SealedOwner["part"], id: string, bytes: Uint8Array) {
  return seal(frozenKeyring, { organizationId, id, part }, secretBytes(bytes), randomBytes);
}

const wallet: Wallet = {
  walletId,
  mnemonicLength: 12,
  language: "ENGLISH",
  sealedPassphrase: null,
  sealedEntropy: sealed("entropy", walletId, new Uint8Array(16)),
  sealedSeed: sealed("seed", walletId, seed),
  createdAtMs: 0,
};

const account = (addressFormat: string, itsAddress: string): WalletAccount => ({
  walletAccountId: "c173829e-d0ba-4ae4-8fb4-637081920314",
  walletId,
  curve,
  pathFormat: "PATH_FORMAT_BIP32",
  path,
  addressFormat,
  address: itsAddress,
  publicKey: encodeHex(publicKey),
  name: null,
  proof,
  createdAtMs: 0,
  requestedAtMs: 0,
  documentVersion: 1,
});

const privateKey: PrivateKey = {
  privateKeyId,
  curve,
  publicKey: encodeHex(publicKey),
  addresses: [{ format: "ADDRESS_FORMAT_ETHEREUM", address, proof }],
  sealedKey: sealed("key", privateKeyId, key),
  createdAtMs: 0,
};

const place = (id: string) => ({ organizationId, id, version: 1 });
const records = {
  wallet: notarizeRecord(frozenKeyring, walletKind, place(walletId), wallet).bytes,
  account: notarizeRecord(
    frozenKeyring,
    walletAccount,
    place("c173829e-d0ba-4ae4-8fb4-637081920314"),
    account("ADDRESS_FORMAT_ETHEREUM", address),
  ).bytes,
  otherAccount: notarizeRecord(
    frozenKeyring,
    walletAccount,
    place("c173829e-d0ba-4ae4-8fb4-637081920314"),
    account("ADDRESS_FORMAT_COMPRESSED", otherAddress),
  ).bytes,
  taprootAccount: notarizeRecord(
    frozenKeyring,
    walletAccount,
    place("c173829e-d0ba-4ae4-8fb4-637081920314"),
    account("ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR", taprootAddress),
  ).bytes,
  privateKey: notarizeRecord(frozenKeyring, privateKeyKind, place(privateKeyId), privateKey).bytes,
};
type Name = keyof typeof records;

const root = newPerson();
const clerk = newPerson();

const policy = (policyName: string, effect: Policy["effect"], condition: string): Policy => ({
  policyId: policyName,
  policyName,
  effect,
  condition,
  consensus: null,
  time: null,
  notes: "",
  ...times,
});

const document = (change: Partial<OrganizationDocument> = {}) =>
  documentWith({
    users: [userOf(root), userOf(clerk)],
    rootQuorum: { threshold: 1, userIds: [root.userId] },
    wallets: [
      {
        walletId,
        walletName: "treasury",
        deletedAccounts: [],
        exported: true,
        imported: false,
        seedDigest: null,
        exportedAccountIds: [],
        ...times,
      },
    ],
    privateKeys: [
      {
        privateKeyId,
        privateKeyName: "imported",
        curve,
        publicKey: encodeHex(publicKey),
        privateKeyTags: ["b062718d-cfa9-4fd3-9ea3-526f70819203"],
        exported: false,
        imported: true,
        ...times,
      },
    ],
    ...change,
  });

const privateKeySigns = policy(
  "private key",
  "EFFECT_ALLOW",
  `private_key.id == '${privateKeyId}'`,
);
const walletSigns = policy("wallet", "EFFECT_ALLOW", `wallet.id == '${walletId}'`);

/** The clerk's signature with these records, and what the signer logged. */
function sign(
  given: OrganizationDocument,
  brought: Name[],
  signWith = address,
): { answer: Answer; logged: unknown[] } {
  const core = createTestCore();
  const parameters = {
    signWith,
    payload: "hello",
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_KECCAK256",
  };
  const body = core.bodyOf({ type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", parameters });
  const attachments = [core.notarized(given), ...brought.map((name) => records[name])];
  const answer = core.ask(clerk, { endpoint: "sign_raw_payload", body }, attachments);
  return { answer, logged: core.events.map(({ message }) => message) };
}

const everyOrder: Name[][] = [
  ["privateKey"],
  ["account", "wallet", "privateKey"],
  ["privateKey", "wallet", "account"],
  ["wallet", "privateKey"],
];

test.each(everyOrder)(
  "a key that is a private key too signs as the private key: %s %s %s",
  (...names) => {
    const brought = names.filter((name) => name !== undefined);
    expect(sign(document({ policies: [privateKeySigns] }), brought).answer.kind).toBe("proposal");
    expect(sign(document({ policies: [walletSigns] }), brought).answer).toMatchObject({
      kind: "error",
      error: { reason: "POLICY_DENIED" },
    });
    const deny = policy(
      "cold",
      "EFFECT_DENY",
      "private_key.tags.contains('b062718d-cfa9-4fd3-9ea3-526f70819203')",
    );
    expect(sign(document({ policies: [privateKeySigns, deny] }), brought).answer).toMatchObject({
      kind: "error",
      error: { reason: "POLICY_DENIED" },
    });
  },
);

test("a host that leaves out the private key does not get the account to sign", () => {
  for (const policies of [[walletSigns], [privateKeySigns], [walletSigns, privateKeySigns]]) {
    const { answer, logged } = sign(document({ policies }), ["account", "wallet"]);
    expect(answer).toMatchObject({ kind: "error", error: { reason: "RECORD_REFUSED" } });
    expect(logged).toEqual([`the host did not bring private key ${privateKeyId}`]);
  }
});

test("an account with another address of the key signs as the private key too", () => {
  const given = document({ policies: [walletSigns] });
  const all: Name[] = ["otherAccount", "wallet", "privateKey"];
  expect(sign(given, all, otherAddress).answer).toMatchObject({
    kind: "error",
    error: { reason: "POLICY_DENIED" },
  });
  expect(sign(given, ["otherAccount", "wallet"], otherAddress).answer).toMatchObject({
    kind: "error",
    error: { reason: "RECORD_REFUSED" },
  });
  const allowed = document({ policies: [privateKeySigns] });
  expect(sign(allowed, all, otherAddress).answer.kind).toBe("proposal");
});

test("a Taproot account whose negative key is a private key signs as the private key", () => {
  const [line] = document().privateKeys;
  const privateKeys = line ? [{ ...line, publicKey: negative }] : [];
  const left: Name[] = ["taprootAccount", "wallet"];
  for (const [brought, policies, expected] of [
    [left, [walletSigns], { error: { reason: "RECORD_REFUSED" } }],
    [[...left, "privateKey"], [walletSigns], { error: { reason: "POLICY_DENIED" } }],
    [[...left, "privateKey"], [privateKeySigns], { kind: "proposal" }],
  ] satisfies [Name[], Policy[], object][]) {
    const given = document({ policies, privateKeys });
    expect(sign(given, brought, taprootAddress).answer).toMatchObject(expected);
  }
  // Its addresses of other forms are not those of the negative.
  const given = document({ policies: [walletSigns], privateKeys });
  expect(sign(given, ["account", "wallet"]).answer.kind).toBe("proposal");
});

test("once the private key is deleted, the account signs, whatever the host brings", () => {
  for (const brought of [
    ["account", "wallet"],
    ["privateKey", "account", "wallet"],
  ] satisfies Name[][]) {
    const given = document({ policies: [walletSigns], privateKeys: [] });
    expect(sign(given, brought).answer.kind).toBe("proposal");
  }
});

test("a key of another curve with the same bytes is another key", () => {
  const [line] = document().privateKeys;
  const privateKeys = line ? [{ ...line, curve: "CURVE_P256" as const }] : [];
  const given = document({ policies: [walletSigns], privateKeys });
  expect(sign(given, ["account", "wallet"]).answer.kind).toBe("proposal");
});
