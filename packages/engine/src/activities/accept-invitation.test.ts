import { clientOf, newKey, newOrganization, startTestServer } from "@keyhearth/api/testing";
import { concatBytes, decodeBase64Url, encodeBase64Url } from "@keyhearth/crypto/encoding/bytes";
import { expect, test } from "vitest";
import { acceptanceOf, invite, mailsOf, proofOf } from "../invitations.testing.ts";
import {
  addUser,
  badRequest,
  bodyOf,
  first,
  impatient,
  newQuorum,
  post,
  refusal,
  submit,
  withoutRetries,
} from "../organization.testing.ts";
import { browserParams, newPasskey } from "../passkey.testing.ts";

const type = "ACTIVITY_TYPE_ACCEPT_INVITATION_V2";
const unknownId = "00000000-0000-4000-8000-000000000000";
const endpoint = "accept_invitation";

/** The digit that decodes to the same bytes at the end of 43: its last two bits are not used. */
function next(digit: string): string {
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return digits.charAt(digits.indexOf(digit) + 1);
}

const notFound = (invitationId: string) => ({
  httpStatus: 404,
  grpcCode: 5,
  code: "NOT_FOUND",
  field: "parameters.invitationId",
  message: `invitation not found: \`${invitationId}\``,
});

test("the receiver becomes a user with the name, the address and the tags of the invitation", async () => {
  const organization = await newOrganization();
  const { server, root } = organization;
  const { userTagId } = await root.createUserTag({ userTagName: "ops", userIds: [] });
  const mail = await invite(organization, { receiverUserTags: [userTagId] });
  const { client, parameters, passkey } = acceptanceOf(server, mail);
  const accepted = await client.acceptInvitation(parameters);
  const { invitationId, userId } = mail;
  expect(accepted).toMatchObject({ invitationId, userId });
  const { activity } = accepted;
  expect(activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
  expect(activity.result).toEqual({ acceptInvitationResult: { invitationId, userId } });
  expect(activity.votes.map((vote) => vote.user?.userName)).toEqual(["Grace"]);

  const { user } = await root.getUser({ userId });
  expect(user).toMatchObject({
    userName: "Grace",
    userEmail: "grace@example.com",
    userTags: [userTagId],
    apiKeys: [],
    authenticators: [{ authenticatorName: "phone", credentialId: passkey.credentialId }],
  });
  expect(await client.whoami()).toMatchObject({ userId, username: "Grace" });
});

test("the first version takes what a browser returns", async () => {
  const organization = await newOrganization();
  const mail = await invite(organization);
  const { client, passkey, parameters } = acceptanceOf(organization.server, mail);
  const { invitationId, userId } = mail;
  const accepted = await submit(client, endpoint, {
    type: "ACTIVITY_TYPE_ACCEPT_INVITATION",
    parameters: { ...parameters, authenticator: browserParams(passkey, userId) },
  });
  expect(accepted.result).toEqual({ acceptInvitationResult: { invitationId, userId } });
});

test("a sub-organization takes new users in the same way", async () => {
  const parent = await newOrganization();
  const { server, root } = parent;
  const rootKey = newKey();
  const { subOrganizationId, rootUserIds } = await root.createSubOrganization({
    subOrganizationName: "sub",
    rootQuorumThreshold: 1,
    rootUsers: [
      {
        userName: "Ada",
        apiKeys: [
          {
            apiKeyName: "k",
            publicKey: rootKey.publicKey,
            curveType: "API_KEY_CURVE_P256",
          },
        ],
        authenticators: [],
        oauthProviders: [],
      },
    ],
  });
  const mail = await invite({
    server,
    organizationId: subOrganizationId,
    userId: first(rootUserIds),
    root: clientOf(server, subOrganizationId, rootKey),
    rootKey,
  });
  const { client, parameters } = acceptanceOf(server, mail);
  expect(await client.acceptInvitation(parameters)).toMatchObject({ userId: mail.userId });
});

test("a quorum is not asked again when an invitation is accepted", async () => {
  const organization = await newQuorum();
  const { server, root, second, userId } = organization;
  const { fingerprint } = await submit(root, "create_invitations", {
    type: "ACTIVITY_TYPE_CREATE_INVITATIONS",
    parameters: {
      invitations: [
        {
          receiverUserName: "Grace",
          receiverUserEmail: "grace@example.com",
          receiverUserTags: [],
          accessType: "ACCESS_TYPE_WEB",
          senderUserId: userId,
        },
      ],
    },
  });
  await second.client.approveActivity({ fingerprint });
  const mail = first(await mailsOf(server, organization.organizationId));
  const { client, parameters } = acceptanceOf(server, mail);
  const { activity } = await client.acceptInvitation(parameters);
  expect(activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
});

test("the same bytes again are the same activity", async () => {
  const organization = await newOrganization();
  const mail = await invite(organization);
  const { client, parameters } = acceptanceOf(organization.server, mail);
  const body = bodyOf(mail.organizationId, { type, parameters });
  const one = await post(client, endpoint, body);
  expect(await post(client, endpoint, body)).toEqual(one);
});

test("bad parameters are refused by field", async () => {
  const organization = await newOrganization();
  const mail = await invite(organization);
  const { client, parameters } = acceptanceOf(organization.server, mail);
  const { authenticator, tokenProof } = parameters;
  const other = newPasskey();
  const cases: [object, string, string, unknown][] = [
    [
      { ...parameters, userId: unknownId },
      "FIELD_INVALID",
      "parameters.userId",
      "`parameters.userId` is not the id in the message of this invitation",
    ],
    [
      { ...parameters, authenticator: { ...authenticator, challenge: other.params.challenge } },
      "FIELD_INVALID",
      "parameters.authenticator.attestation.clientDataJson",
      expect.stringContaining("its `challenge` must be the `challenge` given"),
    ],
    [
      { ...parameters, tokenProof: proofOf(mail, other) },
      "FIELD_INVALID",
      "parameters.tokenProof",
      expect.stringMatching(/^`parameters.tokenProof` does not prove that you have the token/),
    ],
    [
      { ...parameters, tokenProof: undefined },
      "FIELD_INVALID",
      "parameters.tokenProof",
      "the token of the invitation must never be sent, so the request needs a proof that you have it: invalid request body: missing field `parameters.tokenProof`; expected a string",
    ],
    [
      { ...parameters, tokenProof: mail.token },
      "FIELD_INVALID",
      "parameters.tokenProof",
      expect.stringMatching(
        /must never be sent: `parameters.tokenProof` is a text of 22 characters$/,
      ),
    ],
    // The same bytes in another text prove nothing.
    [
      { ...parameters, tokenProof: `${tokenProof.slice(0, -1)}${next(tokenProof.slice(-1))}` },
      "FIELD_INVALID",
      "parameters.tokenProof",
      expect.stringContaining("does not prove"),
    ],
    [
      { ...parameters, tokenProof: `${tokenProof}=` },
      "FIELD_INVALID",
      "parameters.tokenProof",
      expect.stringContaining("base64url without padding"),
    ],
    [
      { ...parameters, authenticator: undefined },
      "FIELD_INVALID",
      "parameters.authenticator",
      expect.stringContaining("missing field `parameters.authenticator`"),
    ],
  ];
  for (const [changed, code, field, message] of cases) {
    const refused = await refusal(submit(client, endpoint, { type, parameters: changed }));
    expect(refused).toEqual(badRequest(code, field, message));
  }
  const unknown = { ...parameters, invitationId: unknownId };
  expect(await refusal(client.acceptInvitation(unknown))).toEqual(notFound(unknownId));
});

test("the token itself is refused as the challenge, and the answer says what to send", async () => {
  const organization = await newOrganization();
  const mail = await invite(organization);
  const passkey = newPasskey({ challenge: mail.token });
  const { client, parameters } = acceptanceOf(organization.server, mail, passkey);
  const refused = await refusal(client.acceptInvitation(parameters));
  expect(refused).toEqual(
    badRequest(
      "FIELD_INVALID",
      "parameters.authenticator.challenge",
      "`parameters.authenticator.challenge` is the token of this invitation, which must never be sent: register the passkey with a random challenge, and send the token's HMAC as `parameters.tokenProof`; ask for another invitation, because others may have read the token of this one",
    ),
  );
  expect(refused.message).not.toContain(mail.token);
});

test("the same passkey in an attestation object of another order needs another proof", async () => {
  const organization = await newOrganization();
  const mail = await invite(organization);
  const { client, parameters, passkey } = acceptanceOf(organization.server, mail);
  const { attestation } = parameters.authenticator;
  const bytes = decodeBase64Url(attestation.attestationObject);
  // After the head of the map come `fmt` and `attStmt`, nine bytes each, and the authenticator's data.
  const parts = [bytes.subarray(0, 1), bytes.subarray(19), bytes.subarray(1, 19)];
  const attestationObject = encodeBase64Url(concatBytes(...parts));
  const reordered = { ...passkey.params, attestation: { ...attestation, attestationObject } };
  const request = { ...parameters, authenticator: reordered };
  const refused = await refusal(client.acceptInvitation(request));
  expect(refused).toMatchObject({ httpStatus: 400, field: "parameters.tokenProof" });
  const tokenProof = proofOf(mail, { params: reordered });
  expect(await client.acceptInvitation({ ...request, tokenProof })).toMatchObject({
    userId: mail.userId,
  });
});

test("an invitation of another organization is not found", async () => {
  const organization = await newOrganization();
  const { server } = organization;
  const other = await newOrganization(server);
  const mail = { ...(await invite(organization)), organizationId: other.organizationId };
  const { client, parameters } = acceptanceOf(server, mail);
  expect(await refusal(client.acceptInvitation(parameters))).toEqual(notFound(mail.invitationId));
});

test("an invitation lapses after a week", async () => {
  const server = await startTestServer();
  try {
    const organization = await newOrganization(server);
    const [late, early] = [await invite(organization), await invite(organization)];
    const accept = (mail: typeof late) => {
      const { client, parameters } = acceptanceOf(server, mail);
      const timestampMs = Date.now() + server.clock.offsetMs;
      return submit(client, endpoint, { type, parameters, timestampMs });
    };
    const listed = async () => {
      const { organizationData } = await organization.root.getOrganization({});
      return organizationData.invitations?.map(({ invitationId }) => invitationId);
    };
    expect(await listed()).toEqual([late.invitationId, early.invitationId]);
    server.clock.offsetMs = 7 * 24 * 60 * 60 * 1000 - 60_000;
    expect((await accept(early)).status).toBe("ACTIVITY_STATUS_COMPLETED");
    expect(await listed()).toEqual([late.invitationId]);
    server.clock.offsetMs += 60_000;
    expect(await refusal(accept(late))).toEqual(notFound(late.invitationId));
    expect(await listed()).toEqual([]);
  } finally {
    await server.stop();
  }
});

test("an invitation ends when its sender, or the user who created it, is deleted", async () => {
  const organization = await newOrganization();
  const { server, root } = organization;
  const sender = await addUser(organization, "Sender");
  const mail = await invite(organization, { senderUserId: sender.userId });
  await root.deleteUsers({ userIds: [sender.userId] });
  const { client, parameters } = acceptanceOf(server, mail);
  expect(await refusal(client.acceptInvitation(parameters))).toEqual(notFound(mail.invitationId));

  const creator = await addUser(organization, "Creator");
  await root.createPolicy({
    policyName: "invite",
    effect: "EFFECT_ALLOW",
    condition: "activity.resource == 'INVITATION'",
    consensus: `approvers.any(user, user.id == '${creator.userId}')`,
    notes: "",
  });
  const second = await invite({ ...organization, root: creator.client });
  await root.deleteUsers({ userIds: [creator.userId] });
  const again = acceptanceOf(server, second);
  const refused = await refusal(again.client.acceptInvitation(again.parameters));
  expect(refused).toEqual(notFound(second.invitationId));
});

test("an invitation with a tag that was deleted cannot be accepted", async () => {
  const organization = await newOrganization();
  const { server, root } = organization;
  const { userTagId } = await root.createUserTag({ userTagName: "interns", userIds: [] });
  const mail = await invite(organization, { receiverUserTags: [userTagId] });
  await root.deleteUserTags({ userTagIds: [userTagId] });
  const { client, parameters } = acceptanceOf(server, mail);
  expect(await refusal(client.acceptInvitation(parameters))).toEqual(
    badRequest(
      "NOT_FOUND",
      "parameters.invitationId",
      `user tag not found: \`${userTagId}\`, which the invitation gives, was deleted; ask for another invitation`,
    ),
  );
});

test("an organization has at most 100 users, however they came", async () => {
  const organization = await newOrganization();
  const { server } = organization;
  const root = impatient(organization);
  const mail = await invite(organization);
  await root.createUsers({
    users: Array.from({ length: 99 }, (_, index) => ({
      userName: `user ${index}`,
      apiKeys: [
        {
          apiKeyName: "key",
          publicKey: newKey().publicKey,
          curveType: "API_KEY_CURVE_P256" as const,
        },
      ],
      authenticators: [],
      oauthProviders: [],
      userTags: [],
    })),
  });
  const impatientServer = { ...server, fetch: withoutRetries(server.fetch) };
  const { client, parameters } = acceptanceOf(impatientServer, mail);
  expect(await refusal(client.acceptInvitation(parameters))).toMatchObject({
    httpStatus: 429,
    code: "LIMIT_EXCEEDED",
    field: "parameters.invitationId",
    message: "an organization may have 100 users",
  });
});
