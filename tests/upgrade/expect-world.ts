import { startReceiver } from "@keyhearth/api/jobs/webhooks/receiver.testing";
import { ethereumAccount } from "@keyhearth/engine/organization.testing";
import { type KeyhearthClient, KeyhearthError } from "@keyhearth/sdk";
import {
  compareReceipts,
  verifyAppProof,
  verifyReceipts,
  verifyWebhook,
} from "@keyhearth/sdk/crypto";
import { expect } from "vitest";
import { newApiKey } from "../self-hosting/keys.ts";
import { clientOf, type Service } from "../start/process.ts";
import {
  agree,
  askAll,
  caught,
  exportSecrets,
  passkeyClientOf,
  publicKeysOf,
  sealedReceipts,
  sign,
  signTransaction,
  type World,
} from "./world.ts";

/** What was made with an earlier release works, and can be proven. */
export async function expectWorks(service: Service, world: World) {
  const parent = clientOf(service, world.root);
  expect(await publicKeysOf(service)).toMatchObject(world.keys);
  await expectKeys(parent, world);
  await expectPeople(service, world);
  await expectProofs(service, world);
  await expectEvents(parent, world);
  // Documents of all organizations are written again, and what is new works as well.
  const { addresses, walletId } = await parent.createWallet({
    walletName: `after the upgrade ${Date.now()}`,
    accounts: [ethereumAccount],
  });
  const signer = { signWith: addresses[0] ?? "", hashFunction: "HASH_FUNCTION_NO_OP" } as const;
  expect((await sign(parent, signer)).r).toMatch(/^[0-9a-f]{64}$/);
  await parent.deleteWallets({ walletIds: [walletId], deleteWithoutExport: true });
}

/** Everything is shown as it was. A newer release may show more of each. */
export async function expectShown(service: Service, { root, answers }: World) {
  expect(answers.activities.length).toBeGreaterThan(20);
  expect(await askAll(clientOf(service, root))).toMatchObject(answers);
}

/** Signatures are deterministic, and only the owner gets the secrets. */
async function expectKeys(parent: KeyhearthClient, world: World) {
  for (const signed of world.signed) expect(await sign(parent, signed)).toEqual(signed);
  const { transaction } = world;
  expect(await signTransaction(parent, transaction.signWith)).toEqual(transaction);
  expect(await exportSecrets(parent, world, world.keys)).toEqual(world.secrets);
}

/** API keys and passkeys stamp, approvals count, and what has an end has ended when it is over. */
async function expectPeople(service: Service, { ada, grace, passkey, session, waiting }: World) {
  const graces = clientOf(service, grace);
  const shown = await graces.getActivity({ activityId: waiting.activityId });
  expect(shown.activity).toMatchObject({
    id: waiting.activityId,
    fingerprint: waiting.fingerprint,
    intent: { createUserTagIntent: { userTagName: "waits" } },
  });
  const passkeys = passkeyClientOf(service, { ...ada, ...passkey });
  await agree(passkeys, graces, `agreed ${Date.now()}`);

  const outcome = await clientOf(service, session.key)
    .whoami()
    .catch((error: unknown) => error);
  if (Date.now() < session.expiresAtMs)
    expect(outcome).toMatchObject({ userId: session.key.userId });
  else expect(outcome).toBeInstanceOf(KeyhearthError);
  const stranger = clientOf(service, { ...ada, ...newApiKey() });
  expect(await caught(stranger.whoami())).toMatchObject({ httpStatus: 401 });
}

/** What was stated then verifies with the key of then, and the log goes on from where it was. */
async function expectProofs(service: Service, world: World) {
  const { quorumPublicKey } = world.keys;
  expect(world.proofs.length).toBeGreaterThan(2);
  for (const proof of world.proofs) expect(verifyAppProof(proof, quorumPublicKey)).toBe(true);
  const clients = [world.root, world.ada].map((key) => clientOf(service, key));
  for (const [index, client] of clients.entries()) {
    const [before, after] = [world.receipts[index], await sealedReceipts(client)];
    const report = verifyReceipts(after, quorumPublicKey);
    expect(report).toMatchObject({ valid: true, problems: [], leavesNotShown: 0 });
    const compared = compareReceipts(before, after, quorumPublicKey);
    expect(compared).toMatchObject({ valid: true, compared: before?.segments.length });
  }
}

/** The endpoint of then gets what happens now, signed with the key of then. */
async function expectEvents(parent: KeyhearthClient, { keys }: World) {
  const receiver = await startReceiver();
  try {
    const { webhookEndpoints } = await parent.listWebhookEndpoints();
    const [endpoint] = webhookEndpoints;
    const endpointId = endpoint?.endpointId ?? "";
    await parent.updateWebhookEndpoint({ endpointId, url: receiver.url, isActive: true });
    const { activity } = await parent.createUserTag({
      userTagName: `told ${Date.now()}`,
      userIds: [],
    });
    const arrived = () => receiver.received.find((each) => each.activity.id === activity.id);
    await expect.poll(arrived, { timeout: 30_000 }).toBeDefined();
    const { headers = {}, body = "" } = arrived() ?? {};
    const publicKeys = [keys.webhookPublicKey];
    const isOurs = (id: string) => id === activity.organizationId;
    const event = verifyWebhook({ headers, body, publicKeys, isOurs });
    expect(event.activity.id).toBe(activity.id);
    await parent.updateWebhookEndpoint({ endpointId, isActive: false });
  } finally {
    await receiver.close();
  }
}
