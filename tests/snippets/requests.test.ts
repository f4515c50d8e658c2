import { readFileSync } from "node:fs";
import { newOrganization, startTestServer, type TestServer } from "@keyhearth/api/testing";
import { ethereumAddress } from "@keyhearth/crypto/addresses/ethereum";
import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import { newPasskey } from "@keyhearth/engine/passkey.testing";
import { ApiKeyStamper } from "@keyhearth/sdk";
import { afterAll, beforeAll, expect, test } from "vitest";

// Sends the requests that pages show as JSON, with ids and a passkey of the moment in their places, and compares
// the answers that pages show.

const folder = new URL("../../apps/website/snippets/requests/", import.meta.url);

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

test("the envelope of create_wallet is accepted", async () => {
  const { status, answer } = await send("create_wallet", read("create-wallet.json"));
  expect([status, answer.activity.status]).toEqual([200, "ACTIVITY_STATUS_COMPLETED"]);
});

test("the page of queries shows a query that finds what it asks for", async () => {
  const organization = await newOrganization(server);
  for (const walletName of ["a", "b", "c"]) {
    await organization.root.createWallet({ walletName, accounts: [] });
  }
  const { organizationId, ...query } = read("list-activities.json");
  const { activities } = await organization.root.listActivities(query);
  expect(activities.map(({ type }) => type)).toEqual([
    "ACTIVITY_TYPE_CREATE_WALLET",
    "ACTIVITY_TYPE_CREATE_WALLET",
  ]);
});

test("the page of errors shows the answer to a request with two mistakes", async () => {
  const { status, answer } = await send("create_wallet", read("two-mistakes.json"));
  expect(status).toBe(400);
  expect(answer).toEqual(read("two-mistakes.answer.json"));
});

test("the request that creates a user's wallet is accepted with a passkey in its place", async () => {
  const request = read("create-sub-organization.json");
  const shown = request.parameters.rootUsers[0].authenticators[0];
  const { challenge, attestation } = newPasskey().params;
  expect(Object.keys(shown).sort()).toEqual(["attestation", "authenticatorName", "challenge"]);
  expect(Object.keys(shown.attestation).sort()).toEqual(Object.keys(attestation).sort());
  Object.assign(shown, { challenge, attestation });
  const { status, answer } = await send("create_sub_organization", request);
  expect([status, answer.activity.status]).toEqual([200, "ACTIVITY_STATUS_COMPLETED"]);
  const { wallet } = answer.activity.result.createSubOrganizationResultV7;
  expect(wallet.addresses).toHaveLength(1);
});

test("the page of wallets shows the answers about a wallet and about an account", async () => {
  const { wallet } = read("get-wallet.answer.json");
  const { account } = read("get-wallet-account.answer.json");
  const { curve, pathFormat, path, addressFormat, name } = account;
  const { root } = await newOrganization(server);
  const { walletId } = await root.createWallet({
    walletName: wallet.walletName,
    accounts: [{ curve, pathFormat, path, addressFormat, name }],
  });

  const foundWallet = (await root.getWallet({ walletId })).wallet;
  expectAnswer(foundWallet, wallet, ["walletId", "createdAt", "updatedAt"]);
  expectAnswer(foundWallet.createdAt, wallet.createdAt, ["seconds"]);

  const foundAccount = (await root.getWalletAccount({ walletId, path })).account;
  const ids = ["walletAccountId", "organizationId", "walletId"];
  const ofTheKey = ["address", "publicKey", "proof"];
  expectAnswer(foundAccount, account, [...ids, ...ofTheKey, "createdAt", "updatedAt"]);
  expectAnswer(foundAccount.proof ?? {}, account.proof, ["publicKey", "proofPayload", "signature"]);
  expect(account.walletId).toBe(wallet.walletId);
  expect(account.address).toBe(ethereumAddress(decodeHex(account.publicKey)));
});

/** The answer is what the page shows, apart from the members that differ each time. */
function expectAnswer(answer: object, shown: Record<string, unknown>, different: string[]) {
  expect(Object.keys(shown).sort()).toEqual(Object.keys(answer).sort());
  const values = Object.entries(answer).filter(([name]) => different.includes(name));
  expect(answer).toEqual({ ...shown, ...Object.fromEntries(values) });
}

function read(file: string) {
  return JSON.parse(readFileSync(new URL(file, folder), "utf8"));
}

async function send(name: string, request: object) {
  const { organizationId, stamp } = await newOrganizationWithStamper();
  const body = JSON.stringify({ ...request, organizationId, timestampMs: String(Date.now()) });
  const header = await stamp(body);
  const response = await server.fetch(`http://localhost/public/v1/submit/${name}`, {
    method: "POST",
    headers: { [header.name]: header.value },
    body,
  });
  return { status: response.status, answer: await response.json() };
}

async function newOrganizationWithStamper() {
  const { organizationId, rootKey } = await newOrganization(server);
  const stamper = new ApiKeyStamper({
    apiPublicKey: rootKey.publicKey,
    apiPrivateKey: rootKey.privateKey,
  });
  return { organizationId, stamp: (body: string) => stamper.stamp(body) };
}
