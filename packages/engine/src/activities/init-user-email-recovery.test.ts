import { newOrganization } from "@keyhearth/api/testing";
import { createTargetKey } from "@keyhearth/sdk/crypto";
import { describe, expect, test } from "vitest";
import {
  adasEmail,
  clientFor,
  credentialMailsOf,
  newMailFamily,
  newSibling,
  offerMails,
  readMail,
} from "../credential-mails.testing.ts";
import {
  addUser,
  allow,
  badRequest,
  expectDenied,
  refusal,
  submit,
} from "../organization.testing.ts";
import { newPasskey } from "../passkey.testing.ts";

const endpoint = "init_user_email_recovery";
const v1 = "ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY";
const v2 = "ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY_V2";
const gone = { httpStatus: 401, code: "CREDENTIAL_NOT_FOUND" };
const disabled = { httpStatus: 403, code: "FEATURE_DISABLED" };
const notAuthorized = { httpStatus: 403, code: "REQUEST_NOT_AUTHORIZED" };
const { targetPublicKey, targetPrivateKey } = createTargetKey();
const asked = { email: "ada@EXAMPLE.com", targetPublicKey };

test("the mail has a recovery key, and nothing else has it", async () => {
  const { child, asParent } = await newMailFamily();
  const { organizationId, userId, root } = child;
  const { activity, ...result } = await asParent.initUserEmailRecovery({
    ...asked,
    expirationSeconds: "600",
    emailCustomization: { appName: "Example" },
  });
  expect(result).toEqual({ userId });
  expect(activity.result).toEqual({ initUserEmailRecoveryResult: { userId } });
  const { message, key } = await readMail(child, targetPrivateKey);
  expect(message).toMatchObject({
    kind: "email-recovery",
    recipient: adasEmail,
    content: { organizationId, userId, userName: "Ada", style: { appName: "Example" } },
  });
  expect(message.expiresAtMs - message.createdAtMs).toBe(600_000);
  const { apiKeys } = await root.getApiKeys({ userId });
  expect(apiKeys.at(-1)).toMatchObject({
    apiKeyName: expect.stringMatching(/^Email Recovery - /),
    credential: { publicKey: key.publicKey, type: "CREDENTIAL_TYPE_RECOVER_USER_KEY_P256" },
    expirationSeconds: "600",
  });
});

test("only the newest recovery key counts, and other sessions go on", async () => {
  const { child, asParent } = await newMailFamily();
  const { userId } = child;
  await asParent.emailAuth(asked);
  const { client: session } = await readMail(child, targetPrivateKey);
  await asParent.initUserEmailRecovery(asked);
  const { client: earlier } = await readMail(child, targetPrivateKey);
  const { session: readOnly } = await child.root.createReadOnlySession({});
  await asParent.initUserEmailRecovery(asked);
  const { client: newest } = await readMail(child, targetPrivateKey);
  const recovery = { userId, authenticator: newPasskey().params };
  expect(await refusal(earlier.recoverUser(recovery))).toMatchObject(gone);
  expect(await session.whoami()).toMatchObject({ userId });
  expect(readOnly).not.toBe("");
  await newest.recoverUser(recovery);
});

test("the newest version needs the name of the application", async () => {
  const { child, asParent } = await newMailFamily();
  const ask = (parameters: object, type = v2) => submit(asParent, endpoint, { type, parameters });
  expect(await refusal(ask(asked))).toMatchObject({ field: "parameters.emailCustomization" });
  const parameters = {
    ...asked,
    emailCustomization: { appName: "Example", templateId: "welcome" },
    sendFromEmailAddress: "help@example.com",
    sendFromEmailSenderName: "Help",
    replyToEmailAddress: "reply@example.com",
  };
  const activity = await ask(parameters);
  expect(activity.intent).toEqual({ initUserEmailRecoveryIntentV2: parameters });
  expect((await readMail(child, targetPrivateKey)).message.content.style).toMatchObject({
    appName: "Example",
    templateId: "welcome",
    senderAddress: "help@example.com",
    senderName: "Help",
    replyToAddress: "reply@example.com",
  });
  expect((await ask(asked, v1)).intent).toEqual({ initUserEmailRecoveryIntent: asked });
});

