import { newOrganization } from "@keyhearth/api/testing";
import { decodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { verifyP256Raw } from "@keyhearth/crypto/keys/verify";
import { expect, test } from "vitest";
import {
  addUser,
  badRequest,
  bodyOf,
  ethereumAccount,
  first,
  impatient,
  post,
  refusal,
  solanaAccount,
  submit,
} from "../organization.testing.ts";
import { denial, rule } from "../policies/policies.testing.ts";

const type = "ACTIVITY_TYPE_CREATE_WALLET";

test("a wallet is created with its accounts and can be read back", async () => {
  const { root, organizationId } = await newOrganization();
  const { walletId, addresses, activity } = await root.createWallet({
    walletName: "treasury",
    accounts: [ethereumAccount, solanaAccount],
    mnemonicLength: 24,
  });
  expect(activity).toMatchObject({
    organizationId,
    status: "ACTIVITY_STATUS_COMPLETED",
    type,
    intent: {
      createWalletIntent: {
        walletName: "treasury",
        accounts: [ethereumAccount, solanaAccount],
        mnemonicLength: 24,
      },
    },
    result: { createWalletResult: { walletId, addresses } },
    failure: null,
  });
  expect(addresses).toEqual([
    expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
    expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/),
  ]);

  const { wallets } = await root.listWallets();
  expect(wallets).toEqual([
    expect.objectContaining({ walletId, walletName: "treasury", exported: false, imported: false }),
  ]);
  const { accounts } = await root.listWalletAccounts({ walletId });
  expect(accounts).toHaveLength(2);
  for (const [index, params] of [ethereumAccount, solanaAccount].entries()) {
    expect(accounts).toContainEqual(
      expect.objectContaining({ ...params, organizationId, walletId, address: addresses[index] }),
    );
  }
});

test("policies can read the length of a mnemonic even if it is left out", async () => {
  const organization = await newOrganization();
  const grace = await addUser(organization);
  await rule(organization, "EFFECT_ALLOW", grace, "activity.resource == 'WALLET'");
  const isShort = "activity.kind == 'CREATE_WALLET' && activity.params.mnemonic_length < 24";
  const deny = await rule(organization, "EFFECT_DENY", grace, isShort);
  const make = (rest: { mnemonicLength?: 12 | 24 }) =>
    grace.client.createWallet({ walletName: "savings", accounts: [], ...rest });
  for (const rest of [{}, { mnemonicLength: 12 as const }]) {
    const { message } = await denial(make(rest));
    expect(message).toBe(`The following policies denied this action: ${deny}`);
  }
  await make({ mnemonicLength: 24 });
});

test("a wallet may have no accounts, and any length of mnemonic", async () => {
  const { root } = await newOrganization();
  for (const mnemonicLength of [12, 15, 18, 21, 24] as const) {
    const made = await root.createWallet({
      walletName: `${mnemonicLength} words`,
      accounts: [],
      mnemonicLength,
    });
    expect(made.addresses).toEqual([]);
  }
  const activity = await submit(root, "create_wallet", {
    type,
    parameters: { walletName: "bare" },
  });
  expect(activity.intent).toEqual({ createWalletIntent: { walletName: "bare", accounts: [] } });
});

test("two wallets never share a seed", async () => {
  const { root } = await newOrganization();
  const one = await root.createWallet({ walletName: "one", accounts: [ethereumAccount] });
  const two = await root.createWallet({ walletName: "two", accounts: [ethereumAccount] });
  expect(one.addresses).not.toEqual(two.addresses);
});

test("a name can be used only once", async () => {
  const { root } = await newOrganization();
  await root.createWallet({ walletName: "treasury", accounts: [] });
  expect(await refusal(root.createWallet({ walletName: "treasury", accounts: [] }))).toEqual({
    httpStatus: 409,
    grpcCode: 6,
    code: "NAME_TAKEN",
    field: "parameters.walletName",
    message: "a wallet with the name `treasury` already exists",
  });
});

