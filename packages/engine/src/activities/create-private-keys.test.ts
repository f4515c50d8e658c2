import { newOrganization } from "@keyhearth/api/testing";
import { ethereumAddress } from "@keyhearth/crypto/addresses/ethereum";
import { solanaAddress } from "@keyhearth/crypto/addresses/solana";
import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import type { PrivateKeyParams } from "@keyhearth/sdk";
import { expect, test } from "vitest";
import {
  badRequest,
  bodyOf,
  first,
  impatient,
  post,
  refusal,
  submit,
} from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2";

const hot: PrivateKeyParams = {
  privateKeyName: "hot",
  curve: "CURVE_SECP256K1",
  privateKeyTags: [],
  addressFormats: ["ADDRESS_FORMAT_ETHEREUM"],
};

const cold: PrivateKeyParams = {
  privateKeyName: "cold",
  curve: "CURVE_ED25519",
  privateKeyTags: [],
  addressFormats: ["ADDRESS_FORMAT_SOLANA"],
};

test("private keys are created with the addresses of their public keys", async () => {
  const { root } = await newOrganization();
  const { privateKeys, activity } = await root.createPrivateKeys({
    privateKeys: [hot, cold, { ...hot, privateKeyName: "bare", addressFormats: [] }],
  });
  expect(activity).toMatchObject({ type, status: "ACTIVITY_STATUS_COMPLETED" });
  expect(Object.keys(activity.intent)).toEqual(["createPrivateKeysIntentV2"]);
  expect(activity.result).toEqual({ createPrivateKeysResultV2: { privateKeys } });
  expect(privateKeys.map(({ addresses }) => addresses?.map(({ format }) => format))).toEqual([
    ["ADDRESS_FORMAT_ETHEREUM"],
    ["ADDRESS_FORMAT_SOLANA"],
    [],
  ]);

  const encoders = [ethereumAddress, solanaAddress];
  for (const [index, { privateKeyId = "", addresses }] of privateKeys.entries()) {
    const { privateKey } = await root.getPrivateKey({ privateKeyId });
    const encode = encoders[index];
    const expected = encode ? [encode(decodeHex(privateKey.publicKey))] : [];
    expect(addresses?.map(({ address }) => address)).toEqual(expected);
    expect(privateKey.addresses.map(({ address }) => address)).toEqual(expected);
    expect(privateKey).toMatchObject({
      privateKeyName: ["hot", "cold", "bare"][index],
      exported: false,
      imported: false,
      privateKeyTags: [],
    });
  }
});

test("the first version returns only ids", async () => {
  const { root } = await newOrganization();
  const { privateKeyIds, activity } = await root.createPrivateKeys(
    { privateKeys: [hot, cold] },
    { type: "ACTIVITY_TYPE_CREATE_PRIVATE_KEYS" },
  );
  expect(activity.intent).toEqual({ createPrivateKeysIntent: { privateKeys: [hot, cold] } });
  expect(activity.result).toEqual({ createPrivateKeysResult: { privateKeyIds } });
  const { privateKeys } = await root.listPrivateKeys();
  expect(privateKeys.map(({ privateKeyId }) => privateKeyId).sort()).toEqual(
    [...privateKeyIds].sort(),
  );
});

test("the same bytes again are the same activity and create nothing new", async () => {
  const { root, organizationId } = await newOrganization();
  const body = bodyOf(organizationId, { type, parameters: { privateKeys: [hot] } });
  const one = await post(root, "create_private_keys", body);
  expect(await post(root, "create_private_keys", body)).toEqual(one);
  expect((await root.listPrivateKeys()).privateKeys).toHaveLength(1);
});

test("a name can be used only once, also within one request", async () => {
  const { root } = await newOrganization();
  await root.createPrivateKeys({ privateKeys: [hot] });
  const taken = (index: number, name: string) => ({
    httpStatus: 409,
    grpcCode: 6,
    code: "NAME_TAKEN",
    field: `parameters.privateKeys[${index}].privateKeyName`,
    message: `a private key with the name \`${name}\` already exists`,
  });
  expect(await refusal(root.createPrivateKeys({ privateKeys: [hot] }))).toEqual(taken(0, "hot"));
  expect(await refusal(root.createPrivateKeys({ privateKeys: [cold, cold] }))).toEqual(
    taken(1, "cold"),
  );
});

