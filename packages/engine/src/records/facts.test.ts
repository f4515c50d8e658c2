import { expect, test } from "vitest";
import { createRecords } from "./facts.ts";
import type { Brought, BroughtOf, RecordType } from "./kinds.ts";
import { newOrganizationDocument, type OrganizationDocument } from "./organization.ts";
import { placeOf } from "./wallet-account.ts";

const organizationId = "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11";
const ethereum = "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM";
const address = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94";

const documentOf = (lines: object) =>
  newOrganizationDocument({
    organizationId,
    organizationName: "Acme",
    createdAtMs: 0,
    users: [],
    rootQuorum: { threshold: 1, userIds: [] },
    // The tests give only the members of a line that are read.
    ...(lines as Partial<OrganizationDocument>),
  });

function brought<T extends RecordType>(type: T, id: string, body: object): Brought {
  const header = { type, schema: 1, organizationId, id, version: 1, keyEpoch: 1 };
  // As above, for a body.
  return { header, body, digest: `digest of ${id}` } as BroughtOf<T>;
}

const walletLine = { walletId: "wallet", deletedAccounts: [] };
const place = { curve: "CURVE_ED25519", path: "m/0'", addressFormat: "f" } as const;

const records = [
  brought("sessions", "user", { userId: "user", entries: [] }),
  brought("wallet", "wallet", { walletId: "wallet" }),
  brought("wallet-account", "account", {
    walletId: "wallet",
    address,
    ...place,
    walletAccountId: "account",
    name: "payouts",
    createdAtMs: 5,
    documentVersion: 2,
  }),
  brought("private-key", "key", { privateKeyId: "key", addresses: [{ address }] }),
  brought("smart-contract-interface", "interface", { digest: "of the text" }),
  brought("activity", "activity", {}),
];

const interfaceLine = {
  smartContractInterfaceId: "interface",
  smartContractAddress: address,
  type: ethereum,
  digest: "of the text",
};

test("records that the document binds are found", () => {
  const document = documentOf({
    users: [{ userId: "user" }],
    wallets: [walletLine],
    privateKeys: [{ privateKeyId: "key" }],
    smartContractInterfaces: [interfaceLine],
  });
  const found = createRecords(document, records);
  expect(found.bound).toEqual(records);
  expect(found.wallet("wallet")).toEqual({ walletId: "wallet" });
  expect(found.accountsAt("wallet").get(placeOf(place))).toMatchObject({ address });
  expect(found.accountOfAddress(address.toLowerCase())).toMatchObject({
    line: { walletId: "wallet" },
    digest: "digest of account",
  });
  expect(found.privateKey("key")).toMatchObject({ line: { privateKeyId: "key" } });
  expect(found.privateKey(address)).toMatchObject({ digest: "digest of key" });
  expect(found.contractInterface(ethereum, address)).toEqual({ digest: "of the text" });
  expect(found.sessions("user")).toBe(records[0]?.body);
});

test("an account is found at its place, in any spelling of an Ed25519 path, and by its name", () => {
  const found = createRecords(documentOf({ wallets: [walletLine] }), records);
  const at = (change: object) => found.accountsAt("wallet").get(placeOf({ ...place, ...change }));
  expect(at({ path: "m/0" })).toMatchObject({ address });
  expect(at({ path: "m/1" })).toBeUndefined();
  expect(at({ curve: "CURVE_SECP256K1" })).toBeUndefined();
  expect(at({ addressFormat: "g" })).toBeUndefined();
  expect(found.accountsAt("other").size).toBe(0);
  expect(found.accountNamed("payouts")).toMatchObject({ address });
  expect(found.accountNamed("other")).toBeNull();
  expect(found.account("account")).toMatchObject({ line: walletLine });
  expect(found.account("other")).toBeNull();
});

const elsewhere = "CURVE_ED25519 m/1' f";
const samePlace = "CURVE_ED25519 m/0' f";

test.each([
  ["made before", { atMs: 6, documentVersion: 2, requestedAtMs: 0 }],
  ["at the same time", { atMs: 5, documentVersion: 2, requestedAtMs: 9 }],
  ["made by an earlier document", { atMs: 4, documentVersion: 3, requestedAtMs: 0 }],
])("an account that was deleted is left out, and its wallet stays: %s", (_name, times) => {
  const deleted = { walletAccountId: "other", place: samePlace, ...times };
  const line = { walletId: "wallet", deletedAccounts: [deleted] };
  const found = createRecords(documentOf({ wallets: [line] }), records);
  expect(found.bound.map(({ header }) => header.type)).toEqual(["wallet", "activity"]);
  expect(found.account("account")).toBeNull();
  expect(found.accountsAt("wallet").size).toBe(0);
  expect(found.accountNamed("payouts")).toBeNull();
  expect(found.accountOfAddress(address)).toBeNull();
});

test("other accounts, and one that was made later for the place, stay", () => {
  const deletedAccounts = [
    { walletAccountId: "other", place: elsewhere, atMs: 6, documentVersion: 3, requestedAtMs: 6 },
    { walletAccountId: "another", place: samePlace, atMs: 4, documentVersion: 2, requestedAtMs: 6 },
  ];
  const line = { walletId: "wallet", deletedAccounts };
  const found = createRecords(documentOf({ wallets: [line] }), records);
  expect(found.accountOfAddress(address)).toMatchObject({ line });
});

test("an address in base58 does not find the key of another spelling", () => {
  const solana = "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk";
  const [account, key] = [
    brought("wallet-account", "account", { walletId: "wallet", address: solana }),
    brought("private-key", "key", { privateKeyId: "key", addresses: [{ address: solana }] }),
  ];
  const lines = { wallets: [walletLine], privateKeys: [{ privateKeyId: "key" }] };
  const found = createRecords(documentOf(lines), [account, key]);
  expect(found.accountOfAddress(solana)).toMatchObject({ line: { walletId: "wallet" } });
  expect(found.privateKey(solana)).toMatchObject({ line: { privateKeyId: "key" } });
  for (const given of [solana.toLowerCase(), solana.toUpperCase()]) {
    expect(found.accountOfAddress(given)).toBeNull();
    expect(found.privateKey(given)).toBeNull();
  }
});

test("a record that no line, user or digest of the document binds is left out", () => {
  const found = createRecords(documentOf({}), records);
  expect(found.bound.map(({ header }) => header.type)).toEqual(["activity"]);
  expect(() => found.wallet("wallet")).toThrow("wallet");
  expect(found.accountsAt("wallet").size).toBe(0);
  expect(found.accountOfAddress(address)).toBeNull();
  expect(found.privateKey("key")).toBeNull();
  expect(found.privateKey(address)).toBeNull();
  expect(found.contractInterface(ethereum, address)).toBeNull();
  expect(found.sessions("user")).not.toBe(records[0]?.body);
});

test("a different text from the one that the document lists counts as missing", () => {
  const line = { ...interfaceLine, digest: "of another text" };
  const found = createRecords(documentOf({ smartContractInterfaces: [line] }), records);
  expect(() => found.contractInterface(ethereum, address)).toThrow(
    "the host did not bring smart contract interface interface",
  );
});

test("a second document is not one of the records", () => {
  const other = brought("organization", organizationId, documentOf({}));
  expect(createRecords(documentOf({}), [other]).bound).toEqual([]);
});
