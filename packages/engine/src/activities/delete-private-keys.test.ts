import { newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import { badRequest, expectIdsChecked, first, refusal } from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_DELETE_PRIVATE_KEYS";
const unknownId = "00000000-0000-4000-8000-000000000000";

async function newKey({ root }: Pick<TestOrganization, "root">, privateKeyName = "hot") {
  const { privateKeys } = await root.createPrivateKeys({
    privateKeys: [
      {
        privateKeyName,
        curve: "CURVE_SECP256K1",
        privateKeyTags: [],
        addressFormats: ["ADDRESS_FORMAT_ETHEREUM"],
      },
    ],
  });
  const { privateKeyId = "", addresses } = first(privateKeys);
  return { privateKeyId, address: first(addresses).address ?? "" };
}

function payment(signWith: string) {
  return {
    signWith,
    payload: "hello",
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_KECCAK256",
  } as const;
}

test("private keys are deleted, and the others stay; a repeated id counts once", async () => {
  const { root, server, organizationId } = await newOrganization();
  const one = await newKey({ root }, "one");
  const two = await newKey({ root }, "two");
  await root.signRawPayload(payment(one.address));
  const request = {
    privateKeyIds: [one.privateKeyId, one.privateKeyId],
    deleteWithoutExport: true,
  };
  const { privateKeyIds, activity } = await root.deletePrivateKeys(request);
  expect(privateKeyIds).toEqual([one.privateKeyId]);
  expect(activity.intent).toEqual({ deletePrivateKeysIntent: request });
  expect(activity.result).toEqual({ deletePrivateKeysResult: { privateKeyIds } });

  const listed = (await root.listPrivateKeys()).privateKeys.map((key) => key.privateKeyId);
  expect(listed).toEqual([two.privateKeyId]);
  const { privateKeyId, address } = one;
  expect(await refusal(root.getPrivateKey({ privateKeyId }))).toMatchObject({ httpStatus: 404 });
  for (const signWith of [privateKeyId, address]) {
    expect(await refusal(root.signRawPayload(payment(signWith)))).toMatchObject({
      httpStatus: 404,
      message: expect.stringMatching(/^Could not find any resource to sign with/),
    });
  }
  for (const signWith of [two.privateKeyId, two.address]) {
    await root.signRawPayload(payment(signWith));
  }
  const left = await server.store.run(
    "keys that are left",
    `SELECT private_key_id FROM private_keys WHERE organization_id = $1::uuid
     UNION SELECT private_key_id FROM private_key_addresses WHERE organization_id = $1::uuid`,
    [organizationId],
  );
  expect(left).toEqual([{ private_key_id: two.privateKeyId }]);
  await newKey({ root }, "one");
});

test("a key that was never exported is deleted only if the request says so", async () => {
  const { root } = await newOrganization();
  const { privateKeyId } = await newKey({ root });
  const refused = await refusal(root.deletePrivateKeys({ privateKeyIds: [privateKeyId] }));
  expect(refused).toEqual(
    badRequest(
      "NOT_EXPORTED",
      "parameters.privateKeyIds[0]",
      `private key has not been exported: \`${privateKeyId}\`; export it first, or set \`deleteWithoutExport\` to true to delete it although no copy is left`,
    ),
  );
  expect((await root.listPrivateKeys()).privateKeys).toHaveLength(1);
});

test("bad parameters are refused by field", async () => {
  const { root } = await newOrganization();
  const ids = { type, member: "privateKeyIds", noun: "private key" };
  await expectIdsChecked(root, "delete_private_keys", ids);
});

test("if one key is unknown or belongs to another organization, none is deleted", async () => {
  const { root } = await newOrganization();
  const own = await newKey({ root });
  const theirs = await newKey(await newOrganization());
  for (const privateKeyId of [unknownId, theirs.privateKeyId]) {
    const privateKeyIds = [own.privateKeyId, privateKeyId];
    const request = root.deletePrivateKeys({ privateKeyIds, deleteWithoutExport: true });
    expect(await refusal(request)).toEqual({
      httpStatus: 404,
      grpcCode: 5,
      code: "NOT_FOUND",
      field: "parameters.privateKeyIds[1]",
      message: `private key not found: \`${privateKeyId}\``,
    });
  }
  expect((await root.listPrivateKeys()).privateKeys).toHaveLength(1);
});
