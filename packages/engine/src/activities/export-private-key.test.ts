import { newOrganization } from "@keyhearth/api/testing";
import { solanaAddress } from "@keyhearth/crypto/addresses/solana";
import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import { publicKeyOf } from "@keyhearth/crypto/keys/keys";
import { createTargetKey } from "@keyhearth/sdk/crypto";
import { computeAddress } from "ethers";
import { expect, test } from "vitest";
import { encryptFor, exportedKey, rootOf } from "../bundles.testing.ts";
import { addUser, badRequest, refusal, submit } from "../organization.testing.ts";
import { denial, rule } from "../policies/policies.testing.ts";

const type = "ACTIVITY_TYPE_EXPORT_PRIVATE_KEY";

const params = {
  privateKeyName: "hot",
  curve: "CURVE_SECP256K1" as const,
  privateKeyTags: [],
  addressFormats: ["ADDRESS_FORMAT_ETHEREUM" as const],
};

async function newPrivateKey(
  { root }: Pick<Awaited<ReturnType<typeof newOrganization>>, "root">,
  change: object = {},
) {
  const { privateKeys } = await root.createPrivateKeys({
    privateKeys: [{ ...params, ...change }],
  });
  const [{ privateKeyId = "", addresses = [] } = {}] = privateKeys;
  return { privateKeyId, address: addresses[0]?.address ?? "" };
}

test("an exported key has the same address elsewhere, and stays here", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const { privateKeyId, address } = await newPrivateKey(organization);
  const key = await exportedKey(organization, (targetPublicKey) =>
    root.exportPrivateKey({ privateKeyId, targetPublicKey }),
  );
  expect(computeAddress(`0x${key}`)).toBe(address);
  const { privateKey } = await root.getPrivateKey({ privateKeyId });
  expect(privateKey).toMatchObject({ exported: true, imported: false });

  const elsewhere = await newOrganization(organization.server);
  const encryptedBundle = await encryptFor(
    elsewhere,
    "private-key",
    decodeHex(key),
    rootOf(elsewhere),
  );
  const { privateKeyTags: _, ...rest } = params;
  const { userId } = elsewhere;
  const restored = await elsewhere.root.importPrivateKey({ userId, ...rest, encryptedBundle });
  expect(restored.addresses).toEqual([{ format: "ADDRESS_FORMAT_ETHEREUM", address }]);
  await root.signRawPayload({
    signWith: address,
    payload: "hello",
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_KECCAK256",
  });
});

test("an Ed25519 key is exported as its seed of 32 bytes", async () => {
  const organization = await newOrganization();
  const { privateKeyId, address } = await newPrivateKey(organization, {
    curve: "CURVE_ED25519",
    addressFormats: ["ADDRESS_FORMAT_SOLANA"],
  });
  const key = await exportedKey(organization, (targetPublicKey) =>
    organization.root.exportPrivateKey({ privateKeyId, targetPublicKey }),
  );
  expect(solanaAddress(publicKeyOf("CURVE_ED25519", decodeHex(key)))).toBe(address);
});

test("policies see the private key", async () => {
  const organization = await newOrganization();
  const grace = await addUser(organization);
  const { privateKeyId } = await newPrivateKey(organization);
  const cold = await newPrivateKey(organization, { privateKeyName: "cold" });
  await rule(organization, "EFFECT_ALLOW", grace, "private_key.label == 'hot'");
  const { targetPublicKey } = createTargetKey();
  await grace.client.exportPrivateKey({ privateKeyId, targetPublicKey });
  await denial(grace.client.exportPrivateKey({ privateKeyId: cold.privateKeyId, targetPublicKey }));
});

test("bad parameters are refused by field", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const { privateKeyId, address } = await newPrivateKey(organization);
  const { targetPublicKey } = createTargetKey();
  const cases: [object, string][] = [
    [{ targetPublicKey }, "parameters.privateKeyId"],
    [{ privateKeyId: address, targetPublicKey }, "parameters.privateKeyId"],
    [{ privateKeyId, targetPublicKey: "00" }, "parameters.targetPublicKey"],
  ];
  for (const [parameters, field] of cases) {
    const refused = await refusal(submit(root, "export_private_key", { type, parameters }));
    expect(refused).toEqual(badRequest("FIELD_INVALID", field, expect.anything()));
  }
  const foreign = await newPrivateKey(await newOrganization());
  const unknown = root.exportPrivateKey({ privateKeyId: foreign.privateKeyId, targetPublicKey });
  expect(await refusal(unknown)).toMatchObject({
    httpStatus: 404,
    code: "NOT_FOUND",
    field: "parameters.privateKeyId",
  });
});
