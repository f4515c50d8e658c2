import { verifyAppProof } from "@keyhearth/crypto/receipts/app-proof";
import { ethereumAccount, solanaAccount } from "@keyhearth/engine/organization.testing";
import { expect, test } from "vitest";
import { newOrganization, type TestOrganization } from "../testing.ts";
import {
  anyId,
  anyProof,
  expectBadParameters,
  expectNotFound,
  expectOnlyFamilyReads,
  quorumKeyOf,
  someTimes,
  unknownId,
} from "./queries.testing.ts";

async function newWallet({ root }: TestOrganization, walletName = "treasury") {
  const accounts = [ethereumAccount, solanaAccount];
  const { walletId, addresses } = await root.createWallet({ walletName, accounts });
  const [ethereum = "", solana = ""] = addresses;
  return { walletId, ethereum, solana };
}

test("an account is found by its address or its path and has a proof of its address", async () => {
  const organization = await newOrganization();
  const { server, root, organizationId } = organization;
  const { walletId, ethereum, solana } = await newWallet(organization);
  const { path } = ethereumAccount;
  const found = await root.getWalletAccount({ walletId, address: ethereum });
  expect(found).toEqual({
    account: {
      walletAccountId: anyId,
      organizationId,
      walletId,
      ...ethereumAccount,
      address: ethereum,
      ...someTimes,
      publicKey: expect.stringMatching(/^0[23][0-9a-f]{64}$/),
      caip2Prefix: "eip155",
      proof: anyProof,
    },
  });
  expect(await root.getWalletAccount({ walletId, path })).toEqual(found);
  expect(await root.getWalletAccount({ walletId, address: ethereum, path })).toEqual(found);
  expect((await root.getWalletAccount({ walletId, address: solana })).account).toMatchObject({
    ...solanaAccount,
    address: solana,
  });

  const { proof } = found.account;
  const quorumKey = quorumKeyOf(server);
  expect(verifyAppProof(proof, quorumKey)).toBe(true);
  expect(JSON.parse(proof?.proofPayload ?? "")).toEqual({
    type: "APP_PROOF_TYPE_ADDRESS_DERIVATION",
    timestampMs: expect.stringMatching(/^\d{13}$/),
    addressDerivationProof: {
      address: ethereum,
      derivationPath: path,
      organizationId,
      walletId,
    },
  });
  const forged = { ...proof, proofPayload: proof?.proofPayload.replace(ethereum, solana) };
  expect(verifyAppProof(forged, quorumKey)).toBe(false);
});

test("Ethereum addresses match in any case, other addresses only exactly", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const { walletId, ethereum, solana } = await newWallet(organization);
  for (const address of [ethereum.toLowerCase(), `0x${ethereum.slice(2).toUpperCase()}`]) {
    expect((await root.getWalletAccount({ walletId, address })).account.address).toBe(ethereum);
  }
  const lower = solana.toLowerCase();
  await expectNotFound(root.getWalletAccount({ walletId, address: lower }), {
    field: "address",
    message: `wallet account not found: Could not find wallet account with address: ${lower}`,
  });
});

test("if address and path are given, both must match; an empty text means unset", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const { walletId, ethereum } = await newWallet(organization);
  const { path } = solanaAccount;
  const mixed = root.getWalletAccount({ walletId, address: ethereum, path });
  await expectNotFound(mixed, {
    field: "address",
    message: `wallet account not found: Could not find wallet account with address: ${ethereum}`,
  });
  const byPath = await root.getWalletAccount({ walletId, address: "", path });
  expect(byPath.account).toMatchObject(solanaAccount);
});

test("bad parameters are refused by field", async () => {
  const walletId = unknownId;
  const long = "a".repeat(257);
  await expectBadParameters(await newOrganization(), "get_wallet_account", [
    [{ walletId }, "address", "give `address` or `path`, or both"],
    [{ walletId, address: "", path: null }, "address", "give `address` or `path`, or both"],
    [
      { walletId, address: long },
      "address",
      expect.stringMatching(/^must have at most 256 characters: /),
    ],
    [
      { walletId, path: long },
      "path",
      expect.stringMatching(/^must have at most 256 characters: /),
    ],
  ]);
});

test("a text that a database cannot store is refused", async () => {
  const organization = await newOrganization();
  const { walletId } = await newWallet(organization);
  await expectBadParameters(organization, "get_wallet_account", [
    [
      { walletId, address: "0x\u0000" },
      "address",
      "must not contain control characters: `address` is `0x\\u{0}`",
    ],
    [
      { walletId, path: "m/\u0000" },
      "path",
      "must not contain control characters: `path` is `m/\\u{0}`",
    ],
  ]);
});

test("an unknown wallet or account, another wallet's or organization's, is not found", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const { walletId } = await newWallet(organization);
  const sibling = await newWallet(organization, "sibling");
  const theirs = await newWallet(await newOrganization());
  const path = "m/44'/60'/0'/0/1";
  await expectNotFound(root.getWalletAccount({ walletId, path }), {
    field: "path",
    message: `wallet account not found: Could not find wallet account with path: ${path}`,
  });
  for (const { ethereum: address } of [sibling, theirs]) {
    await expectNotFound(root.getWalletAccount({ walletId, address }), {
      field: "address",
      message: `wallet account not found: Could not find wallet account with address: ${address}`,
    });
  }
  for (const walletId of [unknownId, theirs.walletId]) {
    const { path } = ethereumAccount;
    await expectNotFound(root.getWalletAccount({ walletId, path }), {
      field: "walletId",
      message: `wallet not found: \`${walletId}\``,
    });
  }
});

test("the organization and its parent may read it, nobody else", async () => {
  await expectOnlyFamilyReads("get_wallet_account", async (organization) => {
    const { walletId, ethereum } = await newWallet(organization);
    return { walletId, address: ethereum };
  });
});
