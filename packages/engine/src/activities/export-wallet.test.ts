import { newOrganization } from "@keyhearth/api/testing";
import { entropyToMnemonic, parseMnemonic } from "@keyhearth/crypto/keys/mnemonic";
import { createTargetKey, decryptWalletBundle } from "@keyhearth/sdk/crypto";
import { expect, test } from "vitest";
import { exportMnemonic, importMnemonic, signerPublicKeyOf } from "../bundles.testing.ts";
import {
  addUser,
  badRequest,
  ethereumAccount,
  newQuorum,
  refusal,
  solanaAccount,
  startWaiting,
  submit,
} from "../organization.testing.ts";
import { denial, rule } from "../policies/policies.testing.ts";

const type = "ACTIVITY_TYPE_EXPORT_WALLET";
const accounts = [ethereumAccount, solanaAccount];

test.each([12, 15, 18, 21, 24] as const)(
  "an exported wallet of %d words restores the same addresses elsewhere",
  async (mnemonicLength) => {
    const organization = await newOrganization();
    const { root } = organization;
    const { walletId, addresses } = await root.createWallet({
      walletName: "w",
      accounts,
      mnemonicLength,
    });
    const { mnemonic, passphrase } = await exportMnemonic(organization, { walletId });
    expect(mnemonic.split(" ")).toHaveLength(mnemonicLength);
    expect(passphrase).toBe("");
    const { wallet } = await root.getWallet({ walletId });
    expect(wallet).toMatchObject({ exported: true, imported: false });

    const elsewhere = await newOrganization(organization.server);
    const restored = await importMnemonic(elsewhere, mnemonic, { accounts });
    expect(restored.addresses).toEqual(addresses);
    // The wallet stays and signs.
    await root.signRawPayload({
      signWith: addresses[0] ?? "",
      payload: "hello",
      encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
      hashFunction: "HASH_FUNCTION_KECCAK256",
    });
  },
);

test("in another language the words encode the same entropy, and restore other keys", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const { walletId, addresses } = await root.createWallet({ walletName: "w", accounts });
  const { mnemonic } = await exportMnemonic(organization, { walletId });
  const { entropy } = parseMnemonic(mnemonic);
  for (const language of ["JAPANESE", "CZECH"] as const) {
    const other = await exportMnemonic(organization, {
      walletId,
      language: `MNEMONIC_LANGUAGE_${language}`,
    });
    expect(other.mnemonic).toBe(entropyToMnemonic(entropy, language));
    const restored = await importMnemonic(organization, other.mnemonic, {
      walletName: language,
      accounts,
    });
    expect(restored.addresses).not.toContain(addresses[0]);
  }
  const same = { walletId, language: "MNEMONIC_LANGUAGE_ENGLISH" as const };
  expect((await exportMnemonic(organization, same)).mnemonic).toBe(mnemonic);
});

test("the language is by default the one in which the wallet was imported", async () => {
  const organization = await newOrganization();
  const mnemonic = entropyToMnemonic(new Uint8Array(16).fill(5), "KOREAN");
  const { walletId } = await importMnemonic(organization, `${mnemonic}\nsecond factor`);
  expect(await exportMnemonic(organization, { walletId })).toEqual({
    mnemonic,
    passphrase: "second factor",
  });
});

test("the same bytes, and get_activity, give the same bundle to all who may read it", async () => {
  const organization = await newOrganization();
  const { root, organizationId, server } = organization;
  const grace = await addUser(organization);
  const { walletId } = await root.createWallet({ walletName: "w", accounts: [] });
  const { targetPublicKey, targetPrivateKey } = createTargetKey();
  const timestampMs = String(Date.now());
  const run = () => root.exportWallet({ walletId, targetPublicKey }, { timestampMs });
  const { exportBundle, activity } = await run();
  expect(await run()).toMatchObject({ exportBundle, activity: { id: activity.id } });
  for (let i = 0; i < 40; i++) await root.createWallet({ walletName: `other ${i}`, accounts: [] });
  expect((await run()).exportBundle).toBe(exportBundle);
  for (const client of [root, grace.client]) {
    const shown = await client.getActivity({ activityId: activity.id });
    expect(shown.activity.result).toEqual({ exportWalletResult: { walletId, exportBundle } });
  }
  const { activities } = await root.listActivities({ filterByType: [type] });
  expect(activities.map(({ result }) => result)).toEqual([
    { exportWalletResult: { walletId, exportBundle } },
  ]);
  const signerPublicKey = signerPublicKeyOf(server);
  const origin = { exportBundle, organizationId, signerPublicKey };
  expect(decryptWalletBundle({ ...origin, targetPrivateKey }).mnemonic).toMatch(/^\w+( \w+){11}$/);
  const stranger = createTargetKey().targetPrivateKey;
  expect(() => decryptWalletBundle({ ...origin, targetPrivateKey: stranger })).toThrow();
});

