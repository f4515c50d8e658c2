import { newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import {
  addUser,
  bodyOf,
  expectDenied,
  first,
  impatient,
  post,
  refusal,
} from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_CREATE_PRIVATE_KEY_TAG";
const unknownId = "00000000-0000-4000-8000-000000000000";

async function newKey(
  { root }: Pick<TestOrganization, "root">,
  privateKeyName = "hot",
  privateKeyTags: string[] = [],
) {
  const { privateKeys } = await root.createPrivateKeys({
    privateKeys: [{ privateKeyName, curve: "CURVE_P256", privateKeyTags, addressFormats: [] }],
  });
  return first(privateKeys).privateKeyId ?? "";
}

test("a tag is created and added to private keys; a key that is named twice has it once", async () => {
  const { root } = await newOrganization();
  const one = await newKey({ root }, "one");
  const two = await newKey({ root }, "two");
  const request = { privateKeyTagName: "hot", privateKeyIds: [one, one] };
  const { privateKeyTagId, privateKeyIds, activity } = await root.createPrivateKeyTag(request);
  expect(privateKeyIds).toEqual([one]);
  expect(activity.intent).toEqual({ createPrivateKeyTagIntent: request });
  expect(activity.result).toEqual({
    createPrivateKeyTagResult: { privateKeyTagId, privateKeyIds },
  });
  const tagsOf = async (privateKeyId: string) =>
    (await root.getPrivateKey({ privateKeyId })).privateKey.privateKeyTags;
  expect(await tagsOf(one)).toEqual([privateKeyTagId]);
  expect(await tagsOf(two)).toEqual([]);
  expect(await tagsOf(await newKey({ root }, "three", [privateKeyTagId]))).toEqual([
    privateKeyTagId,
  ]);
});

test("policies see the tags of the key that signs", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const hot = await newKey({ root }, "hot");
  const cold = await newKey({ root }, "cold");
  const { privateKeyTagId: tagId } = await root.createPrivateKeyTag({
    privateKeyTagName: "hot",
    privateKeyIds: [hot],
  });
  const grace = await addUser(organization);
  await root.createPolicy({
    policyName: "Grace signs with hot keys",
    effect: "EFFECT_ALLOW",
    condition: `activity.action == 'SIGN' && private_key.tags.contains('${tagId}')`,
    consensus: `approvers.any(user, user.id == '${grace.userId}')`,
  });
  const signature = (signWith: string) =>
    grace.client.signRawPayload({
      signWith,
      payload: "hello",
      encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
      hashFunction: "HASH_FUNCTION_SHA256",
    });
  await signature(hot);
  await expectDenied(signature(cold));
  await root.updatePrivateKeyTag({
    privateKeyTagId: tagId,
    addPrivateKeyIds: [cold],
    removePrivateKeyIds: [hot],
  });
  await signature(cold);
  await expectDenied(signature(hot));
  await root.deletePrivateKeyTags({ privateKeyTagIds: [tagId] });
  await expectDenied(signature(cold));
});

test("a name can be used only once, and a user tag may have the same", async () => {
  const { root } = await newOrganization();
  await root.createUserTag({ userTagName: "hot", userIds: [] });
  const request = { privateKeyTagName: "hot", privateKeyIds: [] };
  await root.createPrivateKeyTag(request);
  expect(await refusal(root.createPrivateKeyTag(request))).toEqual({
    httpStatus: 409,
    grpcCode: 6,
    code: "NAME_TAKEN",
    field: "parameters.privateKeyTagName",
    message: "a private key tag with the name `hot` already exists",
  });
});

test("an unknown key and one of another organization are not found", async () => {
  const { root } = await newOrganization();
  const theirs = await newKey(await newOrganization());
  for (const privateKeyId of [unknownId, theirs]) {
    const request = { privateKeyTagName: "hot", privateKeyIds: [privateKeyId] };
    expect(await refusal(root.createPrivateKeyTag(request))).toEqual({
      httpStatus: 404,
      grpcCode: 5,
      code: "NOT_FOUND",
      field: "parameters.privateKeyIds[0]",
      message: `private key not found: \`${privateKeyId}\``,
    });
  }
  expect((await root.listPrivateKeyTags()).privateKeyTags).toEqual([]);
});

test("the same bytes again are the same activity", async () => {
  const { root, organizationId } = await newOrganization();
  const parameters = { privateKeyTagName: "hot", privateKeyIds: [] };
  const body = bodyOf(organizationId, { type, parameters });
  const one = await post(root, "create_private_key_tag", body);
  expect(await post(root, "create_private_key_tag", body)).toEqual(one);
});

test("an organization has at most 100 tags, those of users and of private keys together", async () => {
  const organization = await newOrganization();
  const root = impatient(organization);
  for (let i = 0; i < 50; i++) {
    await root.createUserTag({ userTagName: `t${i}`, userIds: [] });
    await root.createPrivateKeyTag({ privateKeyTagName: `t${i}`, privateKeyIds: [] });
  }
  const more = root.createPrivateKeyTag({ privateKeyTagName: "one more", privateKeyIds: [] });
  expect(await refusal(more)).toEqual({
    httpStatus: 429,
    grpcCode: 8,
    code: "LIMIT_EXCEEDED",
    field: "parameters.privateKeyTagName",
    message: "an organization may have 100 tags",
  });
});
