import { expect, test } from "vitest";
import { newOrganization } from "../testing.ts";
import { expectOnlyFamilyReads, someTimes } from "./queries.testing.ts";

test("all tags of private keys are listed in the order of creation, and no tags of users", async () => {
  const { root } = await newOrganization();
  expect(await root.listPrivateKeyTags()).toEqual({ privateKeyTags: [] });
  await root.createUserTag({ userTagName: "admins", userIds: [] });
  const expected: object[] = [];
  for (const tagName of ["hot", "cold"]) {
    const made = await root.createPrivateKeyTag({ privateKeyTagName: tagName, privateKeyIds: [] });
    const tagId = made.privateKeyTagId;
    expected.push({ tagId, tagName, tagType: "TAG_TYPE_PRIVATE_KEY", ...someTimes });
  }
  expect(await root.listPrivateKeyTags()).toEqual({ privateKeyTags: expected });
});

test("a body without a good organization id is refused", async () => {
  const { root } = await newOrganization();
  await expect(
    root.request("/public/v1/query/list_private_key_tags", '{"organizationId":""}'),
  ).rejects.toMatchObject({
    code: "ORGANIZATION_ID_MALFORMED",
    field: "organizationId",
    httpStatus: 400,
  });
});

test("the organization and its parent may list them, nobody else", async () => {
  await expectOnlyFamilyReads("list_private_key_tags", async ({ root }) => {
    await root.createPrivateKeyTag({ privateKeyTagName: "hot", privateKeyIds: [] });
    return {};
  });
});