describe("features", () => {
  const recovery = "FEATURE_NAME_EMAIL_RECOVERY";
  const ofRoots = "FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY";

  test("EMAIL_RECOVERY must be on in the sub-organization and in its parent", async () => {
    const { parent, child, asParent } = await newMailFamily();
    for (const { root } of [parent, child]) {
      await root.removeOrganizationFeature({ name: recovery });
      expect(await refusal(asParent.initUserEmailRecovery(asked))).toMatchObject(disabled);
      await root.setOrganizationFeature({ name: recovery });
      await asParent.initUserEmailRecovery(asked);
    }
  });

  test("ROOT_USER_EMAIL_RECOVERY lets root users recover, and no other user needs it", async () => {
    const { parent, child, asParent } = await newMailFamily();
    const grace = await addUser(child);
    const email = "grace@example.com";
    await child.root.updateUser({ userId: grace.userId, userEmail: email });
    await child.root.removeOrganizationFeature({ name: ofRoots });
    expect(await refusal(asParent.initUserEmailRecovery(asked))).toMatchObject({
      ...disabled,
      message: expect.stringContaining(ofRoots),
    });
    await asParent.initUserEmailRecovery({ ...asked, email });
    await child.root.setOrganizationFeature({ name: ofRoots });
    // That of the parent is about the parent's own root users.
    await parent.root.removeOrganizationFeature({ name: ofRoots });
    await asParent.initUserEmailRecovery(asked);
  });

  test("both are off in a new top-level organization", async () => {
    const organization = await newOrganization();
    const { root, userId } = organization;
    await root.updateUser({ userId, userEmail: adasEmail });
    const ask = () => root.initUserEmailRecovery(asked);
    expect(await refusal(ask())).toMatchObject(disabled);
    await root.setOrganizationFeature({ name: recovery });
    expect(await refusal(ask())).toMatchObject(disabled);
    await root.setOrganizationFeature({ name: ofRoots });
    await ask();
    for (const name of [recovery, ofRoots] as const) {
      const bad = root.setOrganizationFeature({ name, value: "false" });
      expect(await refusal(bad)).toMatchObject({ httpStatus: 400, field: "parameters.value" });
    }
  });

  test("a creator who disables recovery gets a sub-organization without both", async () => {
    const { parent } = await newMailFamily();
    const { subOrganizationId } = await parent.root.createSubOrganization({
      subOrganizationName: "no recovery",
      rootUsers: [
        {
          userName: "Ada",
          userEmail: adasEmail,
          apiKeys: [],
          authenticators: [],
          oauthProviders: [],
        },
      ],
      rootQuorumThreshold: 1,
      disableEmailRecovery: true,
    });
    const client = clientFor(parent, { organizationId: subOrganizationId });
    expect(await refusal(client.initUserEmailRecovery(asked))).toMatchObject(disabled);
  });
});

test("bad parameters are refused by field, all at once, and nothing is sent", async () => {
  const { child, asParent } = await newMailFamily();
  const ask = (parameters: object) => refusal(submit(asParent, endpoint, { type: v1, parameters }));
  const { field, message } = await ask({ email: "", targetPublicKey: "", expirationSeconds: "x" });
  expect(field).toBe("parameters.email");
  for (const member of ["targetPublicKey", "expirationSeconds"]) {
    expect(message).toContain(`\`parameters.${member}\``);
  }
  expect(await ask({ ...asked, apiKeyName: "x" })).toMatchObject(
    badRequest("FIELD_UNKNOWN", "parameters.apiKeyName", expect.any(String)),
  );
  expect(await ask({ ...asked, email: "eve@example.com" })).toMatchObject({
    httpStatus: 404,
    field: "parameters.email",
  });
  const grace = await addUser(child);
  await child.root.updateUser({ userId: grace.userId, userEmail: "ADA@example.com" });
  expect(await ask(asked)).toMatchObject({
    field: "parameters.email",
    message: expect.stringContaining("more than one user"),
  });
  expect(await credentialMailsOf(child)).toEqual([]);
});

test("nobody asks without a permission, not even for themselves", async () => {
  const { parent, child, asParent } = await newMailFamily();
  const sibling = await newSibling(parent);
  expect(await refusal(clientFor(sibling, child).initUserEmailRecovery(asked))).toMatchObject(gone);
  const grace = await addUser(child);
  const email = "grace@example.com";
  await child.root.updateUser({ userId: grace.userId, userEmail: email });
  await expectDenied(grace.client.initUserEmailRecovery(asked));
  await expectDenied(grace.client.initUserEmailRecovery({ ...asked, email }));
  await allow(child, grace.userId, ["RECOVERY", "CREATE"]);
  await grace.client.initUserEmailRecovery({ ...asked, email });
  await asParent.initUserEmailRecovery(asked);
});

test("a recovery key of the parent's user does not stand for the parent", async () => {
  const organization = await newOrganization();
  await offerMails(organization);
  const { root, userId } = organization;
  await root.updateUser({ userId, userEmail: "root@example.com" });
  const child = await newSibling(organization);
  await root.initUserEmailRecovery({ ...asked, email: "root@example.com" });
  const { key, client } = await readMail(organization, targetPrivateKey);
  expect(await refusal(client.initUserEmailRecovery(asked))).toMatchObject(notAuthorized);
  const asParent = clientFor({ ...organization, rootKey: key }, child);
  expect((await refusal(asParent.initUserEmailRecovery(asked))).httpStatus).toBe(401);
});
