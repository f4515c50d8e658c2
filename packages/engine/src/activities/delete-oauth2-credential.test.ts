import { newOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import { newClient } from "../oauth2-logins.testing.ts";
import { addUser, badRequest, expectDenied, refusal, submit } from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_DELETE_OAUTH2_CREDENTIAL";
const endpoint = "delete_oauth2_credential";

test("a credential is deleted once", async () => {
  const { server } = await newOrganization();
  const { root, oauth2CredentialId } = await newClient(server);
  expect(await root.deleteOauth2Credential({ oauth2CredentialId })).toMatchObject({
    oauth2CredentialId,
  });
  expect(await root.listOauth2Credentials()).toEqual({ oauth2Credentials: [] });
  expect(await refusal(root.deleteOauth2Credential({ oauth2CredentialId }))).toMatchObject({
    code: "OAUTH2_CREDENTIAL_NOT_FOUND",
    httpStatus: 404,
  });
});

test("bad parameters are refused by field, and that of another organization is not found", async () => {
  const { server } = await newOrganization();
  const { root } = await newOrganization(server);
  const ask = (oauth2CredentialId: string) =>
    refusal(submit(root, endpoint, { type, parameters: { oauth2CredentialId } }));
  expect(await ask("x")).toEqual(
    badRequest(
      "FIELD_INVALID",
      "parameters.oauth2CredentialId",
      "not a UUID in lower case (OAuth 2.0 credential id): `parameters.oauth2CredentialId` is `x`",
    ),
  );
  const other = await newClient(server);
  expect(await ask(other.oauth2CredentialId)).toMatchObject({ httpStatus: 404 });
  expect((await other.root.listOauth2Credentials()).oauth2Credentials).toHaveLength(1);
});

test("a user needs a permission", async () => {
  const { server } = await newOrganization();
  const organization = await newClient(server);
  const { client } = await addUser(organization, "Ada");
  const { oauth2CredentialId } = organization;
  await expectDenied(submit(client, endpoint, { type, parameters: { oauth2CredentialId } }));
});
