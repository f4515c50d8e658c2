import { newOrganization, startTestServer } from "@keyhearth/api/testing";
import { solanaAddress } from "@keyhearth/crypto/addresses/solana";
import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import { publicKeyOf } from "@keyhearth/crypto/keys/keys";
import { createTargetKey } from "@keyhearth/sdk/crypto";
import { computeAddress } from "ethers";
import { expect, test } from "vitest";
import { exportedKey, importMnemonic, known } from "../bundles.testing.ts";
import {
  addUser,
  badRequest,
  ethereumAccount,
  refusal,
  solanaAccount,
  submit,
} from "../organization.testing.ts";
import { denial, rule } from "../policies/policies.testing.ts";

const type = "ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT";

test("the key of an account is exported, and the rest of the wallet is not", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const { walletId } = await importMnemonic(organization, known.mnemonic, {
    accounts: [ethereumAccount, solanaAccount],
  });
  const run = (address: string) =>
    exportedKey(organization, (targetPublicKey) =>
      root.exportWalletAccount({ address, targetPublicKey }),
    );
  // The key that other wallets show for this mnemonic.
  const key = await run(known.ethereum);
  expect(key).toBe("1ab42cc412b618bdea3a599e3c9bae199ebf030895b039e9db1e30dafb12b727");
  expect(computeAddress(`0x${key}`)).toBe(known.ethereum);
  expect(await run(known.ethereum.toLowerCase())).toBe(key);
  const seed = await run(known.solana);
  expect(solanaAddress(publicKeyOf("CURVE_ED25519", decodeHex(seed)))).toBe(known.solana);
  const { wallet } = await root.getWallet({ walletId });
  expect(wallet).toMatchObject({ exported: false, imported: true });
});

test("an account that was exported alone can be deleted, and its wallet cannot", async () => {
  const server = await startTestServer();
  const { root } = await newOrganization(server);
  const { walletId, addresses } = await root.createWallet({
    walletName: "w",
    accounts: [ethereumAccount, solanaAccount],
  });
  const [address = ""] = addresses;
  await root.exportWalletAccount({ address, targetPublicKey: createTargetKey().targetPublicKey });
  const { accounts } = await root.listWalletAccounts({ walletId });
  const idOf = (wanted: string) =>
    accounts.find((each) => each.addressFormat === wanted)?.walletAccountId ?? "";
  const exported = idOf("ADDRESS_FORMAT_ETHEREUM");
  const other = idOf("ADDRESS_FORMAT_SOLANA");
  const deletion = (walletAccountId: string) =>
    root.deleteWalletAccounts({ walletAccountIds: [walletAccountId] });
  expect(await refusal(deletion(other))).toMatchObject({ code: "NOT_EXPORTED" });
  const whole = root.deleteWallets({ walletIds: [walletId] });
  expect(await refusal(whole)).toMatchObject({ code: "NOT_EXPORTED" });
  await deletion(exported);
  // The account that is created there again is another one, which was not exported.
  server.clock.offsetMs += 5 * 60 * 1000 + 1;
  const timestampMs = String(Date.now() + server.clock.offsetMs);
  await root.createWalletAccounts({ walletId, accounts: [ethereumAccount] }, { timestampMs });
  const again = (await root.listWalletAccounts({ walletId })).accounts.find(
    (each) => each.address === address,
  );
  expect(again?.walletAccountId).not.toBe(exported);
  expect(await refusal(deletion(again?.walletAccountId ?? ""))).toMatchObject({
    code: "NOT_EXPORTED",
  });
  await server.stop();
});

test("policies see the wallet, the account and its path", async () => {
  const organization = await newOrganization();
  const grace = await addUser(organization);
  const path = "m/44'/60'/0'/0/1";
  const { addresses } = await organization.root.createWallet({
    walletName: "ops",
    accounts: [ethereumAccount, { ...ethereumAccount, path }],
  });
  const [first = "", second = ""] = addresses;
  await rule(
    organization,
    "EFFECT_ALLOW",
    grace,
    "wallet.label == 'ops' && wallet_account.path_indexes[4] == 1 && wallet_account.path_hardened[2]",
  );
  const { targetPublicKey } = createTargetKey();
  await grace.client.exportWalletAccount({ address: second, targetPublicKey });
  await denial(grace.client.exportWalletAccount({ address: first, targetPublicKey }));
});

test("policies see every step of an Ed25519 path as hardened, however it was written", async () => {
  const organization = await newOrganization();
  const grace = await addUser(organization);
  const { addresses } = await organization.root.createWallet({
    walletName: "ops",
    accounts: [{ ...solanaAccount, path: "m/44/501'/0" }],
  });
  await rule(
    organization,
    "EFFECT_ALLOW",
    grace,
    "wallet_account.path_hardened.all(hardened, hardened)",
  );
  const { targetPublicKey } = createTargetKey();
  await grace.client.exportWalletAccount({ address: addresses[0] ?? "", targetPublicKey });
});

test("bad parameters are refused by field", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const { targetPublicKey } = createTargetKey();
  const cases: [object, string][] = [
    [{ targetPublicKey }, "parameters.address"],
    [{ address: 7, targetPublicKey }, "parameters.address"],
    [{ address: known.ethereum }, "parameters.targetPublicKey"],
  ];
  for (const [parameters, field] of cases) {
    const refused = await refusal(submit(root, "export_wallet_account", { type, parameters }));
    expect(refused).toEqual(badRequest("FIELD_INVALID", field, expect.anything()));
  }
  const { privateKeys } = await root.createPrivateKeys({
    privateKeys: [
      {
        privateKeyName: "k",
        curve: "CURVE_SECP256K1",
        privateKeyTags: [],
        addressFormats: ["ADDRESS_FORMAT_ETHEREUM"],
      },
    ],
  });
  // The address of a private key is not that of an account.
  for (const address of [known.ethereum, privateKeys[0]?.addresses?.[0]?.address ?? "", ""]) {
    const unknown = root.exportWalletAccount({ address, targetPublicKey });
    expect(await refusal(unknown)).toMatchObject({
      httpStatus: 404,
      code: "NOT_FOUND",
      field: "parameters.address",
    });
  }
});

test("an address that nobody has is named in the text that clients look for", async () => {
  const { root } = await newOrganization();
  const { targetPublicKey } = createTargetKey();
  const refused = (address: string) =>
    refusal(root.exportWalletAccount({ address, targetPublicKey }));
  const at = "parameters.address";
  expect(await refused("0X00")).toMatchObject({
    httpStatus: 404,
    message: "wallet account not found: Could not find wallet account with address: `0X00`",
  });
  const message = expect.stringContaining("must have at most 256 characters");
  expect(await refused("x".repeat(257))).toEqual(badRequest("FIELD_INVALID", at, message));
});
