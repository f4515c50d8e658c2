import { verifyAppProof } from "@keyhearth/crypto/receipts/app-proof";
import { expect, test } from "vitest";
import { newOrganization } from "../testing.ts";
import {
  anyProof,
  expectNotFound,
  expectOnlyFamilyReads,
  newPrivateKey,
  quorumKeyOf,
  someTimes,
  unknownId,
} from "./queries.testing.ts";

test("a private key is shown by its public key and addresses, each with a proof", async () => {
  const organization = await newOrganization();
  const { root, server, organizationId } = organization;
  const { privateKeyId, addresses } = await newPrivateKey(organization);
  const { privateKey } = await root.getPrivateKey({ privateKeyId });
  expect(privateKey).toEqual({
    privateKeyId,
    publicKey: expect.stringMatching(/^0[23][0-9a-f]{64}$/),
    privateKeyName: "cold",
    curve: "CURVE_SECP256K1",
    addresses: addresses.map((each) => ({ ...each, proof: anyProof })),
    privateKeyTags: [],
    ...someTimes,
    exported: false,
    imported: false,
  });
  expect(privateKey.addresses.map(({ address }) => address)).toEqual([
    expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
  ]);
  for (const { address, proof } of privateKey.addresses) {
    expect(verifyAppProof(proof, quorumKeyOf(server))).toBe(true);
    expect(JSON.parse(proof?.proofPayload ?? "")).toEqual({
      type: "APP_PROOF_TYPE_ADDRESS_DERIVATION",
      timestampMs: expect.stringMatching(/^\d{13}$/),
      addressDerivationProof: { address, organizationId, privateKeyId },
    });
  }
});

test("a private key that is unknown, or another organization's, is not found", async () => {
  const { root } = await newOrganization();
  const theirs = await newPrivateKey(await newOrganization());
  for (const privateKeyId of [unknownId, theirs.privateKeyId]) {
    await expectNotFound(root.getPrivateKey({ privateKeyId }), {
      field: "privateKeyId",
      message: `private key not found: \`${privateKeyId}\``,
    });
  }
});

test("the organization and its parent may read it, nobody else", async () => {
  await expectOnlyFamilyReads("get_private_key", async (organization) => {
    const { privateKeyId } = await newPrivateKey(organization);
    return { privateKeyId };
  });
});
