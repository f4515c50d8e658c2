import { newOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import { credentialOf, newClient } from "../oauth2-logins.testing.ts";
import { addUser, expectDenied, refusal, submit } from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_UPDATE_OAUTH2_CREDENTIAL";
const endpoint = "update_oauth2_credential";

test("a credential gets another client and secret, and keeps its id", async () => {
  const { server } = await newOrganization();
  const { root, oauth2CredentialId } = await newClient(server);
  const other = credentialOf(server, { provider: "OAUTH2_PROVIDER_X", clientId: "another" });
  const parameters = { oauth2CredentialId, ...other };
  const { status } = await submit(root, endpoint, { type, parameters });
  expect(status).toBe("ACTIVITY_STATUS_COMPLETED");
  const { oauth2Credential } = await root.getOauth2Credential({ oauth2CredentialId });
  expect(oauth2Credential).toMatchObject(parameters);
  // The same client again is no other one.
  await submit(root, endpoint, { type, parameters });
});

test("a credential cannot become one that exists, nor get a secret that does not open", async () => {
  const { server } = await newOrganization();
  const { root, oauth2CredentialId } = await newClient(server);
  await root.createOauth2Credential(credentialOf(server, { clientId: "another" }));
  const given = credentialOf(server, { clientId: "another" });
  const parameters = { oauth2CredentialId, ...given, encryptedClientSecret: "00".repeat(100) };
  const refused = await refusal(submit(root, endpoint, { type, parameters }));
  expect(refused).toMatchObject({ field: "parameters.clientId", code: "ALREADY_EXISTS" });
  expect(refused.message).toContain("does not open");
});

test("that of another organization, and an unknown one, are not found", async () => {
  const { server } = await newOrganization();
  const { root } = await newOrganization(server);
  const other = await newClient(server);
  for (const id of [other.oauth2CredentialId, "8f415263-aeb5-4ac6-9fd7-405162738495"]) {
    const parameters = { oauth2CredentialId: id, ...credentialOf(server) };
    expect(await refusal(submit(root, endpoint, { type, parameters }))).toMatchObject({
      code: "OAUTH2_CREDENTIAL_NOT_FOUND",
      httpStatus: 404,
      field: "parameters.oauth2CredentialId",
    });
  }
});

test("a user needs a permission", async () => {
  const { server } = await newOrganization();
  const organization = await newClient(server);
  const { client } = await addUser(organization, "Ada");
  const { oauth2CredentialId } = organization;
  const parameters = { oauth2CredentialId, ...credentialOf(server) };
  await expectDenied(submit(client, endpoint, { type, parameters }));
});
