import { first } from "@keyhearth/engine/organization.testing";
import { newPasskey } from "@keyhearth/engine/passkey.testing";
import { expect, test } from "vitest";
import { newOrganization, type TestOrganization } from "../testing.ts";
import { expectNotFound, expectOnlyFamilyReads, someTimes, unknownId } from "./queries.testing.ts";

async function addPasskey({ root, userId }: TestOrganization) {
  const { params } = newPasskey();
  const { authenticatorIds } = await root.createAuthenticators({
    userId,
    authenticators: [params],
  });
  return { authenticatorId: first(authenticatorIds), params };
}

test("a passkey of any user is shown", async () => {
  const organization = await newOrganization();
  const { authenticatorId, params } = await addPasskey(organization);
  expect(await organization.root.getAuthenticator({ authenticatorId })).toEqual({
    authenticator: {
      transports: ["AUTHENTICATOR_TRANSPORT_INTERNAL"],
      attestationType: "none",
      aaguid: "AAAAAAAAAAAAAAAAAAAAAA",
      credentialId: params.attestation.credentialId,
      model: "Built-in authenticator",
      credential: {
        publicKey: expect.any(String),
        type: "CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR",
      },
      authenticatorId,
      authenticatorName: "phone",
      ...someTimes,
    },
  });
});

test("a passkey that is unknown, or another organization's, is not found", async () => {
  const { root } = await newOrganization();
  const other = await addPasskey(await newOrganization());
  for (const authenticatorId of [unknownId, other.authenticatorId]) {
    await expectNotFound(root.getAuthenticator({ authenticatorId }), {
      field: "authenticatorId",
      message: `authenticator not found: \`${authenticatorId}\``,
    });
  }
});

test("the organization and its parent may read it, nobody else", async () => {
  await expectOnlyFamilyReads("get_authenticator", async (organization) => {
    const { authenticatorId } = await addPasskey(organization);
    return { authenticatorId };
  });
});
