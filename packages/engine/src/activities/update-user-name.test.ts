import { newOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import { addUser, allow, expectDenied, refusal } from "../organization.testing.ts";

const unknownId = "00000000-0000-4000-8000-000000000000";

test("a user gets another name, which another user may have too", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const { userId } = await addUser(organization, "Grace");
  await addUser(organization, "Ada");
  const before = (await root.getUser({ userId })).user;
  const { activity, ...result } = await root.updateUserName({ userId, userName: "Ada" });
  expect(result).toEqual({ userId });
  expect(activity.intent).toEqual({ updateUserNameIntent: { userId, userName: "Ada" } });
  expect(activity.result).toEqual({ updateUserNameResult: { userId } });
  const { user } = await root.getUser({ userId });
  expect(user).toEqual({ ...before, userName: "Ada", updatedAt: user.updatedAt });
});

test("a user that is unknown or of another organization is not found", async () => {
  const { root, organizationId } = await newOrganization();
  const other = await newOrganization();
  for (const userId of [unknownId, other.userId]) {
    expect(await refusal(root.updateUserName({ userId, userName: "x" }))).toMatchObject({
      httpStatus: 404,
      field: "parameters.userId",
      message: `user not found: unable to find user ${userId} in organization ${organizationId}`,
    });
  }
});

test("users do not rename themselves without a permission", async () => {
  const organization = await newOrganization();
  const { client, userId } = await addUser(organization);
  const request = { userId, userName: "me" };
  await expectDenied(client.updateUserName(request));
  await allow(organization, userId, ["USER", "UPDATE"]);
  await client.updateUserName(request);
});
