import { expect, test } from "vitest";
import { newOrganization } from "../testing.ts";
import { expectOnlyFamilyReads, someTimes } from "./queries.testing.ts";

test("all tags of users are listed in the order of creation, and no tags of private keys", async () => {
  const { root } = await newOrganization();
  expect(await root.listUserTags()).toEqual({ userTags: [] });
  await root.createPrivateKeyTag({ privateKeyTagName: "hot", privateKeyIds: [] });
  const expected: object[] = [];
  for (const tagName of ["admins", "bots"]) {
    const { userTagId: tagId } = await root.createUserTag({ userTagName: tagName, userIds: [] });
    expected.push({ tagId, tagName, tagType: "TAG_TYPE_USER", ...someTimes });
  }
  expect(await root.listUserTags()).toEqual({ userTags: expected });
});

test("a body without a good organization id is refused", async () => {
  const { root } = await newOrganization();
  await expect(
    root.request("/public/v1/query/list_user_tags", '{"organizationId":""}'),
  ).rejects.toMatchObject({
    code: "ORGANIZATION_ID_MALFORMED",
    field: "organizationId",
    httpStatus: 400,
  });
});

test("the organization and its parent may list them, nobody else", async () => {
  await expectOnlyFamilyReads("list_user_tags", async ({ root }) => {
    await root.createUserTag({ userTagName: "admins", userIds: [] });
    return {};
  });
});
