// What the adapter for CosmJS signs is verified by CosmJS, as a node verifies it.

import {
  encodeSecp256k1Pubkey,
  makeSignDoc as makeAminoSignDoc,
  type OfflineAminoSigner,
  pubkeyToAddress,
  serializeSignDoc,
} from "@cosmjs/amino";
import { Secp256k1, Secp256k1Signature, sha256 } from "@cosmjs/crypto";
import { fromBase64, toHex } from "@cosmjs/encoding";
import {
  isOfflineDirectSigner,
  makeAuthInfoBytes,
  makeSignBytes,
  makeSignDoc,
  type OfflineDirectSigner,
} from "@cosmjs/proto-signing";
import { newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { addUser } from "@keyhearth/engine/organization.testing";
import type { KeyhearthClient } from "@keyhearth/sdk";
import { createCosmosAminoSigner, createCosmosDirectSigner } from "@keyhearth/sdk/cosmjs";
import { beforeAll, expect, test } from "vitest";
import { tampering } from "./tampering.ts";

let organization: TestOrganization;
let client: KeyhearthClient;
let walletId: string;
const path = "m/44'/118'/0'/0/0";
const hexPath = "m/44'/118'/1'/0/0";
let address: string;
let publicKey: string;

beforeAll(async () => {
  organization = await newOrganization();
  client = organization.root;
  const account = { curve: "CURVE_SECP256K1", pathFormat: "PATH_FORMAT_BIP32" } as const;
  const made = await client.createWallet({
    walletName: "validators",
    accounts: [
      { ...account, path, addressFormat: "ADDRESS_FORMAT_COSMOS" },
      { ...account, path: hexPath, addressFormat: "ADDRESS_FORMAT_COMPRESSED" },
      { ...account, path: "m/44'/60'/0'/0/0", addressFormat: "ADDRESS_FORMAT_ETHEREUM" },
      { ...account, path: "m/44'/118'/2'/0/0", addressFormat: "ADDRESS_FORMAT_SEI" },
    ],
  });
  walletId = made.walletId;
  address = made.addresses[0] ?? "";
  const found = await client.getWalletAccount({ walletId, path });
  publicKey = found.account.publicKey ?? "";
});

const fee = { amount: [{ denom: "uatom", amount: "2000" }], gas: "200000" };
const invalid = (field: string) => ({ name: "InvalidField", field });

function directDocument(pubkey: Uint8Array) {
  const key = { typeUrl: "/cosmos.crypto.secp256k1.PubKey", value: pubkey };
  const signers = [{ pubkey: key, sequence: 0n }];
  const authInfo = makeAuthInfoBytes(signers, fee.amount, 200_000, undefined, undefined);
  return makeSignDoc(Uint8Array.of(10, 2, 8, 1), authInfo, "cosmoshub-4", 7);
}

function aminoDocument(memo = "sent by a test, für €1") {
  const payment = {
    type: "cosmos-sdk/MsgSend",
    value: { from_address: address, to_address: address, amount: fee.amount },
  };
  return makeAminoSignDoc([payment], fee, "cosmoshub-4", memo, 7, 0);
}

async function signDirect(signer: OfflineDirectSigner) {
  const [account] = await signer.getAccounts();
  if (!account) throw new Error("a signer without an account");
  const signDoc = directDocument(account.pubkey);
  const answer = await signer.signDirect(account.address, signDoc);
  expect(answer.signed).toEqual(signDoc);
  await expectValid(account.pubkey, makeSignBytes(answer.signed), answer.signature);
  return account;
}

async function signAmino(signer: OfflineAminoSigner) {
  const [account] = await signer.getAccounts();
  if (!account) throw new Error("a signer without an account");
  const signDoc = aminoDocument();
  const answer = await signer.signAmino(account.address, signDoc);
  expect(answer.signed).toEqual(signDoc);
  await expectValid(account.pubkey, serializeSignDoc(answer.signed), answer.signature);
  return account;
}

async function expectValid(
  pubkey: Uint8Array,
  bytes: Uint8Array,
  { pub_key, signature }: { pub_key: { value: unknown }; signature: string },
) {
  expect(pub_key).toEqual(encodeSecp256k1Pubkey(pubkey));
  expect(fromBase64(signature)).toHaveLength(64);
  const parsed = Secp256k1Signature.fromFixedLength(fromBase64(signature));
  expect(await Secp256k1.verifySignature(parsed, sha256(bytes), pubkey)).toBe(true);
  const digest = sha256(bytes);
  expect(await Secp256k1.verifySignature(parsed, sha256(digest), pubkey)).toBe(false);
}

test("a direct signer has every member of its interface, and signs", async () => {
  const signer = await createCosmosDirectSigner(client, { walletId, path });
  expect(Object.keys(signer).sort()).toEqual(["getAccounts", "signDirect"]);
  expect(isOfflineDirectSigner(signer)).toBe(true);
  expect(Object.isFrozen(signer)).toBe(true);
  const account = await signDirect(signer);
  expect(account).toEqual({ address, algo: "secp256k1", pubkey: expect.any(Uint8Array) });
  expect(toHex(account.pubkey)).toBe(publicKey);
});

test("an amino signer has every member of its interface, and signs", async () => {
  const signer = await createCosmosAminoSigner(client, { walletId, address });
  expect(Object.keys(signer).sort()).toEqual(["getAccounts", "signAmino"]);
  expect(isOfflineDirectSigner(signer)).toBe(false);
  expect((await signAmino(signer)).address).toBe(address);
});

test("the approvers of an amino document see its JSON", async () => {
  const signer = await createCosmosAminoSigner(client, { walletId, path });
  await signer.signAmino(address, aminoDocument("<look> & see"));
  const { activities } = await client.listActivities({ paginationOptions: { limit: "1" } });
  const { payload = "" } = activities[0]?.intent.signRawPayloadIntentV2 ?? {};
  expect(JSON.parse(payload)).toMatchObject({ memo: "<look> & see", chain_id: "cosmoshub-4" });
});

test.each(["osmo", "juno", "akash", "stars1"])(
  "accounts of the chain with the prefix %s",
  async (prefix) => {
    for (const source of [
      { walletId, path },
      { walletId, path: hexPath },
    ]) {
      const options = { ...source, prefix };
      const account = await signDirect(await createCosmosDirectSigner(client, options));
      expect(account.address).toBe(pubkeyToAddress(encodeSecp256k1Pubkey(account.pubkey), prefix));
      await signAmino(await createCosmosAminoSigner(client, options));
    }
  },
);

test("without a prefix, it is that of the account's own address, or cosmos", async () => {
  const sei = await createCosmosDirectSigner(client, { walletId, path: "m/44'/118'/2'/0/0" });
  expect((await signDirect(sei)).address).toMatch(/^sei1/);
  const hex = await createCosmosDirectSigner(client, { walletId, path: hexPath });
  expect((await signDirect(hex)).address).toMatch(/^cosmos1/);
});

test("a private key by its id, and a key that is given, are not looked up in wallets", async () => {
  const { privateKeys } = await client.createPrivateKeys({
    privateKeys: [
      {
        privateKeyName: "cold",
        curve: "CURVE_SECP256K1",
        privateKeyTags: [],
        addressFormats: ["ADDRESS_FORMAT_ETHEREUM", "ADDRESS_FORMAT_COSMOS"],
      },
    ],
  });
  const privateKeyId = privateKeys[0]?.privateKeyId ?? "";
  const byId = await createCosmosDirectSigner(client, { privateKeyId });
  const account = await signDirect(byId);
  expect(privateKeys[0]?.addresses?.map((each) => each.address)).toContain(account.address);
  const asked: string[] = [];
  const connection = tampering(organization, (answer, at) => {
    asked.push(at);
    return answer;
  });
  const given = await createCosmosDirectSigner(connection, { signWith: address, publicKey });
  expect(asked).toEqual([]);
  expect((await signDirect(given)).address).toBe(address);
  expect(asked).toEqual(["/public/v1/submit/sign_raw_payload"]);
});

test("a key without an account of the Cosmos SDK is refused with its field", async () => {
  const create = (options: object) =>
    createCosmosDirectSigner(client, options as { privateKeyId: string });
  const ethereum = { walletId, path: "m/44'/60'/0'/0/0" };
  await expect(create(ethereum)).rejects.toMatchObject(invalid("walletId"));
  const { privateKeys } = await client.createPrivateKeys({
    privateKeys: [
      {
        privateKeyName: "other curve",
        curve: "CURVE_ED25519",
        privateKeyTags: [],
        addressFormats: ["ADDRESS_FORMAT_COMPRESSED"],
      },
    ],
  });
  const { privateKeyId } = privateKeys[0] ?? {};
  await expect(create({ privateKeyId })).rejects.toMatchObject({ name: "InvalidField" });
  for (const prefix of ["", "Cosmos", "co smos", "1", "x".repeat(42), "cosmos\n"]) {
    await expect(create({ walletId, path, prefix })).rejects.toMatchObject(invalid("prefix"));
  }
  const uncompressed = `04${publicKey.slice(2)}${publicKey.slice(2)}`;
  for (const wrong of ["", "zz", publicKey.slice(2), `0x${publicKey}`, uncompressed]) {
    const given = { signWith: address, publicKey: wrong };
    await expect(create(given)).rejects.toMatchObject(invalid("publicKey"));
  }
  await expect(create({})).rejects.toMatchObject({ name: "InvalidField" });
});

test("documents for another account are not signed", async () => {
  const other = pubkeyToAddress(
    encodeSecp256k1Pubkey(Uint8Array.from(Buffer.from(publicKey, "hex"))),
    "osmo",
  );
  const direct = await createCosmosDirectSigner(client, { walletId, path });
  const amino = await createCosmosAminoSigner(client, { walletId, path });
  const pubkey = Uint8Array.from(Buffer.from(publicKey, "hex"));
  const refused = invalid("signerAddress");
  await expect(direct.signDirect(other, directDocument(pubkey))).rejects.toMatchObject(refused);
  await expect(amino.signAmino(other, aminoDocument())).rejects.toMatchObject(refused);
});

test("what is returned is what was signed, whatever happens to the document meanwhile", async () => {
  const amino = await createCosmosAminoSigner(client, { walletId, path });
  const document = { ...aminoDocument() };
  const signing = amino.signAmino(address, document);
  Object.assign(document, { memo: "another one" });
  const { signed, signature } = await signing;
  const pubkey = Uint8Array.from(Buffer.from(publicKey, "hex"));
  await expectValid(pubkey, serializeSignDoc(signed), signature);
});

test("errors of the service pass through", async () => {
  const { client: clerk } = await addUser(organization);
  const signer = await createCosmosDirectSigner(clerk, { walletId, path });
  await expect(signDirect(signer)).rejects.toMatchObject({ name: "PolicyDenied" });
  const missing = createCosmosDirectSigner(client, { walletId: crypto.randomUUID(), path });
  await expect(missing).rejects.toMatchObject({ name: "NotFound" });
});

test("a signature of another key, or none at all, is refused", async () => {
  const { account: other } = await client.getWalletAccount({ walletId, path: hexPath });
  const mixed = await createCosmosDirectSigner(client, {
    signWith: address,
    publicKey: other.publicKey ?? "",
    prefix: "cosmos",
  });
  await expect(signDirect(mixed)).rejects.toMatchObject({ name: "Unverified" });
  for (const r of ["", "00".repeat(32), "zz".repeat(32), "ff".repeat(33)]) {
    const connection = tampering(organization, (answer) =>
      answer.replace(/"r":"[0-9a-f]*"/g, `"r":"${r}"`),
    );
    const signer = await createCosmosDirectSigner(connection, { walletId, path });
    await expect(signDirect(signer)).rejects.toMatchObject({ name: "Unverified" });
  }
});

test("a public key that is not the one of the proven address is refused", async () => {
  const { quorumPublicKey } = organization.server.signer.handle({ call: "describe" }) as {
    quorumPublicKey: string;
  };
  const { account: other } = await client.getWalletAccount({ walletId, path: hexPath });
  const swapping = tampering(
    organization,
    (answer) => answer.replaceAll(publicKey, other.publicKey ?? ""),
    { quorumPublicKey },
  );
  await expect(createCosmosDirectSigner(swapping, { walletId, path })).rejects.toMatchObject({
    name: "Unverified",
  });
  const honest = tampering(organization, (answer) => answer, { quorumPublicKey });
  for (const each of [path, hexPath]) {
    await signDirect(await createCosmosDirectSigner(honest, { walletId, path: each }));
  }
});
