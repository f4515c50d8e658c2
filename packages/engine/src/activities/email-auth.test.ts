import { clientOf, newOrganization } from "@keyhearth/api/testing";
import { createTargetKey } from "@keyhearth/sdk/crypto";
import { describe, expect, test } from "vitest";
import {
  adasEmail,
  clientFor,
  credentialMailsOf,
  newMailFamily,
  newSibling,
  readMail,
} from "../credential-mails.testing.ts";
import {
  addUser,
  allow,
  badRequest,
  expectDenied,
  newQuorum,
  refusal,
  startWaiting,
  submit,
} from "../organization.testing.ts";

const endpoint = "email_auth";
const v2 = "ACTIVITY_TYPE_EMAIL_AUTH_V2";
const gone = { httpStatus: 401, code: "CREDENTIAL_NOT_FOUND" };
const disabled = { httpStatus: 403, code: "FEATURE_DISABLED" };
const { targetPublicKey, targetPrivateKey } = createTargetKey();
const asked = { email: "ada@EXAMPLE.com", targetPublicKey };

test("the key in the mail stamps requests as the user, and only the mail has it", async () => {
  const { child, asParent } = await newMailFamily();
  const { organizationId, userId, root } = child;
  const { activity, ...result } = await asParent.emailAuth({
    ...asked,
    emailCustomization: {
      appName: "Example",
      magicLinkTemplate: "https://app.example.com/login?bundle=%s",
    },
    sendFromEmailAddress: "login@example.com",
  });
  expect(result).toEqual({ userId, apiKeyId: expect.any(String) });
  expect(activity.result).toEqual({ emailAuthResult: result });
  expect(activity.organizationId).toBe(organizationId);

  const { message, client } = await readMail(child, targetPrivateKey);
  expect(message).toMatchObject({
    kind: "email-login",
    // As the organization has it.
    recipient: adasEmail,
    content: {
      organizationId,
      organizationName: "child",
      userId,
      userName: "Ada",
      style: {
        appName: "Example",
        magicLinkTemplate: "https://app.example.com/login?bundle=%s",
        senderAddress: "login@example.com",
        senderName: null,
      },
    },
  });
  expect(message.expiresAtMs - message.createdAtMs).toBe(900_000);
  expect(JSON.stringify(activity)).not.toContain(message.content.credentialBundle);

  expect(await client.whoami()).toMatchObject({ userId, organizationId });
  await client.createWallet({ walletName: "by mail", accounts: [] });
  const { apiKey } = await root.getApiKey({ apiKeyId: result.apiKeyId });
  expect(apiKey).toMatchObject({
    apiKeyName: expect.stringMatching(/^Email Auth - \d{4}-/),
    credential: { type: "CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256" },
    expirationSeconds: "900",
  });
  await root.logOutEverywhere({ userId });
  expect(await refusal(client.whoami())).toMatchObject(gone);
});

test("name and lifetime are as asked, and a later login ends earlier ones on request", async () => {
  const { child, asParent } = await newMailFamily();
  const { root, userId } = child;
  await asParent.emailAuth(asked);
  const { client: earlier } = await readMail(child, targetPrivateKey);
  await asParent.emailAuth({ ...asked, apiKeyName: "phone", expirationSeconds: "60" });
  const { message, client: later } = await readMail(child, targetPrivateKey);
  expect(message.expiresAtMs - message.createdAtMs).toBe(60_000);
  expect(await earlier.whoami()).toMatchObject({ userId });
  const session = await root.createReadWriteSession({ targetPublicKey });
  const { apiKeyId } = await asParent.emailAuth({ ...asked, invalidateExisting: true });
  for (const client of [earlier, later]) {
    expect(await refusal(client.whoami())).toMatchObject(gone);
  }
  const ids = (await root.getApiKeys({ userId })).apiKeys.map((key) => key.apiKeyId);
  // Sessions of other kinds stay.
  expect(ids.slice(1)).toEqual([session.apiKeyId, apiKeyId]);
});

