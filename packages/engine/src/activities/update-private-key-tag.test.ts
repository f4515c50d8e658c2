import { ownServer } from "@keyhearth/api/own-server.testing";
import { newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import { badRequest, refusal, submit } from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_UPDATE_PRIVATE_KEY_TAG";
const unknownId = "00000000-0000-4000-8000-000000000000";

/** Three keys, of which the first two have a tag. */
async function newTag({ root }: Pick<TestOrganization, "root">) {
  const { privateKeys } = await root.createPrivateKeys({
    privateKeys: ["one", "two", "three"].map((privateKeyName) => ({
      privateKeyName,
      curve: "CURVE_ED25519" as const,
      privateKeyTags: [],
      addressFormats: [],
    })),
  });
  const [one = "", two = "", three = ""] = privateKeys.map((key) => key.privateKeyId ?? "");
  const { privateKeyTagId } = await root.createPrivateKeyTag({
    privateKeyTagName: "hot",
    privateKeyIds: [one, two],
  });
  return { one, two, three, privateKeyTagId };
}

test("a tag is renamed, added to keys and removed from others at once", async () => {
  const { root, server } = await newOrganization(await ownServer());
  const { one, two, three, privateKeyTagId } = await newTag({ root });
  const [before] = (await root.listPrivateKeyTags()).privateKeyTags;
  server.clock.offsetMs += 2000;
  const request = {
    privateKeyTagId,
    newPrivateKeyTagName: "warm",
    addPrivateKeyIds: [two, three],
    removePrivateKeyIds: [one],
  };
  const { activity, ...result } = await root.updatePrivateKeyTag(request);
  expect(result).toEqual({ privateKeyTagId });
  expect(activity.intent).toEqual({ updatePrivateKeyTagIntent: request });
  expect(activity.result).toEqual({ updatePrivateKeyTagResult: { privateKeyTagId } });
  const [tag] = (await root.listPrivateKeyTags()).privateKeyTags;
  expect(tag).toEqual({ ...before, tagName: "warm", updatedAt: tag?.updatedAt });
  expect(tag?.updatedAt).not.toEqual(before?.updatedAt);
  const { privateKeys } = await root.listPrivateKeys();
  expect(privateKeys.map(({ privateKeyTags }) => privateKeyTags)).toEqual([
    [],
    [privateKeyTagId],
    [privateKeyTagId],
  ]);
});

test("the name of another tag is taken, its own is not", async () => {
  const { root } = await newOrganization();
  const { privateKeyTagId } = await newTag({ root });
  await root.createPrivateKeyTag({ privateKeyTagName: "cold", privateKeyIds: [] });
  const lists = { addPrivateKeyIds: [], removePrivateKeyIds: [] };
  const rename = (newPrivateKeyTagName: string) =>
    root.updatePrivateKeyTag({ privateKeyTagId, newPrivateKeyTagName, ...lists });
  await rename("hot");
  expect(await refusal(rename("cold"))).toEqual({
    httpStatus: 409,
    grpcCode: 6,
    code: "NAME_TAKEN",
    field: "parameters.newPrivateKeyTagName",
    message: "a private key tag with the name `cold` already exists",
  });
});

test("bad parameters are refused by field, and nothing changes", async () => {
  const { root } = await newOrganization();
  const { one, privateKeyTagId } = await newTag({ root });
  const cases: [object, string, string, unknown][] = [
    [
      { privateKeyTagId, addPrivateKeyIds: [], removePrivateKeyIds: [] },
      "FIELD_INVALID",
      "parameters",
      `nothing to change: \`parameters\` names tag \`${privateKeyTagId}\`, no newPrivateKeyTagName, and no private keys to add it to or remove it from`,
    ],
    [
      { privateKeyTagId, addPrivateKeyIds: [one], removePrivateKeyIds: [one] },
      "FIELD_INVALID",
      "parameters.removePrivateKeyIds[0]",
      `private key \`${one}\` is in addPrivateKeyIds and in removePrivateKeyIds`,
    ],
  ];
  const before = await root.listPrivateKeyTags();
  for (const [parameters, code, field, message] of cases) {
    const refused = await refusal(submit(root, "update_private_key_tag", { type, parameters }));
    expect(refused).toEqual(badRequest(code, field, message));
  }
  expect(await root.listPrivateKeyTags()).toEqual(before);
});

test("tags and keys that are unknown or of another organization are not found, all named at once", async () => {
  const { root } = await newOrganization();
  const { privateKeyTagId, one } = await newTag({ root });
  const theirs = await newTag(await newOrganization());
  const request = (tagId: string, added: string, removed: string) =>
    root.updatePrivateKeyTag({
      privateKeyTagId: tagId,
      addPrivateKeyIds: [added],
      removePrivateKeyIds: [removed],
    });
  expect(await refusal(request(theirs.privateKeyTagId, theirs.one, unknownId))).toMatchObject({
    httpStatus: 404,
    field: "parameters.privateKeyTagId",
    message: `private key tag not found: \`${theirs.privateKeyTagId}\`; private key not found: \`${theirs.one}\`; private key not found: \`${unknownId}\``,
  });
  expect(await refusal(request(privateKeyTagId, one, theirs.one))).toMatchObject({
    httpStatus: 404,
    field: "parameters.removePrivateKeyIds[0]",
  });
});
