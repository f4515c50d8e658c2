import { newOrganization } from "@keyhearth/api/testing";
import { entropyToMnemonic, mnemonicLanguages } from "@keyhearth/crypto/keys/mnemonic";
import { HDNodeWallet, Mnemonic } from "ethers";
import { expect, test } from "vitest";
import { encryptFor, exportMnemonic, importMnemonic, known, rootOf } from "../bundles.testing.ts";
import {
  addUser,
  badRequest,
  ethereumAccount,
  expectDenied,
  refusal,
  solanaAccount,
  submit,
} from "../organization.testing.ts";
import { rule } from "../policies/policies.testing.ts";

const type = "ACTIVITY_TYPE_IMPORT_WALLET";
const field = "parameters.encryptedBundle";

/** The address that ethers derives at the usual path. */
function addressByEthers(mnemonic: string, passphrase = ""): string {
  const { path } = ethereumAccount;
  const seed = Mnemonic.fromPhrase(mnemonic, passphrase).computeSeed();
  return HDNodeWallet.fromSeed(seed).derivePath(path).address;
}

test("a mnemonic is imported with its accounts, and more can be derived", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const { walletId, addresses, activity } = await importMnemonic(organization, known.mnemonic, {
    accounts: [ethereumAccount],
  });
  expect(addresses).toEqual([known.ethereum]);
  expect(activity).toMatchObject({
    type,
    status: "ACTIVITY_STATUS_COMPLETED",
    result: { importWalletResult: { walletId, addresses } },
  });
  const more = await root.createWalletAccounts({ walletId, accounts: [solanaAccount] });
  expect(more.addresses).toEqual([known.solana]);
  const { wallet } = await root.getWallet({ walletId });
  expect(wallet).toMatchObject({ walletName: "imported", imported: true, exported: false });
  await root.signRawPayload({
    signWith: known.ethereum,
    payload: "hello",
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_KECCAK256",
  });
});

test("every language and length is imported, and comes back word for word", async () => {
  const organization = await newOrganization();
  for (const [index, language] of mnemonicLanguages.entries()) {
    const entropy = new Uint8Array([16, 20, 24, 28, 32][index % 5] ?? 16).fill(index + 100);
    const mnemonic = entropyToMnemonic(entropy, language);
    const { walletId } = await importMnemonic(organization, mnemonic, { walletName: language });
    expect(await exportMnemonic(organization, { walletId })).toEqual({ mnemonic, passphrase: "" });
    const composed = await refusal(importMnemonic(organization, mnemonic.normalize("NFC")));
    expect(composed).toMatchObject({ code: "KEY_TAKEN" });
  }
});

test("a passphrase makes another wallet, and comes back with the mnemonic", async () => {
  const organization = await newOrganization();
  const passphrases = [
    "TREZOR",
    " white space ",
    "--PASS--",
    "㍍ガバヴァぱばぐゞちぢ十人十色",
    "é",
  ];
  for (const [index, passphrase] of passphrases.entries()) {
    const separator = index % 2 === 0 ? "\n" : "\n--PASS--\n";
    const { walletId, addresses } = await importMnemonic(
      organization,
      `${known.mnemonic}${separator}${passphrase}`,
      { walletName: `wallet ${index}`, accounts: [ethereumAccount] },
    );
    expect(addresses).toEqual([addressByEthers(known.mnemonic, passphrase)]);
    const exported = await exportMnemonic(organization, { walletId });
    expect(exported).toEqual({ mnemonic: known.mnemonic, passphrase });
  }
  // Unicode writes the same passphrase in two ways.
  const other = importMnemonic(organization, `${known.mnemonic}\ne\u0301`);
  expect(await refusal(other)).toMatchObject({ code: "KEY_TAKEN" });
  const { addresses } = await importMnemonic(organization, `${known.mnemonic}\n`, {
    accounts: [ethereumAccount],
  });
  expect(addresses).toEqual([known.ethereum]);
});

const bundleError = (text: string) => ({
  httpStatus: 400,
  grpcCode: 3,
  code: "BUNDLE_INVALID",
  field,
  message: `invalid encrypted bundle: \`${field}\` ${text}`,
});

