import { newKey, type TestClient } from "@keyhearth/api/testing";
import { createTargetKey } from "@keyhearth/sdk/crypto";
import { describe, expect, test } from "vitest";
import { clientFor, type Family, newMailFamily, readMail } from "../credential-mails.testing.ts";
import { addUser, expectDenied, first, refusal, submit } from "../organization.testing.ts";
import { newPasskey, passkeyClientOf } from "../passkey.testing.ts";

const type = "ACTIVITY_TYPE_RECOVER_USER";
const endpoint = "recover_user";
const gone = { httpStatus: 401, code: "CREDENTIAL_NOT_FOUND" };
const onlyRecovers = {
  httpStatus: 403,
  grpcCode: 7,
  code: "REQUEST_NOT_AUTHORIZED",
  field: undefined,
  message:
    "request not authorized: the key of a recovery mail stamps recover_user for its own user, and nothing else",
};
const { targetPublicKey, targetPrivateKey } = createTargetKey();

/** Starts Ada's recovery, and returns the client that stamps with the key of the mail. */
async function startRecovery({ child, asParent }: Family): Promise<TestClient> {
  await asParent.initUserEmailRecovery({ email: "ada@example.com", targetPublicKey });
  return (await readMail(child, targetPrivateKey)).client;
}

test("the recovery key registers a passkey of its user, once", async () => {
  const family = await newMailFamily();
  const { server, organizationId, userId, root } = family.child;
  const client = await startRecovery(family);
  const passkey = newPasskey();
  const request = { userId, authenticator: passkey.params };
  const { activity, ...result } = await client.recoverUser(request);
  expect(result).toEqual({ authenticatorId: [expect.any(String)] });
  expect(activity.intent).toEqual({ recoverUserIntent: request });
  expect(activity.result).toEqual({ recoverUserResult: result });

  const byPasskey = passkeyClientOf(server, organizationId, passkey);
  expect(await byPasskey.whoami()).toMatchObject({ userId });
  await byPasskey.createWallet({ walletName: "recovered", accounts: [] });
  const { user } = await root.getUser({ userId });
  expect(user.authenticators).toMatchObject([
    { authenticatorId: first(result.authenticatorId), authenticatorName: "phone" },
  ]);
  // The recovery key is gone, as clients that poll with it expect.
  expect(user.apiKeys).toHaveLength(1);
  const again = { userId, authenticator: newPasskey().params };
  expect(await refusal(client.recoverUser(again))).toMatchObject(gone);
  expect(await refusal(client.getActivity({ activityId: activity.id }))).toMatchObject(gone);
});