test("bad parameters are refused by field", async () => {
  const { root } = await newOrganization();
  const unknownTag = "00000000-0000-4000-8000-000000000000";
  const cases: [object, string, string, unknown][] = [
    [
      { curve: undefined },
      "FIELD_INVALID",
      "parameters.privateKeys[0].curve",
      "curve required: invalid request body: missing field `parameters.privateKeys[0].curve`; accepted: CURVE_SECP256K1, CURVE_ED25519, CURVE_P256",
    ],
    [
      { curve: "CURVE_P384" },
      "FIELD_INVALID",
      "parameters.privateKeys[0].curve",
      "invalid curve: `parameters.privateKeys[0].curve` is `CURVE_P384`; accepted: CURVE_SECP256K1, CURVE_ED25519, CURVE_P256",
    ],
    [
      { addressFormats: ["ADDRESS_FORMAT_SOLANA"] },
      "FIELD_INVALID",
      "parameters.privateKeys[0].addressFormats[0]",
      "invalid curve: `ADDRESS_FORMAT_SOLANA` needs CURVE_ED25519, got `CURVE_SECP256K1`",
    ],
    [
      { addressFormats: ["ADDRESS_FORMAT_ETHEREUM", "ADDRESS_FORMAT_ETHEREUM"] },
      "FIELD_INVALID",
      "parameters.privateKeys[0].addressFormats[1]",
      "invalid address format: `ADDRESS_FORMAT_ETHEREUM` appears twice in the list",
    ],
    [
      { addressFormats: ["ADDRESS_FORMAT_ETHEREUM", "ADDRESS_FORMAT_SPARK_MAINNET"] },
      "FIELD_INVALID",
      "parameters.privateKeys[0].addressFormats[1]",
      expect.stringMatching(/^invalid address format: Spark addresses are not supported: /),
    ],
    [
      { privateKeyTags: [unknownTag] },
      "NOT_FOUND",
      "parameters.privateKeys[0].privateKeyTags[0]",
      `private key tag not found: \`${unknownTag}\``,
    ],
    [
      { privateKeyName: " " },
      "FIELD_INVALID",
      "parameters.privateKeys[0].privateKeyName",
      "must not be only white space: `parameters.privateKeys[0].privateKeyName` is ` `",
    ],
  ];
  for (const [change, code, field, message] of cases) {
    const parameters = { privateKeys: [{ ...hot, ...change }] };
    const refused = await refusal(submit(root, "create_private_keys", { type, parameters }));
    expect(refused).toEqual(badRequest(code, field, message));
  }
  expect((await root.listPrivateKeys()).privateKeys).toEqual([]);
});

test("the keys of one request have at most 300 addresses", async () => {
  const { root } = await newOrganization();
  const addressFormats = [
    "ADDRESS_FORMAT_ETHEREUM",
    "ADDRESS_FORMAT_COSMOS",
    "ADDRESS_FORMAT_TRON",
  ];
  const privateKeys = Array.from({ length: 100 }, (_, i) => ({
    ...hot,
    privateKeyName: `key ${i}`,
    addressFormats: [...addressFormats, ...(i === 0 ? ["ADDRESS_FORMAT_XRP"] : [])],
  }));
  const create = (parameters: object) => submit(root, "create_private_keys", { type, parameters });
  expect(await refusal(create({ privateKeys }))).toEqual(
    badRequest(
      "FIELD_INVALID",
      "parameters.privateKeys",
      "the private keys of a request may have 300 addresses together, got 301: create them with several requests",
    ),
  );
  await create({ privateKeys: [{ ...privateKeys[0], addressFormats }, ...privateKeys.slice(1)] });
  expect((await root.listPrivateKeys()).privateKeys).toHaveLength(100);
});

test("an organization has at most 1000 private keys", async () => {
  const root = impatient(await newOrganization());
  const batch = (from: number) =>
    Array.from({ length: 100 }, (_, i) => ({
      ...cold,
      privateKeyName: `key ${from + i}`,
      addressFormats: [],
    }));
  for (let from = 0; from < 1000; from += 100) {
    await root.createPrivateKeys({ privateKeys: batch(from) });
  }
  expect(await refusal(root.createPrivateKeys({ privateKeys: [hot] }))).toEqual({
    httpStatus: 429,
    grpcCode: 8,
    code: "LIMIT_EXCEEDED",
    field: "parameters.privateKeys",
    message: "an organization may have 1000 private keys",
  });
  const tooMany = [...batch(1000), hot];
  expect(await refusal(root.createPrivateKeys({ privateKeys: tooMany }))).toMatchObject({
    httpStatus: 400,
    field: "parameters.privateKeys",
  });
});

test("a key of one organization is not shown in another", async () => {
  const { root } = await newOrganization();
  const other = await newOrganization();
  const { privateKeys } = await other.root.createPrivateKeys({ privateKeys: [hot] });
  const { privateKeyId = "" } = first(privateKeys);
  expect(await refusal(root.getPrivateKey({ privateKeyId }))).toMatchObject({ httpStatus: 404 });
});