test("a wrong mnemonic is refused by what is wrong, and no word is shown", async () => {
  const organization = await newOrganization();
  const words = known.mnemonic.split(" ");
  const french = entropyToMnemonic(new Uint8Array(16).fill(9), "FRENCH").split(" ");
  const lines =
    "holds an invalid mnemonic: all words are on the first line, and only a passphrase of one line may follow; lines end with \\n";
  const spaces =
    "holds an invalid mnemonic: one space must separate the words, with none before and after";
  const cases: [string | Uint8Array, string][] = [
    [
      words.slice(1).join(" "),
      "holds an invalid mnemonic: it has 11 words, and mnemonics have 12, 15, 18, 21 or 24",
    ],
    [
      [...words, ...words, "about"].join(" "),
      "holds an invalid mnemonic: it has 25 words, and mnemonics have 12, 15, 18, 21 or 24",
    ],
    [known.mnemonic.replace("about", "zebra"), "holds an invalid mnemonic: the checksum is wrong"],
    [
      known.mnemonic.replace("abandon about", "hunter2 about"),
      "holds an invalid mnemonic: word 11 is in no BIP-39 word list",
    ],
    [known.mnemonic.toUpperCase(), "holds an invalid mnemonic: word 1 is in no BIP-39 word list"],
    [
      [...words.slice(0, 5), ...french.slice(5)].join(" "),
      expect.stringMatching(/holds an invalid mnemonic: word \d+ is of another language than/),
    ],
    [known.mnemonic.replace(" ", "  "), spaces],
    [` ${known.mnemonic}`, spaces],
    [`${known.mnemonic}\r\n`, lines],
    [`${known.mnemonic}\none\ntwo`, lines],
    [known.mnemonic.replaceAll(" ", "\n"), lines],
    [
      new Uint8Array(64).fill(0xff),
      "holds something other than text: encrypt the words of the mnemonic",
    ],
    [
      "too short",
      "holds 9 bytes, and a mnemonic has at least 47: the ciphertext was cut short, or something else was encrypted",
    ],
  ];
  const { userId, root } = organization;
  for (const [secret, message] of cases) {
    const encryptedBundle = await encryptFor(organization, "wallet", secret, rootOf(organization));
    const parameters = { userId, walletName: "imported", encryptedBundle, accounts: [] };
    const refused = await refusal(submit(root, "import_wallet", { type, parameters }));
    expect(refused).toEqual({ ...bundleError(""), message: expect.anything() });
    if (typeof message === "string") expect(refused).toEqual(bundleError(message));
    for (const word of [...words, ...french, "hunter2", "zebra"]) {
      expect(refused.message.toLowerCase().split(/\W+/)).not.toContain(word);
    }
  }
  expect((await root.listWallets()).wallets).toEqual([]);
  // The target key is still good.
  const encryptedBundle = await encryptFor(
    organization,
    "wallet",
    known.mnemonic,
    rootOf(organization),
  );
  const wrong = JSON.stringify({ ...JSON.parse(encryptedBundle), ciphertext: "00".repeat(80) });
  const importIt = (text: string) =>
    root.importWallet({ userId, walletName: "imported", encryptedBundle: text, accounts: [] });
  expect(await refusal(importIt(wrong))).toMatchObject({ code: "BUNDLE_INVALID" });
  await importIt(encryptedBundle);
  expect(await refusal(importIt(encryptedBundle))).toMatchObject({ code: "NAME_TAKEN" });
});

test("the same seed is refused, also after an export, and told to nobody else", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const { walletId } = await importMnemonic(organization, known.mnemonic);
  const taken = (id: string) => ({
    httpStatus: 409,
    grpcCode: 6,
    code: "KEY_TAKEN",
    field,
    message: `seed for wallet ${id} already imported in this organization, or created in it`,
  });
  const again = (text: string) =>
    refusal(importMnemonic(organization, text, { walletName: "again" }));
  expect(await again(known.mnemonic)).toEqual(taken(walletId));

  const created = await root.createWallet({ walletName: "created", accounts: [] });
  const { mnemonic } = await exportMnemonic(organization, { walletId: created.walletId });
  expect(await again(mnemonic)).toEqual(taken(created.walletId));

  const other = await newOrganization(organization.server);
  await importMnemonic(other, known.mnemonic);
});

test("bad parameters are refused by field, all at once", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  await root.createWallet({ walletName: "taken", accounts: [] });
  const good = { userId, walletName: "new", encryptedBundle: "{}", accounts: [ethereumAccount] };
  const cases: [object, string, string, unknown][] = [
    [{ walletName: "" }, "FIELD_INVALID", "parameters.walletName", expect.anything()],
    [{ encryptedBundle: 7 }, "FIELD_INVALID", field, expect.anything()],
    [
      { accounts: [{ ...ethereumAccount, path: "m/x" }] },
      "FIELD_INVALID",
      "parameters.accounts[0].path",
      expect.anything(),
    ],
    [
      { mnemonicLength: 12 },
      "FIELD_UNKNOWN",
      "parameters.mnemonicLength",
      expect.stringContaining("accepted: userId, walletName, encryptedBundle, accounts"),
    ],
  ];
  for (const [change, code, at, message] of cases) {
    const parameters = { ...good, ...change };
    const refused = await refusal(submit(root, "import_wallet", { type, parameters }));
    expect(refused).toEqual(badRequest(code, at, message));
  }
  const parameters = { ...good, walletName: "taken", accounts: [ethereumAccount, ethereumAccount] };
  const several = await refusal(submit(root, "import_wallet", { type, parameters }));
  expect(several).toMatchObject({ code: "NAME_TAKEN", field: "parameters.walletName" });
  for (const part of ["already exists", "path already exists", "import not open"]) {
    expect(several.message).toContain(part);
  }
});

test("users without permission are denied", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const grace = await addUser(organization);
  await rule(organization, "EFFECT_ALLOW", grace, "activity.kind == 'INIT_IMPORT_WALLET'");
  await expectDenied(importMnemonic(organization, known.mnemonic, { by: grace }));
  expect((await root.listWallets()).wallets).toEqual([]);
});