test("bad parameters are refused by field, with the given and the accepted values", async () => {
  const { root } = await newOrganization();
  const account = (change: object) => ({
    walletName: "w",
    accounts: [ethereumAccount, { ...ethereumAccount, path: "m/0", ...change }],
  });
  const cases: [object, string, string, unknown][] = [
    [
      { accounts: [] },
      "FIELD_INVALID",
      "parameters.walletName",
      "invalid request body: missing field `parameters.walletName`; expected a string",
    ],
    [
      { walletName: "", accounts: [] },
      "FIELD_INVALID",
      "parameters.walletName",
      "must not be empty: `parameters.walletName` is ``",
    ],
    [
      { walletName: "a\u0007b", accounts: [] },
      "FIELD_INVALID",
      "parameters.walletName",
      expect.stringContaining("must not contain control characters"),
    ],
    [
      { walletName: "w", accounts: {} },
      "FIELD_INVALID",
      "parameters.accounts",
      expect.stringContaining("`parameters.accounts` is an object"),
    ],
    [
      { walletName: "w", accounts: [], mnemonicLength: 13 },
      "FIELD_INVALID",
      "parameters.mnemonicLength",
      "must be 12, 15, 18, 21 or 24: `parameters.mnemonicLength` is `13`",
    ],
    [
      { walletName: "w", accounts: [], colour: "red" },
      "FIELD_UNKNOWN",
      "parameters.colour",
      "invalid request body: unknown field `colour` in `parameters`; accepted: walletName, accounts, mnemonicLength",
    ],
    [
      account({ curve: "CURVE_P384" }),
      "FIELD_INVALID",
      "parameters.accounts[1].curve",
      "invalid curve: `parameters.accounts[1].curve` is `CURVE_P384`; accepted: CURVE_SECP256K1, CURVE_ED25519, CURVE_P256",
    ],
    [
      account({ curve: "CURVE_ED25519" }),
      "FIELD_INVALID",
      "parameters.accounts[1].addressFormat",
      "invalid curve: `ADDRESS_FORMAT_ETHEREUM` needs CURVE_SECP256K1, got `CURVE_ED25519`",
    ],
    [
      account({ pathFormat: "PATH_FORMAT_BIP44" }),
      "FIELD_INVALID",
      "parameters.accounts[1].pathFormat",
      "invalid path format: `parameters.accounts[1].pathFormat` is `PATH_FORMAT_BIP44`; accepted: PATH_FORMAT_BIP32",
    ],
    ...["m/44'/60'/0'/0/2147483648", "m/2147483648'", "m/0/99999999999999999999'"].map(
      (path): [object, string, string, string] => [
        account({ path }),
        "FIELD_INVALID",
        "parameters.accounts[1].path",
        `invalid path: the index ${path.split("/").at(-1)} must be at most 2147483647; the apostrophe of a hardened one comes after it: \`parameters.accounts[1].path\` is \`${path}\``,
      ],
    ),
    [
      account({ path: "m/0/1/2/3/4/5/6/7/8/9/10" }),
      "FIELD_INVALID",
      "parameters.accounts[1].path",
      "invalid path: must have at most 10 indexes, got 11: `parameters.accounts[1].path` is `m/0/1/2/3/4/5/6/7/8/9/10`",
    ],
    ...["", "m", "m/", "M/0", "m/0h", "m/00", "m/0/", "m/-1", "m/0x1", "m/0''", " m/0"].map(
      (path): [object, string, string, string] => [
        account({ path }),
        "FIELD_INVALID",
        "parameters.accounts[1].path",
        `invalid path: expected a BIP-32 path such as m/44'/60'/0'/0/0: \`parameters.accounts[1].path\` is \`${path}\``,
      ],
    ),
    [
      account({ path: "44/60" }),
      "FIELD_INVALID",
      "parameters.accounts[1].path",
      "invalid path: expected a BIP-32 path such as m/44'/60'/0'/0/0: `parameters.accounts[1].path` is `44/60`",
    ],
    [
      account({ addressFormat: "ADDRESS_FORMAT_UNKNOWN" }),
      "FIELD_INVALID",
      "parameters.accounts[1].addressFormat",
      expect.stringMatching(/^invalid address format: .* is `ADDRESS_FORMAT_UNKNOWN`; accepted: /),
    ],
    [
      account({ addressFormat: "ADDRESS_FORMAT_SPARK_MAINNET" }),
      "FIELD_INVALID",
      "parameters.accounts[1].addressFormat",
      expect.stringMatching(/^invalid address format: Spark addresses are not supported: /),
    ],
  ];
  for (const [parameters, code, field, message] of cases) {
    const refused = await refusal(submit(root, "create_wallet", { type, parameters }));
    expect(refused).toEqual(badRequest(code, field, message));
  }
  expect((await root.listWallets()).wallets).toEqual([]);
});

