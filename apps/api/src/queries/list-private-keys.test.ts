import { addressEncodings } from "@keyhearth/crypto/addresses/formats";
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

/** Formats that one key can have together. */
const everyFormat = Object.entries(addressEncodings).flatMap(([name, { curves }]) =>
  (curves as readonly string[]).includes("CURVE_SECP256K1")
    ? [name as keyof typeof addressEncodings]
    : [],
);

test("many addresses are left to the reader, however small the document is", async () => {
  const { root, server } = await newOrganization();
  const run = vi.spyOn(server.host.reader, "run");
  const create = (start: number, length: number, addressFormats: typeof everyFormat) =>
    root.createPrivateKeys({
      privateKeys: Array.from({ length }, (_, i) => ({
        privateKeyName: `key ${start + i}`,
        curve: "CURVE_SECP256K1",
        addressFormats,
        privateKeyTags: [],
      })),
    });
  await create(0, 100, ["ADDRESS_FORMAT_ETHEREUM"]);
  expect((await root.listPrivateKeys()).privateKeys).toHaveLength(100);
  await root.getOrganization();
  expect(run).not.toHaveBeenCalled();

  for (let i = 1; i <= 20; i++) await create(100 * i, 10, everyFormat);
  const { privateKeys } = await root.listPrivateKeys();
  expect(run).toHaveBeenCalledOnce();
  expect(await root.getOrganization()).toMatchObject({ organizationData: { privateKeys } });
  expect(run).toHaveBeenCalledTimes(2);

  // As many proofs as fit, and every address.
  expect(privateKeys).toHaveLength(300);
  expect(new Set(privateKeys.slice(100).map(({ addresses }) => addresses.length))).toEqual(
    new Set([everyFormat.length]),
  );
  const bare = privateKeys.filter(({ addresses }) => !addresses.every(({ proof }) => proof));
  expect(privateKeys.slice(-bare.length)).toEqual(bare);
  expect(bare.length).toBeGreaterThan(0);
  expect(bare.length).toBeLessThan(200);
  const { privateKeyId = "" } = bare[0] ?? {};
  const { privateKey } = await root.getPrivateKey({ privateKeyId });
  expect(verifyAppProof(privateKey.addresses[0]?.proof, quorumKeyOf(server))).toBe(true);
}, 60_000);