test("an export that needs approval is released to the last approver and the requester", async () => {
  const organization = await newQuorum();
  const { root, second } = organization;
  const made = await startWaiting(root, "create_wallet", {
    type: "ACTIVITY_TYPE_CREATE_WALLET",
    parameters: { walletName: "w", accounts: [] },
  });
  const { activity } = await second.client.approveActivity({ fingerprint: made.fingerprint });
  const walletId = activity.result.createWalletResult?.walletId ?? "";
  const { targetPublicKey } = createTargetKey();
  const waiting = await startWaiting(root, "export_wallet", {
    type,
    parameters: { walletId, targetPublicKey },
  });
  const shown = await root.getActivity({ activityId: waiting.id });
  expect(shown.activity.result).toEqual({});
  expect((await root.getWallet({ walletId })).wallet.exported).toBe(false);
  const approved = await second.client.approveActivity({ fingerprint: waiting.fingerprint });
  const bundle = approved.activity.result.exportWalletResult?.exportBundle;
  expect(bundle).toContain("enclaveQuorumPublic");
  const polled = await root.getActivity({ activityId: waiting.id });
  expect(polled.activity.result).toEqual({
    exportWalletResult: { walletId, exportBundle: bundle },
  });
});

test("policies see the wallet and the target key", async () => {
  const organization = await newOrganization();
  const grace = await addUser(organization);
  const { walletId } = await organization.root.createWallet({ walletName: "ops", accounts: [] });
  const vault = await organization.root.createWallet({ walletName: "vault", accounts: [] });
  const { targetPublicKey } = createTargetKey();
  await rule(
    organization,
    "EFFECT_ALLOW",
    grace,
    `activity.action == 'EXPORT' && activity.params.target_public_key == '${targetPublicKey}'`,
  );
  const deny = await rule(organization, "EFFECT_DENY", grace, "wallet.label == 'vault'");
  await grace.client.exportWallet({ walletId, targetPublicKey });
  const other = createTargetKey().targetPublicKey;
  await denial(grace.client.exportWallet({ walletId, targetPublicKey: other }));
  const { message } = await denial(
    grace.client.exportWallet({ walletId: vault.walletId, targetPublicKey }),
  );
  expect(message).toBe(`The following policies denied this action: ${deny}`);
});

test("a target key that is not a point of P-256 is refused, and not shown", async () => {
  const { root } = await newOrganization();
  const { walletId } = await root.createWallet({ walletName: "w", accounts: [] });
  const { targetPublicKey, targetPrivateKey } = createTargetKey();
  const at = "parameters.targetPublicKey";
  const keys: [string, string][] = [
    ["", "expected a P-256 public key in hex"],
    [targetPrivateKey, "expected a P-256 public key in hex"],
    [`0x${targetPublicKey}`, "expected a P-256 public key in hex"],
    [targetPublicKey.slice(0, -2), "expected a P-256 public key in hex"],
    [`${targetPublicKey.slice(0, -2)}zz`, "expected a P-256 public key in hex"],
    [`04${"11".repeat(64)}`, "not a point on the curve"],
    [`02${"ff".repeat(32)}`, "not a point on the curve"],
  ];
  for (const [key, message] of keys) {
    const parameters = { walletId, targetPublicKey: key };
    const refused = await refusal(submit(root, "export_wallet", { type, parameters }));
    expect(refused).toEqual(badRequest("FIELD_INVALID", at, expect.stringContaining(message)));
    if (key) expect(refused.message).not.toContain(key.slice(2, 12));
  }
  expect((await root.getWallet({ walletId })).wallet.exported).toBe(false);
  const compressed = `02${targetPublicKey.slice(2, 66)}`;
  const upper = targetPublicKey.toUpperCase();
  for (const key of [compressed, upper]) {
    await root.exportWallet({ walletId, targetPublicKey: key });
  }
});

test("bad parameters are refused by field", async () => {
  const { root } = await newOrganization();
  const { walletId } = await root.createWallet({ walletName: "w", accounts: [] });
  const { targetPublicKey } = createTargetKey();
  const cases: [object, string, string, unknown][] = [
    [{ targetPublicKey }, "FIELD_INVALID", "parameters.walletId", expect.anything()],
    [{ walletId }, "FIELD_INVALID", "parameters.targetPublicKey", expect.anything()],
    [
      { walletId, targetPublicKey, language: "MNEMONIC_LANGUAGE_KLINGON" },
      "FIELD_INVALID",
      "parameters.language",
      expect.stringContaining("accepted: MNEMONIC_LANGUAGE_ENGLISH"),
    ],
  ];
  for (const [parameters, code, field, message] of cases) {
    const refused = await refusal(submit(root, "export_wallet", { type, parameters }));
    expect(refused).toEqual(badRequest(code, field, message));
  }
  const other = await newOrganization();
  const foreign = await other.root.createWallet({ walletName: "w", accounts: [] });
  const unknown = root.exportWallet({ walletId: foreign.walletId, targetPublicKey });
  expect(await refusal(unknown)).toMatchObject({
    httpStatus: 404,
    code: "NOT_FOUND",
    field: "parameters.walletId",
  });
});
