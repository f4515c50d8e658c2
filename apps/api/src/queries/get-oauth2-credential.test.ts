import { credentialOf, newClient } from "@keyhearth/engine/oauth2-logins.testing";
import { refusal } from "@keyhearth/engine/organization.testing";
import { expect, test } from "vitest";
import { newOrganization } from "../testing.ts";
import { expectOnlyFamilyReads } from "./queries.testing.ts";

test("a credential is shown with its secret encrypted", async () => {
  const { server } = await newOrganization();
  const { root, organizationId, oauth2CredentialId } = await newClient(server);
  const { oauth2Credential } = await root.getOauth2Credential({ oauth2CredentialId });
  const time = { seconds: expect.any(String), nanos: expect.any(String) };
  expect(oauth2Credential).toEqual({
    oauth2CredentialId,
    organizationId,
    provider: "OAUTH2_PROVIDER_DISCORD",
    clientId: "1029384756",
    encryptedClientSecret: expect.stringMatching(/^[0-9a-f]{200,}$/),
    createdAt: time,
    updatedAt: time,
  });
});

test("a bad id is refused, and an unknown one is not found", async () => {
  const { root } = await newOrganization();
  const ask = (oauth2CredentialId: string) =>
    refusal(root.getOauth2Credential({ oauth2CredentialId }));
  expect(await ask("x")).toMatchObject({ httpStatus: 400, field: "oauth2CredentialId" });
  expect(await ask("8f415263-aeb5-4ac6-9fd7-405162738495")).toMatchObject({
    httpStatus: 404,
    code: "OAUTH2_CREDENTIAL_NOT_FOUND",
    field: "oauth2CredentialId",
  });
});

test("the organization and its parent may read it, nobody else", async () => {
  await expectOnlyFamilyReads("get_oauth2_credential", async ({ root, server }) => {
    const { oauth2CredentialId } = await root.createOauth2Credential(credentialOf(server));
    return { oauth2CredentialId };
  });
});