describe("a recovery key does nothing else", () => {
  test("no other submission and no query, whatever its user may do", async () => {
    const family = await newMailFamily();
    const { userId, organizationId } = family.child;
    const client = await startRecovery(family);
    const attempts = [
      () => client.createWallet({ walletName: "mine", accounts: [] }),
      () => client.createAuthenticators({ userId, authenticators: [newPasskey().params] }),
      () => client.stampLogin({ publicKey: newKey().publicKey }),
      () => client.createReadWriteSession({ targetPublicKey }),
      () => client.createReadOnlySession({}),
      () => client.emailAuth({ email: "ada@example.com", targetPublicKey }),
      () => client.initUserEmailRecovery({ email: "ada@example.com", targetPublicKey }),
      () => client.logOutEverywhere({ userId }),
      () => client.deleteOrganization({ organizationId }),
      () => client.whoami(),
      () => client.getUser({ userId }),
      () => client.getOrganization(),
      () => client.listActivities({}),
    ];
    for (const attempt of attempts) {
      expect(await refusal(attempt()), attempt.toString()).toEqual(onlyRecovers);
    }
  });

  test("not for another user", async () => {
    const family = await newMailFamily();
    const grace = await addUser(family.child);
    const client = await startRecovery(family);
    const request = { userId: grace.userId, authenticator: newPasskey().params };
    expect(await refusal(client.recoverUser(request))).toEqual(onlyRecovers);
  });

  test("and it does not survive a login that ends other sessions, a log-out or the feature", async () => {
    const family = await newMailFamily();
    const { root, userId } = family.child;
    const recover = (client: TestClient) =>
      refusal(client.recoverUser({ userId, authenticator: newPasskey().params }));
    for (const end of [
      () => root.createReadWriteSession({ targetPublicKey, invalidateExisting: true }),
      () => root.logOutEverywhere({ userId }),
      // The mail went to an address that is no longer the user's.
      async () => {
        await root.updateUserEmail({ userId, userEmail: "new@example.com" });
        await root.updateUserEmail({ userId, userEmail: "ada@example.com" });
      },
    ]) {
      const client = await startRecovery(family);
      await end();
      expect(await recover(client)).toMatchObject(gone);
    }
    const ofParent = family.parent.root;
    for (const [organization, name] of [
      [root, "FEATURE_NAME_EMAIL_RECOVERY"],
      [root, "FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY"],
      [ofParent, "FEATURE_NAME_EMAIL_RECOVERY"],
    ] as const) {
      const client = await startRecovery(family);
      await organization.removeOrganizationFeature({ name });
      expect(await recover(client)).toMatchObject({ httpStatus: 403, code: "FEATURE_DISABLED" });
      await organization.setOrganizationFeature({ name });
    }
  });
});

test("bad parameters are refused by field, all at once", async () => {
  const family = await newMailFamily();
  const { userId } = family.child;
  const client = await startRecovery(family);
  const ask = (parameters: object) => refusal(submit(client, endpoint, { type, parameters }));
  const authenticator = newPasskey().params;
  const cases: [object, string][] = [
    [{ userId }, "authenticator"],
    [{ authenticator }, "userId"],
    [{ userId: "ada", authenticator }, "userId"],
    [{ userId, authenticator: [authenticator] }, "authenticator"],
    [
      { userId, authenticator: { ...authenticator, challenge: newPasskey().params.challenge } },
      "authenticator.attestation.clientDataJson",
    ],
  ];
  for (const [parameters, member] of cases) {
    const field = `parameters.${member}`;
    const message = expect.stringContaining(`\`${field}\``);
    expect(await ask(parameters)).toMatchObject({ httpStatus: 400, field, message });
  }
  const { message } = await ask({
    userId: "",
    authenticator: { ...authenticator, challenge: "?" },
  });
  expect(message).toContain("`parameters.userId`");
  expect(message).toContain("`parameters.authenticator.challenge`");
});

test("a passkey that somebody has is refused", async () => {
  const family = await newMailFamily();
  const { root, userId } = family.child;
  const grace = await addUser(family.child);
  const taken = newPasskey();
  await root.createAuthenticators({ userId: grace.userId, authenticators: [taken.params] });
  const client = await startRecovery(family);
  expect(await refusal(client.recoverUser({ userId, authenticator: taken.params }))).toMatchObject({
    httpStatus: 409,
    field: "parameters.authenticator.attestation",
  });
});

test("without the recovery key it needs a permission, for oneself too, and the feature", async () => {
  const { child, parent } = await newMailFamily();
  const { root, userId } = child;
  const grace = await addUser(child);
  const recovery = () => ({ userId, authenticator: newPasskey().params });
  await expectDenied(grace.client.recoverUser(recovery()));
  await expectDenied(grace.client.recoverUser({ ...recovery(), userId: grace.userId }));
  await root.recoverUser(recovery());
  await root.removeOrganizationFeature({ name: "FEATURE_NAME_EMAIL_RECOVERY" });
  expect(await refusal(root.recoverUser(recovery()))).toMatchObject({ code: "FEATURE_DISABLED" });
  // The parent starts a recovery, and cannot finish it.
  const asParent = clientFor(parent, child);
  expect(await refusal(asParent.recoverUser(recovery()))).toMatchObject({ httpStatus: 403 });
});
