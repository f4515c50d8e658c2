import { clientOf, newKey, newOrganization, startTestServer } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import { acceptanceOf, invite, mailsOf } from "../invitations.testing.ts";
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
  const { client, passkey } = acceptanceOf(organization.server, mail);
  const { invitationId, userId } = mail;
  const accepted = await submit(client, endpoint, {
    type: "ACTIVITY_TYPE_ACCEPT_INVITATION",
    parameters: { invitationId, userId, authenticator: browserParams(passkey, userId) },
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
  const { authenticator } = parameters;
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