test("every version sends the same mail; the newest needs the name of the application", async () => {
  const { child, asParent } = await newMailFamily();
  const emailCustomization = { appName: "Example", templateVariables: '{"name":"Ada"}' };
  for (const [type, key] of [
    ["ACTIVITY_TYPE_EMAIL_AUTH", "emailAuthIntent"],
    [v2, "emailAuthIntentV2"],
    ["ACTIVITY_TYPE_EMAIL_AUTH_V3", "emailAuthIntentV3"],
  ] as const) {
    const parameters = {
      ...asked,
      emailCustomization,
      sendFromEmailSenderName: "Example Team",
      replyToEmailAddress: "help@example.com",
    };
    const activity = await submit(asParent, endpoint, { type, parameters });
    expect(activity.intent).toEqual({ [key]: parameters });
    const { message } = await readMail(child, targetPrivateKey);
    expect(message.content.style).toMatchObject({
      appName: "Example",
      templateVariables: { name: "Ada" },
      senderName: "Example Team",
      replyToAddress: "help@example.com",
    });
  }
  const type = "ACTIVITY_TYPE_EMAIL_AUTH_V3";
  expect(await refusal(submit(asParent, endpoint, { type, parameters: asked }))).toMatchObject(
    badRequest("FIELD_INVALID", "parameters.emailCustomization", expect.any(String)),
  );
});

describe("FEATURE_NAME_EMAIL_AUTH", () => {
  const name = "FEATURE_NAME_EMAIL_AUTH";

  test("must be on in the sub-organization and in its parent", async () => {
    const { parent, child, asParent } = await newMailFamily();
    for (const { root } of [parent, child]) {
      await root.removeOrganizationFeature({ name });
      expect(await refusal(asParent.emailAuth(asked))).toMatchObject(disabled);
      expect(await refusal(child.root.emailAuth(asked))).toMatchObject(disabled);
      await root.setOrganizationFeature({ name });
      await asParent.emailAuth(asked);
    }
    expect(await credentialMailsOf(child)).toHaveLength(2);
  });

  test("is off in a new top-level organization, and has no value", async () => {
    const organization = await newOrganization();
    const { root, userId } = organization;
    await root.updateUser({ userId, userEmail: adasEmail });
    expect(await refusal(root.emailAuth(asked))).toMatchObject(disabled);
    const bad = root.setOrganizationFeature({ name, value: "yes" });
    expect(await refusal(bad)).toMatchObject({ httpStatus: 400, field: "parameters.value" });
    await root.setOrganizationFeature({ name });
    await root.emailAuth(asked);
    const { client } = await readMail(organization, targetPrivateKey);
    expect(await client.whoami()).toMatchObject({ userId });
  });
});

test("several mistakes are named at once, and nothing is sent", async () => {
  const { child, asParent } = await newMailFamily();
  const ask = (parameters: object) => refusal(submit(asParent, endpoint, { type: v2, parameters }));
  const cases: [object, string, string][] = [
    [{ targetPublicKey }, "email", "missing field `parameters.email`"],
    [{ ...asked, email: "" }, "email", "invalid email address"],
    [{ ...asked, email: "ada\r\nbcc:eve@example.com" }, "email", "invalid email address"],
    [{ ...asked, targetPublicKey: "04" }, "targetPublicKey", "expected a P-256 public key"],
    [{ ...asked, apiKeyName: "" }, "apiKeyName", "must not be empty"],
    [{ ...asked, expirationSeconds: "0" }, "expirationSeconds", "invalid api key expiration"],
    [
      { ...asked, emailCustomization: { magicLinkTemplate: "https://example.com" } },
      "emailCustomization.magicLinkTemplate",
      "invalid magic link template",
    ],
    [
      { ...asked, sendFromEmailSenderName: "Example\r\nBcc: eve@example.com" },
      "sendFromEmailSenderName",
      "must not contain control characters",
    ],
    [{ ...asked, userId: child.userId }, "userId", "unknown field `userId`"],
  ];
  for (const [parameters, member, text] of cases) {
    const code = member === "userId" ? "FIELD_UNKNOWN" : "FIELD_INVALID";
    const message = expect.stringContaining(text);
    expect(await ask(parameters)).toEqual(badRequest(code, `parameters.${member}`, message));
  }
  const { message } = await ask({ email: "", targetPublicKey: "", expirationSeconds: "-1" });
  for (const member of ["email", "targetPublicKey", "expirationSeconds"]) {
    expect(message).toContain(`\`parameters.${member}\``);
  }
  expect(await ask({ ...asked, email: "eve@example.com" })).toMatchObject({
    httpStatus: 404,
    field: "parameters.email",
    message: "user with the email address not found: `eve@example.com`",
  });
  await child.root.removeOrganizationFeature({ name: "FEATURE_NAME_EMAIL_AUTH" });
  const both = await ask({ ...asked, email: "eve@example.com" });
  expect(both.message).toMatch(/FEATURE_NAME_EMAIL_AUTH.*user with the email address not found/);
  expect(await credentialMailsOf(child)).toEqual([]);
});

