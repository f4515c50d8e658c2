import { verifyAppProof } from "@keyhearth/crypto/receipts/app-proof";
import { expect, test, vi } from "vitest";
import { newOrganization } from "../testing.ts";
import { expectOnlyFamilyReads, quorumKeyOf } from "./queries.testing.ts";

const key = {
  curve: "CURVE_ED25519",
  addressFormats: ["ADDRESS_FORMAT_SOLANA"],
  privateKeyTags: [],
} as const;

test("all private keys are listed in the order of creation, each as the single query shows it", async () => {
  const { root, server } = await newOrganization();
  expect(await root.listPrivateKeys()).toEqual({ privateKeys: [] });
  const named = (privateKeyName: string) => ({
    ...key,
    privateKeyName,
    addressFormats: [...key.addressFormats],
    privateKeyTags: [],
  });
  await root.createPrivateKeys({ privateKeys: [named("b"), named("a")] });
  await root.createPrivateKeys({ privateKeys: [named("c")] });

  const { privateKeys } = await root.listPrivateKeys();
  expect(privateKeys.map(({ privateKeyName }) => privateKeyName)).toEqual(["b", "a", "c"]);
  for (const privateKey of privateKeys) {
    const { privateKeyId, addresses } = privateKey;
    expect(await root.getPrivateKey({ privateKeyId })).toEqual({ privateKey });
    expect(addresses).toHaveLength(1);
    expect(verifyAppProof(addresses[0]?.proof, quorumKeyOf(server))).toBe(true);
  }
});

test("a body without a good organization id is refused", async () => {
  const { root } = await newOrganization();
  await expect(
    root.request("/public/v1/query/list_private_keys", '{"organizationId":"x"}'),
  ).rejects.toMatchObject({
    code: "ORGANIZATION_ID_MALFORMED",
    field: "organizationId",
    httpStatus: 400,
  });
});

test("the organization and its parent may list them, nobody else", async () => {
  await expectOnlyFamilyReads("list_private_keys", async ({ root }) => {
    const privateKeyName = "cold";
    const addressFormats = [...key.addressFormats];
    await root.createPrivateKeys({
      privateKeys: [{ ...key, privateKeyName, addressFormats, privateKeyTags: [] }],
    });
    return {};
  });
});

test("many private keys are left to the reader, however small the document is", async () => {
  const { root, server } = await newOrganization();
  const run = vi.spyOn(server.host.reader, "run");
  const create = (start: number, length: number) =>
    root.createPrivateKeys({
      privateKeys: Array.from({ length }, (_, i) => ({
        ...key,
        privateKeyName: `key ${start + i}`,
        addressFormats: [...key.addressFormats],
        privateKeyTags: [],
      })),
    });
  await create(0, 100);
  await create(100, 100);
  expect((await root.listPrivateKeys()).privateKeys).toHaveLength(200);
  expect(run).not.toHaveBeenCalled();
  await create(200, 1);
  expect((await root.listPrivateKeys()).privateKeys).toHaveLength(201);
  expect(run).toHaveBeenCalledOnce();
});
