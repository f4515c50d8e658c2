import { newOrganization, startTestServer, type TestServer } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import { acceptanceOf, invite, mailsOf } from "../invitations.testing.ts";
import { messagesOf } from "../messages.testing.ts";
import {
  addUser,
  allow,
  badRequest,
  bodyOf,
  first,
  impatient,
  newQuorum,
  post,
  refusal,
  startWaiting,
  submit,
} from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_CREATE_INVITATIONS";
const unknownId = "00000000-0000-4000-8000-000000000000";

const grace = {
  receiverUserName: "Grace",
  receiverUserEmail: "grace@example.com",
  receiverUserTags: [] as string[],
  accessType: "ACCESS_TYPE_ALL",
} as const;

async function outboxOf({ store }: TestServer, organizationId: string) {
  return store.db
    .selectFrom("outbox")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .execute();
}

test("an invitation is an id for the sender, and a message with a token in the outbox", async () => {
  const { server, root, organizationId, userId } = await newOrganization();
  const { userTagId } = await root.createUserTag({ userTagName: "ops", userIds: [] });
  const asked = { ...grace, receiverUserTags: [userTagId, userTagId], senderUserId: userId };
  const { invitationIds, activity } = await root.createInvitations({ invitations: [asked] });
  expect(activity.intent).toEqual({ createInvitationsIntent: { invitations: [asked] } });
  expect(activity.result).toEqual({ createInvitationsResult: { invitationIds } });

  const [row] = await outboxOf(server, organizationId);
  expect(row).toEqual({
    organization_id: organizationId,
    message_id: first(invitationIds),
    kind: "invitation",
    sealed: expect.any(String),
    recipient: null,
    content: null,
    state: "waiting",
    last_error: null,
    attempts: 0,
    next_attempt_at_ms: row?.created_at_ms,
    expires_at_ms: (row?.created_at_ms ?? 0) + 7 * 24 * 60 * 60 * 1000,
    created_at_ms: expect.any(Number),
  });
  expect(await messagesOf(server, organizationId)).toEqual([
    {
      messageId: row?.message_id,
      kind: "invitation",
      recipient: "grace@example.com",
      content: {
        organizationId,
        organizationName: "Test organization",
        invitationId: first(invitationIds),
        receiverUserName: "Grace",
        senderUserName: "Root user",
        userId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        token: expect.stringMatching(/^[\w-]{22}$/),
      },
      createdAtMs: row?.created_at_ms,
      expiresAtMs: row?.expires_at_ms,
      familyId: organizationId,
    },
  ]);
});

test("the token is nowhere but in the sealed message", async () => {
  const { server, root, organizationId, userId } = await newOrganization();
  const request = { invitations: [{ ...grace, senderUserId: userId }] };
  const { activity } = await root.createInvitations(request);
  const { token } = first(await mailsOf(server, organizationId));
  expect(JSON.stringify(await outboxOf(server, organizationId))).not.toMatch(
    new RegExp(`${token}|grace@example.com`),
  );
  expect(JSON.stringify(activity)).not.toContain(token);
  const { activities } = await root.listActivities({});
  expect(JSON.stringify(activities)).not.toContain(token);
  expect(JSON.stringify(server.events)).not.toContain(token);
  const records = await server.store.db
    .selectFrom("organization_documents")
    .select("record")
    .where("organization_id", "=", organizationId)
    .execute();
  const texts = records.map(({ record }) => Buffer.from(record).toString("latin1"));
  expect(texts.filter((text) => text.includes("grace@example.com"))).toHaveLength(1);
  expect(texts.filter((text) => text.includes(token))).toEqual([]);
});

test("each invitation has a token and a new user's id of its own", async () => {
  const { server, root, organizationId, userId } = await newOrganization();
  const invitations = ["a@example.com", "b@example.com"].map((receiverUserEmail) => ({
    ...grace,
    receiverUserEmail,
    senderUserId: userId,
  }));
  const { invitationIds } = await root.createInvitations({ invitations });
  expect(new Set(invitationIds).size).toBe(2);
  const contents = await mailsOf(server, organizationId);
  const ids = contents.map(({ invitationId }) => invitationId);
  expect(ids.toSorted()).toEqual(invitationIds.toSorted());
  expect(new Set(contents.flatMap((each) => [each.token, each.userId])).size).toBe(4);
});

test("the same bytes again are the same activity and send nothing again", async () => {
  const { server, root, organizationId, userId } = await newOrganization();
  const parameters = { invitations: [{ ...grace, senderUserId: userId }] };
  const body = bodyOf(organizationId, { type, parameters });
  const one = await post(root, "create_invitations", body);
  const rows = await outboxOf(server, organizationId);
  expect(await post(root, "create_invitations", body)).toEqual(one);
  expect(await outboxOf(server, organizationId)).toEqual(rows);
});

