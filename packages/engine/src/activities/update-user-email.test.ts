import { clientOf, newKey, newOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import { newSibling } from "../credential-mails.testing.ts";
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
import { tokenOf } from "../verification-tokens.testing.ts";

const endpoint = "update_user_email";
const type = "ACTIVITY_TYPE_UPDATE_USER_EMAIL";
const contact = "grace@example.com";
const other = "ada2@example.com";
const unknownId = "00000000-0000-4000-8000-000000000000";
const verification_type = "OTP_TYPE_EMAIL";

/** A parent, and the sub-organization of Ada. */
async function newFamily() {
  const parent = await newOrganization();
  const child = await newSibling(parent);
  const { server, organizationId, userId, root, rootKey } = child;
  /** It names the key that stamps Ada's requests. */
  const token = (claims: object = {}) =>
    tokenOf(server, {
      contact,
      organization_id: parent.organizationId,
      verification_type,
      public_key: rootKey.publicKey,
      ...claims,
    });
  const verified = async (filterValue: string) => {
    const filter = { filterType: "EMAIL", filterValue };
    return (await parent.root.listVerifiedSuborgs(filter)).organizationIds;
  };
  return { parent, child, server, organizationId, userId, root, token, verified };
}

test("the userEmail changes, and an empty one removes it", async () => {
  const { root, userId } = await newFamily();
  const shown = async () => (await root.getUser({ userId })).user;
  const before = await shown();
  const request = { userId, userEmail: contact };
  const { activity, ...result } = await root.updateUserEmail(request);
  expect(result).toEqual({ userId });
  expect(activity.intent).toEqual({ updateUserEmailIntent: request });
  expect(activity.result).toEqual({ updateUserEmailResult: { userId } });
  expect(await shown()).toEqual({
    ...before,
    userEmail: contact,
    updatedAt: expect.any(Object),
  });
  await root.updateUserEmail({ userId, userEmail: "" });
  expect((await shown()).userEmail).toBeUndefined();
});

test("a token of the contact verifies it, and any other change ends that", async () => {
  const { root, userId, organizationId, token, verified } = await newFamily();
  const change = (value: string, verificationToken?: string) =>
    root.updateUserEmail({
      userId,
      userEmail: value,
      ...(verificationToken && { verificationToken }),
    });
  await change(contact);
  expect(await verified(contact)).toEqual([]);
  await change(contact, token());
  expect(await verified(contact)).toEqual([organizationId]);
  // The same one again does not change it.
  await change(contact);
  await root.updateUser({ userId, userName: "Ada Lovelace", userEmail: contact });
  expect(await verified(contact)).toEqual([organizationId]);
  await change(other);
  expect(await verified(contact)).toEqual([]);
  expect(await verified(other)).toEqual([]);
  // One of the sub-organization itself counts there too.
  await change(contact, token({ organization_id: organizationId }));
  expect(await verified(contact)).toEqual([organizationId]);
  await root.updateUser({ userId, userEmail: other });
  await change(contact);
  expect(await verified(contact)).toEqual([]);
  await change(contact, token());
  await change("");
  expect(await verified(contact)).toEqual([]);
});

test("a token that names another key than that of the stamp, or none, verifies nothing", async () => {
  const { root, userId, token, verified } = await newFamily();
  for (const public_key of [newKey().publicKey, ""]) {
    const verificationToken = token({ public_key });
    await root.updateUserEmail({ userId, userEmail: contact, verificationToken });
    expect((await root.getUser({ userId })).user.userEmail).toBe(contact);
    expect(await verified(contact)).toEqual([]);
  }
  // Nor does it end what is proven, because it states the same contact again.
  await root.updateUserEmail({ userId, userEmail: contact, verificationToken: token() });
  const verificationToken = token({ public_key: "" });
  await root.updateUserEmail({ userId, userEmail: contact, verificationToken });
  expect(await verified(contact)).toHaveLength(1);
});

test("a token that does not prove this contact here is refused", async () => {
  const { parent, child, root, userId, token, verified } = await newFamily();
  const sibling = await newSibling(parent);
  const stranger = await newOrganization();
  const nowMs = Date.now();
  const tokens: [string, RegExp][] = [
    ["", /is not a verification token/],
    ["a.b.c", /is not a verification token/],
    [`${token().slice(0, -4)}AAAA`, /is not a verification token/],
    [token({ contact: other }), /proves another contact than `parameters.userEmail`/],
    [token({ verification_type: "OTP_TYPE_SMS" }), /proves another contact/],
    [token({ organization_id: sibling.organizationId }), /is of another organization/],
    [token({ organization_id: stranger.organizationId }), /is of another organization/],
    [token({ exp: String(nowMs - 1) }), /expired at/],
  ];
  for (const [verificationToken, message] of tokens) {
    const parameters = { userId, userEmail: contact, verificationToken };
    const refused = await refusal(submit(root, endpoint, { type, parameters }));
    const field = "parameters.verificationToken";
    const text = expect.stringMatching(message);
    expect(refused).toEqual(badRequest("VERIFICATION_TOKEN_INVALID", field, text));
    if (verificationToken) expect(refused.message).not.toContain(verificationToken);
  }
  // Nothing proves that there is none.
  const removed = { userId, userEmail: "", verificationToken: token() };
  expect(await refusal(submit(root, endpoint, { type, parameters: removed }))).toMatchObject({
    field: "parameters.verificationToken",
  });
  expect(await verified(contact)).toEqual([]);
  expect(child.userId).toBe(userId);
});

test("bad parameters are refused by field, all at once", async () => {
  const { root, userId, organizationId } = await newFamily();
  const ask = (parameters: object) => refusal(submit(root, endpoint, { type, parameters }));
  expect(await ask({ userId })).toEqual(
    badRequest(
      "FIELD_INVALID",
      "parameters.userEmail",
      expect.stringContaining("missing field `parameters.userEmail`"),
    ),
  );
  const both = await ask({ userId: "ada", userEmail: "no address", verificationToken: 1 });
  expect(both.message).toContain("not a UUID");
  expect(both.message).toContain("invalid email address");
  expect(both.message).toContain("`parameters.verificationToken`");
  const unknown = await ask({ userId: unknownId, userEmail: contact, verificationToken: "x" });
  expect(unknown).toMatchObject({
    httpStatus: 404,
    field: "parameters.userId",
    message: expect.stringContaining(
      `unable to find user ${unknownId} in organization ${organizationId}; invalid verification token`,
    ),
  });
});

test("users need a permission, and only the root quorum changes a root user's contact", async () => {
  const organization = await newOrganization();
  const { userId: rootId } = organization;
  const { userId, client } = await addUser(organization);
  const request = { userId, userEmail: contact };
  await expectDenied(client.updateUserEmail(request));
  await allow(organization, userId, ["USER", "UPDATE"]);
  await client.updateUserEmail(request);
  const verificationToken = tokenOf(organization.server, {
    contact,
    organization_id: organization.organizationId,
    verification_type,
  });
  for (const proof of [{}, { verificationToken }]) {
    const refused = await refusal(
      client.updateUserEmail({ userId: rootId, userEmail: contact, ...proof }),
    );
    expect(refused).toMatchObject({
      code: "POLICY_DENIED",
      message: expect.stringContaining("Only the root quorum can do this"),
    });
  }
  // Nor does the parent of a sub-organization.
  const child = await newSibling(organization);
  const asParent = clientOf(organization.server, child.organizationId, organization.rootKey);
  const ofChild = { userId: child.userId, userEmail: contact };
  expect((await refusal(asParent.updateUserEmail(ofChild))).httpStatus).toBe(403);
});

test("one root user alone is not the quorum", async () => {
  const { root, second, third } = await newQuorum();
  const parameters = { userId: third.userId, userEmail: contact };
  const { fingerprint } = await startWaiting(root, endpoint, { type, parameters });
  await second.client.approveActivity({ fingerprint });
  const { user } = await root.getUser({ userId: third.userId });
  expect(user.userEmail).toBe(contact);
});