test("an address that several users have is refused", async () => {
  const { child, asParent } = await newMailFamily();
  const grace = await addUser(child);
  await child.root.updateUser({ userId: grace.userId, userEmail: "ADA@example.com" });
  expect(await refusal(asParent.emailAuth(asked))).toEqual(
    badRequest("FIELD_INVALID", "parameters.email", expect.stringContaining("more than one user")),
  );
});

test("users may ask for their own mail, and need a permission to ask for another user's", async () => {
  const { child } = await newMailFamily();
  const { root } = child;
  const grace = await addUser(child);
  await root.updateUser({ userId: grace.userId, userEmail: "grace@example.com" });
  await grace.client.emailAuth({ ...asked, email: "Grace@example.com" });
  await expectDenied(grace.client.emailAuth(asked));
  await allow(child, grace.userId, ["AUTH", "CREATE"]);
  await grace.client.emailAuth(asked);
  await root.createPolicy({
    policyName: "no mails to Ada",
    effect: "EFFECT_DENY",
    condition: `activity.kind == 'EMAIL_AUTH' && activity.params.email == '${adasEmail}'`,
    notes: "",
  });
  // Another spelling of the address is the same address.
  expect(await refusal(grace.client.emailAuth(asked))).toMatchObject({ code: "POLICY_DENIED" });
});

test("a parent's user needs a permission of the parent, even with the same address", async () => {
  const { parent, child } = await newMailFamily();
  const clerk = await addUser(parent, "Clerk");
  await parent.root.updateUser({ userId: clerk.userId, userEmail: adasEmail });
  const client = clientOf(parent.server, child.organizationId, clerk.key);
  expect(await refusal(client.emailAuth(asked))).toMatchObject({ code: "POLICY_DENIED" });
  await allow(parent, clerk.userId, ["AUTH", "CREATE"]);
  await client.emailAuth(asked);
});

test("siblings and the sub-organization's own users elsewhere are refused", async () => {
  const { parent, child } = await newMailFamily();
  const sibling = await newSibling(parent);
  for (const [from, to] of [
    [sibling, child],
    [child, parent],
  ] as const) {
    expect(await refusal(clientFor(from, to).emailAuth(asked))).toMatchObject(gone);
  }
});

test("a mail that waits for approvals is sent once, when it has them", async () => {
  const organization = await newQuorum();
  const { root, second, third } = organization;
  const approved = async (ask: Parameters<typeof startWaiting>[2], at: string) => {
    const { fingerprint } = await startWaiting(root, at, ask);
    await second.client.approveActivity({ fingerprint });
  };
  const feature = { name: "FEATURE_NAME_EMAIL_AUTH" };
  const setFeature = "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE";
  await approved({ type: setFeature, parameters: feature }, "set_organization_feature");
  const change = { userId: third.userId, userEmail: adasEmail };
  const update = "ACTIVITY_TYPE_UPDATE_USER";
  await approved({ type: update, parameters: change }, "update_user");
  const { fingerprint, id } = await startWaiting(root, endpoint, { type: v2, parameters: asked });
  expect(await credentialMailsOf(organization)).toEqual([]);
  await second.client.approveActivity({ fingerprint });
  const { activity } = await root.getActivity({ activityId: id });
  expect(activity.result.emailAuthResult).toMatchObject({ userId: third.userId });
  const { client } = await readMail(organization, targetPrivateKey);
  expect(await client.whoami()).toMatchObject({ userId: third.userId });
  await third.client.approveActivity({ fingerprint });
  expect(await credentialMailsOf(organization)).toHaveLength(1);
});
