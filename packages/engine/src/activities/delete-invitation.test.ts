import { newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import { first, refusal } from "../organization.testing.ts";

const unknownId = "00000000-0000-4000-8000-000000000000";

async function invite({ root, userId }: TestOrganization): Promise<string> {
  const { invitationIds } = await root.createInvitations({
    invitations: [
      {
        receiverUserName: "Grace",
        receiverUserEmail: "grace@example.com",
        receiverUserTags: [],
        accessType: "ACCESS_TYPE_ALL",
        senderUserId: userId,
      },
    ],
  });
  return first(invitationIds);
}

test("an invitation is deleted once", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const invitationId = await invite(organization);
  const deleted = await root.deleteInvitation({ invitationId });
  expect(deleted.invitationId).toBe(invitationId);
  expect(deleted.activity.intent).toEqual({ deleteInvitationIntent: { invitationId } });
  expect(deleted.activity.result).toEqual({ deleteInvitationResult: { invitationId } });
  expect(await refusal(root.deleteInvitation({ invitationId }))).toEqual({
    httpStatus: 404,
    grpcCode: 5,
    code: "NOT_FOUND",
    field: "parameters.invitationId",
    message: `invitation not found: \`${invitationId}\``,
  });
});

test("an invitation of another organization, and an unknown one, are not found", async () => {
  const { root } = await newOrganization();
  const other = await invite(await newOrganization());
  for (const invitationId of [other, unknownId]) {
    const refused = await refusal(root.deleteInvitation({ invitationId }));
    expect(refused).toMatchObject({ httpStatus: 404, field: "parameters.invitationId" });
  }
});