test("a repeated account in one request is refused", async () => {
  const { root } = await newOrganization();
  const accounts = [ethereumAccount, ethereumAccount];
  expect(await refusal(root.createWallet({ walletName: "w", accounts }))).toEqual({
    httpStatus: 409,
    grpcCode: 6,
    code: "PATH_TAKEN",
    field: "parameters.accounts[1].path",
    message: "invalid path: path already exists in wallet account: `m/44'/60'/0'/0/0`",
  });
});

test("a type of another endpoint is refused with the accepted types", async () => {
  const { root } = await newOrganization();
  const wrongTypes = ["ACTIVITY_TYPE_SIGN_RAW_PAYLOAD", "toString", "__proto__", "constructor"];
  for (const wrong of wrongTypes) {
    const parameters = { walletName: "w", accounts: [] };
    expect(await refusal(submit(root, "create_wallet", { type: wrong, parameters }))).toEqual(
      badRequest(
        "ACTIVITY_TYPE_INVALID",
        "type",
        `\`type\` is \`${wrong}\`, which is not an activity of /public/v1/submit/create_wallet; it accepts ${type}`,
      ),
    );
  }
});

test("the same bytes again are the same activity and create nothing new", async () => {
  const { root, organizationId } = await newOrganization();
  const parameters = { walletName: "treasury", accounts: [ethereumAccount] };
  const body = bodyOf(organizationId, { type, parameters });
  const one = await post(root, "create_wallet", body);
  const again = await Promise.all([1, 2, 3].map(() => post(root, "create_wallet", body)));
  for (const activity of again) expect(activity).toEqual(one);
  expect((await root.listWallets()).wallets).toHaveLength(1);
  expect((await root.listActivities({ filterByType: [type] })).activities).toHaveLength(1);
});

test("the same bytes sent many times concurrently are executed once", async () => {
  const { root, organizationId } = await newOrganization();
  const parameters = { walletName: "treasury", accounts: [ethereumAccount] };
  const body = bodyOf(organizationId, { type, parameters });
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => post(root, "create_wallet", body)),
  );
  expect(new Set(answers.map((activity) => JSON.stringify(activity.result))).size).toBe(1);
  expect((await root.listWallets()).wallets).toHaveLength(1);
});

test("a request must be less than an hour old and at most five minutes ahead", async () => {
  const { root } = await newOrganization();
  const parameters = { walletName: "w", accounts: [] };
  const at = (ms: number) => ({ type, parameters, timestampMs: Date.now() + ms });
  for (const ms of [-61 * 60_000, 6 * 60_000]) {
    expect(await refusal(submit(root, "create_wallet", at(ms)))).toEqual(
      badRequest(
        "TIMESTAMP_OUT_OF_RANGE",
        "timestampMs",
        expect.stringContaining("must be less than one hour old and at most five minutes ahead"),
      ),
    );
  }
  await submit(root, "create_wallet", at(-59 * 60_000));
  const ahead = { ...at(4 * 60_000), parameters: { walletName: "v", accounts: [] } };
  await submit(root, "create_wallet", ahead);
});

test("an organization has at most 100 wallets", async () => {
  const root = impatient(await newOrganization());
  for (let i = 0; i < 100; i++) await root.createWallet({ walletName: `w${i}`, accounts: [] });
  expect(await refusal(root.createWallet({ walletName: "one more", accounts: [] }))).toEqual({
    httpStatus: 429,
    grpcCode: 8,
    code: "LIMIT_EXCEEDED",
    field: "parameters.walletName",
    message: "an organization may have 100 wallets",
  });
});

test("an address carries a statement signed with the quorum key", async () => {
  const { root, organizationId } = await newOrganization();
  const { walletId } = await root.createWallet({
    walletName: "treasury",
    accounts: [ethereumAccount],
  });
  const account = first((await root.listWalletAccounts({ walletId })).accounts);
  const { proofPayload = "", publicKey = "", signature = "" } = account.proof ?? {};
  const signingPoint = decodeHex(publicKey).subarray(65);
  const isSigned = verifyP256Raw(signingPoint, encodeUtf8(proofPayload), decodeHex(signature));
  expect(isSigned).toBe(true);
  expect(JSON.parse(proofPayload)).toEqual({
    type: "APP_PROOF_TYPE_ADDRESS_DERIVATION",
    timestampMs: expect.stringMatching(/^\d+$/),
    addressDerivationProof: {
      organizationId,
      walletId,
      derivationPath: ethereumAccount.path,
      address: account.address,
    },
  });
});
