import { newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { generatePrivateKey } from "@keyhearth/crypto/keys/keys";
import { createTargetKey } from "@keyhearth/sdk/crypto";
import { expect, test } from "vitest";
import { encryptFor } from "../bundles.testing.ts";
import {
  addUser,
  ethereumAccount,
  first,
  startWaiting,
  submit,
  type TestUser,
} from "../organization.testing.ts";

// What happens to keys can wait for approvals too, and what it is about can be gone by then.

type Case = TestOrganization & { carol: TestUser };

/** The parameters of a request, and what takes away what it is about. */
type Prepared = { parameters: object; spoil: () => Promise<unknown> };

const { targetPublicKey } = createTargetKey();

let names = 0;

function newName(): string {
  names += 1;
  return `thing ${names}`;
}

async function newWallet({ root }: Case) {
  const { walletId, addresses } = await root.createWallet({
    walletName: newName(),
    accounts: [ethereumAccount],
  });
  const { accounts } = await root.listWalletAccounts({ walletId });
  const spoil = () => root.deleteWallets({ walletIds: [walletId], deleteWithoutExport: true });
  const { walletAccountId } = first(accounts);
  return { walletId, address: first(addresses), walletAccountId, spoil };
}

async function newKey({ root }: Case) {
  const { privateKeys } = await root.createPrivateKeys({
    privateKeys: [
      {
        privateKeyName: newName(),
        curve: "CURVE_SECP256K1",
        privateKeyTags: [],
        addressFormats: [],
      },
    ],
  });
  const privateKeyId = first(privateKeys).privateKeyId ?? "";
  const privateKeyIds = [privateKeyId];
  const spoil = () => root.deletePrivateKeys({ privateKeyIds, deleteWithoutExport: true });
  return { privateKeyId, privateKeyIds, spoil };
}

async function newTag({ root }: Case) {
  const { privateKeyTagId } = await root.createPrivateKeyTag({
    privateKeyTagName: newName(),
    privateKeyIds: [],
  });
  const spoil = () => root.deletePrivateKeyTags({ privateKeyTagIds: [privateKeyTagId] });
  return { privateKeyTagId, spoil };
}

const deleteWithoutExport = true;

const operations: Record<string, (organization: Case) => Promise<Prepared>> = {
  async update_wallet(organization) {
    const { walletId, spoil } = await newWallet(organization);
    return { parameters: { walletId, walletName: newName() }, spoil };
  },
  async delete_wallets(organization) {
    const { walletId, spoil } = await newWallet(organization);
    return { parameters: { walletIds: [walletId], deleteWithoutExport }, spoil };
  },
  async delete_wallet_accounts(organization) {
    const { walletAccountId, spoil } = await newWallet(organization);
    return { parameters: { walletAccountIds: [walletAccountId], deleteWithoutExport }, spoil };
  },
  async delete_private_keys(organization) {
    const { privateKeyIds, spoil } = await newKey(organization);
    return { parameters: { privateKeyIds, deleteWithoutExport }, spoil };
  },
  async create_private_key_tag(organization) {
    const { privateKeyIds, spoil } = await newKey(organization);
    return { parameters: { privateKeyTagName: newName(), privateKeyIds }, spoil };
  },
  async update_private_key_tag(organization) {
    const { privateKeyTagId, spoil } = await newTag(organization);
    return { parameters: { privateKeyTagId, newPrivateKeyTagName: newName() }, spoil };
  },
  async delete_private_key_tags(organization) {
    const { privateKeyTagId, spoil } = await newTag(organization);
    return { parameters: { privateKeyTagIds: [privateKeyTagId] }, spoil };
  },
  async export_wallet(organization) {
    const { walletId, spoil } = await newWallet(organization);
    return { parameters: { walletId, targetPublicKey }, spoil };
  },
  async export_wallet_account(organization) {
    const { address, spoil } = await newWallet(organization);
    return { parameters: { address, targetPublicKey }, spoil };
  },
  async export_private_key(organization) {
    const { privateKeyId, spoil } = await newKey(organization);
    return { parameters: { privateKeyId, targetPublicKey }, spoil };
  },
  async import_private_key(organization) {
    const { carol } = organization;
    const open = () =>
      encryptFor(organization, "private-key", generatePrivateKey("CURVE_SECP256K1"), carol);
    const key = { curve: "CURVE_SECP256K1", addressFormats: [], encryptedBundle: await open() };
    const parameters = { userId: carol.userId, privateKeyName: newName(), ...key };
    return { parameters, spoil: open };
  },
};

test.each(Object.keys(operations))(
  "%s waits for approvals, is rejected, is carried out, or fails with what was wrong",
  async (endpoint) => {
    const organization = await newOrganization();
    const { root } = organization;
    const carol = await addUser(organization, "Carol");
    const viewer = await addUser(organization, "Viewer");
    const byCarol = `approvers.any(user, user.id == '${carol.userId}')`;
    const allow = (policyName: string, condition: string, consensus: string) =>
      root.createPolicy({ policyName, effect: "EFFECT_ALLOW", condition, consensus });
    await allow("two", "true", `${byCarol} && approvers.count() >= 2`);
    await allow("init", "activity.kind == 'INIT_IMPORT_PRIVATE_KEY'", byCarol);
    const type = `ACTIVITY_TYPE_${endpoint.toUpperCase()}`;
    const start = async () => {
      const prepared = await operations[endpoint]?.({ ...organization, carol });
      if (!prepared) throw new Error("an unknown operation");
      const { parameters, spoil } = prepared;
      const { fingerprint, id } = await startWaiting(carol.client, endpoint, { type, parameters });
      return { fingerprint, id, spoil };
    };
    const vote = (how: "approve" | "reject", fingerprint: string) =>
      submit(root, `${how}_activity`, {
        type: `ACTIVITY_TYPE_${how.toUpperCase()}_ACTIVITY`,
        parameters: { fingerprint },
      });
    const seen = async (activityId: string) =>
      (await viewer.client.getActivity({ activityId })).activity;

    const rejected = await start();
    expect(await seen(rejected.id)).toMatchObject({ result: {}, failure: null });
    await vote("reject", rejected.fingerprint);
    expect(await seen(rejected.id)).toMatchObject({
      status: "ACTIVITY_STATUS_REJECTED",
      result: {},
    });
    await expect(vote("approve", rejected.fingerprint)).rejects.toThrow(/no longer waiting/);

    const approved = await start();
    await vote("approve", approved.fingerprint);
    const done = await seen(approved.id);
    expect(done).toMatchObject({ status: "ACTIVITY_STATUS_COMPLETED", failure: null });
    expect(Object.keys(done.result)).toHaveLength(1);

    const spoiled = await start();
    await spoiled.spoil();
    await vote("approve", spoiled.fingerprint);
    expect(await seen(spoiled.id)).toMatchObject({
      status: "ACTIVITY_STATUS_FAILED",
      result: {},
      failure: { message: expect.stringMatching(/ not found: |^invalid encrypted bundle: /) },
    });
  },
);
