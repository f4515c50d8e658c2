import { randomUUID } from "node:crypto";
import { frozenKeyring } from "@keyhearth/engine/records/frozen.testing";
import { type WalletAccount, walletAccount } from "@keyhearth/engine/records/wallet-account";
import { notarizeRecord } from "@keyhearth/engine/records/write";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findWanted } from "../documents/find-wanted.ts";
import type { Store } from "./connect.ts";
import { createTestDatabase } from "./database.testing.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: Store;

beforeAll(async () => {
  database = await createTestDatabase();
  store = database.store;
});

afterAll(() => database?.drop());

const publicKey = "02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5";
const address = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94";

/** An organization with an account and, if asked for, a private key that is the same key. */
async function newKeys({ isTwice }: { isTwice: boolean }): Promise<string> {
  const [organizationId, walletId, walletAccountId] = [randomUUID(), randomUUID(), randomUUID()];
  const body: WalletAccount = {
    walletAccountId,
    walletId,
    curve: "CURVE_SECP256K1",
    pathFormat: "PATH_FORMAT_BIP32",
    path: "m/0",
    addressFormat: "ADDRESS_FORMAT_ETHEREUM",
    address,
    publicKey,
    name: null,
    proof: {
      scheme: "SIGNATURE_SCHEME_EPHEMERAL_KEY_P256",
      publicKey: "",
      proofPayload: "",
      signature: "",
    },
    createdAtMs: 0,
    requestedAtMs: 0,
    documentVersion: 1,
  };
  const place = { organizationId, id: walletAccountId, version: 1 };
  const { bytes } = notarizeRecord(frozenKeyring, walletAccount, place, body);
  const run = (text: string, values: unknown[]) =>
    store.run(`keys ${text.length}`, text, [organizationId, ...values]);
  await run("INSERT INTO wallets VALUES ($1::uuid, $2::uuid, 'wallet', 'w')", [walletId]);
  await run(
    `INSERT INTO wallet_accounts VALUES ($1::uuid, $2::uuid, $3::uuid, 'm/0', 'F', $4::text, 0,
       'account', $5::bytea, 'place')`,
    [walletAccountId, walletId, address, bytes],
  );
  if (!isTwice) return organizationId;
  const keyId = randomUUID();
  await run("INSERT INTO private_keys VALUES ($1::uuid, $2::uuid, 'key', 'k')", [keyId]);
  await run("INSERT INTO private_key_addresses VALUES ($1::uuid, $2::text, $3::uuid)", [
    publicKey,
    keyId,
  ]);
  return organizationId;
}

async function digestsFor(organizationId: string, signWith: string) {
  const found = await findWanted(store.db, organizationId, { type: "signing-key", signWith });
  return found.map(({ digest }) => digest);
}

test("an account comes with its wallet, in any case of its address", async () => {
  const organizationId = await newKeys({ isTwice: false });
  for (const signWith of [address, address.toLowerCase()]) {
    expect(await digestsFor(organizationId, signWith)).toEqual(["account", "wallet"]);
  }
  expect(await digestsFor(randomUUID(), address)).toEqual([]);
});

test("an account comes with the private key that is the same key, whatever addresses that has", async () => {
  const organizationId = await newKeys({ isTwice: true });
  expect(await digestsFor(organizationId, address)).toEqual(["account", "wallet", "key"]);
});