test("an invitation that needs approvals is sent with the last one", async () => {
  const { server, root, organizationId, userId, second } = await newQuorum();
  const parameters = { invitations: [{ ...grace, senderUserId: userId }] };
  const waiting = await startWaiting(root, "create_invitations", { type, parameters });
  expect(await outboxOf(server, organizationId)).toEqual([]);
  const { fingerprint } = waiting;
  const { activity } = await second.client.approveActivity({ fingerprint });
  expect(activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
  expect(await outboxOf(server, organizationId)).toHaveLength(1);
});

test("bad parameters are refused by field, all at once", async () => {
  const { root, userId } = await newOrganization();
  const cases: [object, string, string, unknown][] = [
    [
      { ...grace, senderUserId: userId, receiverUserTags: [unknownId] },
      "NOT_FOUND",
      "parameters.invitations[0].receiverUserTags[0]",
      `user tag not found: \`${unknownId}\``,
    ],
    [
      { ...grace, senderUserId: userId, receiverUserEmail: "grace" },
      "FIELD_INVALID",
      "parameters.invitations[0].receiverUserEmail",
      expect.stringContaining("invalid email address"),
    ],
    [
      { ...grace, senderUserId: userId, accessType: "ACCESS_TYPE_NONE" },
      "FIELD_INVALID",
      "parameters.invitations[0].accessType",
      expect.stringContaining("accepted: ACCESS_TYPE_WEB, ACCESS_TYPE_API, ACCESS_TYPE_ALL"),
    ],
  ];
  for (const [invitation, code, field, message] of cases) {
    const parameters = { invitations: [invitation] };
    const refused = await refusal(submit(root, "create_invitations", { type, parameters }));
    expect(refused).toEqual(badRequest(code, field, message));
  }
  const both = [
    { ...grace, senderUserId: unknownId, receiverUserTags: [unknownId] },
    { ...grace, receiverUserEmail: "Grace@Example.com", senderUserId: unknownId },
  ];
  const asked = { type, parameters: { invitations: both } };
  const { httpStatus, message } = await refusal(submit(root, "create_invitations", asked));
  expect(httpStatus).toBe(400);
  expect(message.split("; ")).toEqual([
    `user tag not found: \`${unknownId}\``,
    expect.stringContaining(`unable to find user ${unknownId}`),
    "`Grace@Example.com` is invited twice by this request",
    expect.stringContaining(`unable to find user ${unknownId}`),
  ]);
});

test("a policy about INVITATION and CREATE allows it", async () => {
  const organization = await newOrganization();
  const { client, userId } = await addUser(organization);
  await organization.root.createPolicy({
    policyName: "invite",
    effect: "EFFECT_ALLOW",
    condition: "activity.resource == 'INVITATION' && activity.action == 'CREATE'",
    consensus: `approvers.any(user, user.id == '${userId}')`,
    notes: "",
  });
  const request = { invitations: [{ ...grace, senderUserId: userId }] };
  const { invitationIds } = await client.createInvitations(request);
  expect(invitationIds).toHaveLength(1);
});

test("an invitation ends with its creator, and with the user in whose name it was sent", async () => {
  for (const deleted of ["creator", "sender", "neither"] as const) {
    const organization = await newOrganization();
    const { root, server } = organization;
    const users = { creator: await addUser(organization), sender: await addUser(organization) };
    await allow(organization, users.creator.userId, ["INVITATION", "CREATE"]);
    const { userId: senderUserId } = users.sender;
    const mail = await invite({ ...organization, root: users.creator.client }, { senderUserId });
    if (deleted !== "neither") await root.deleteUsers({ userIds: [users[deleted].userId] });
    const { client, parameters } = acceptanceOf(server, mail);
    const accepted = client.acceptInvitation(parameters);
    if (deleted === "neither") expect(await accepted).toMatchObject({ userId: mail.userId });
    else expect(await refusal(accepted)).toMatchObject({ httpStatus: 404, code: "NOT_FOUND" });
  }
});

test("a tag that is given twice is one tag of the new user", async () => {
  const organization = await newOrganization();
  const { root, server } = organization;
  const { userTagId } = await root.createUserTag({ userTagName: "ops", userIds: [] });
  const mail = await invite(organization, { receiverUserTags: [userTagId, userTagId] });
  const { client, parameters } = acceptanceOf(server, mail);
  await client.acceptInvitation(parameters);
  const { user } = await root.getUser({ userId: mail.userId });
  expect(user.userTags).toEqual([userTagId]);
});

test("at most 100 invitations are open, and those that lapsed make room", async () => {
  const server = await startTestServer();
  try {
    const organization = await newOrganization(server);
    const root = impatient(organization);
    const { userId: senderUserId } = organization;
    const invitations = Array.from({ length: 100 }, (_, index) => ({
      ...grace,
      receiverUserEmail: `${index}@example.com`,
      senderUserId,
    }));
    await root.createInvitations({ invitations });
    const one = { invitations: invitations.slice(0, 1) };
    expect(await refusal(root.createInvitations(one))).toEqual({
      httpStatus: 429,
      grpcCode: 8,
      code: "LIMIT_EXCEEDED",
      field: "parameters.invitations",
      message: "an organization may have 100 invitations",
    });
    server.clock.offsetMs = 7 * 24 * 60 * 60 * 1000;
    const timestampMs = Date.now() + server.clock.offsetMs;
    const again = { type, parameters: one, timestampMs };
    const { status } = await submit(root, "create_invitations", again);
    expect(status).toBe("ACTIVITY_STATUS_COMPLETED");
  } finally {
    await server.stop();
  }
});
