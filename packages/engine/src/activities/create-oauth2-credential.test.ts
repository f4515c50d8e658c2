import { newOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import { credentialOf } from "../oauth2-logins.testing.ts";
import { CLIENT } from "../oauth2-provider.testing.ts";
import { addUser, badRequest, expectDenied, refusal, submit } from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_CREATE_OAUTH2_CREDENTIAL";
const secretAt = "parameters.encryptedClientSecret";

const create = (organization: Awaited<ReturnType<typeof newOrganization>>, parameters: object) =>
  submit(organization.root, "create_oauth2_credential", { type, parameters });

test("a credential is created, and nothing shows its secret", async () => {
  const organization = await newOrganization();
  const given = credentialOf(organization.server);
  const activity = await create(organization, given);
  expect(activity).toMatchObject({
    status: "ACTIVITY_STATUS_COMPLETED",
    intent: { createOauth2CredentialIntent: given },
    result: { createOauth2CredentialResult: { oauth2CredentialId: expect.any(String) } },
  });
  const shown = await organization.root.listOauth2Credentials();
  expect(shown.oauth2Credentials).toMatchObject([given]);
  expect(JSON.stringify([activity, shown])).not.toContain(CLIENT.clientSecret);
});

test("a client has one credential, at each provider", async () => {
  const organization = await newOrganization();
  const given = credentialOf(organization.server);
  await create(organization, given);
  expect(await refusal(create(organization, credentialOf(organization.server)))).toMatchObject({
    code: "ALREADY_EXISTS",
    field: "parameters.clientId",
  });
  await create(organization, { ...given, provider: "OAUTH2_PROVIDER_X" });
});

test("a secret opens only with the key of the service, and only where it is bound to", async () => {
  const organization = await newOrganization();
  const other = await newOrganization();
  const { server, organizationId } = organization;
  const bound = (id: string, clientId = CLIENT.clientId) =>
    credentialOf(server, { secret: `keyhearth.oauth2.v1|${id}|${clientId}|a-secret` });
  const good = credentialOf(server);
  const refusedOf = async (given: object) => (await refusal(create(organization, given))).message;
  const changed = good.encryptedClientSecret.replace(/..$/, (end) => (end === "00" ? "01" : "00"));
  for (const encryptedClientSecret of [changed, "00", good.encryptedClientSecret.slice(2)]) {
    const refused = await refusal(create(organization, { ...good, encryptedClientSecret }));
    expect(refused).toEqual(
      badRequest("BUNDLE_INVALID", secretAt, expect.stringContaining("does not open with")),
    );
    expect(refused.message).not.toContain(encryptedClientSecret);
  }
  expect(await refusedOf(bound(other.organizationId))).toMatch(/for another organization/);
  expect(await refusedOf(bound(organizationId, "another"))).toMatch(/another client/);
  for (const secret of ["", "two words", "line\nbreak", "é", "x".repeat(513)]) {
    expect(await refusedOf(credentialOf(server, { secret }))).toMatch(/holds no client secret/);
  }
  await create(organization, bound(organizationId));
});

test("bad parameters are refused by field, without a value that may be a secret", async () => {
  const organization = await newOrganization();
  const good = credentialOf(organization.server);
  const cases: [object, string][] = [
    [{ ...good, provider: "OAUTH2_PROVIDER_GOOGLE" }, "parameters.provider"],
    [{ ...good, clientId: "" }, "parameters.clientId"],
    [{ ...good, clientId: "a b" }, "parameters.clientId"],
    [{ ...good, encryptedClientSecret: CLIENT.clientSecret }, secretAt],
    [{ ...good, encryptedClientSecret: "AB" }, secretAt],
    [{ ...good, encryptedClientSecret: "00".repeat(1000) }, secretAt],
  ];
  for (const [parameters, field] of cases) {
    const refused = await refusal(create(organization, parameters));
    expect(refused).toMatchObject({ code: "FIELD_INVALID", field, httpStatus: 400 });
    expect(refused.message).not.toContain(CLIENT.clientSecret);
  }
  expect((await refusal(create(organization, {}))).message).toContain("client_id must be set");
});

test("an organization may have ten credentials", async () => {
  const organization = await newOrganization();
  for (let i = 0; i < 10; i++) {
    await create(organization, credentialOf(organization.server, { clientId: `client-${i}` }));
  }
  const more = create(organization, credentialOf(organization.server));
  expect(await refusal(more)).toMatchObject({ code: "LIMIT_EXCEEDED", httpStatus: 429 });
});

test("a user needs a permission", async () => {
  const organization = await newOrganization();
  const { client } = await addUser(organization, "Ada");
  const parameters = credentialOf(organization.server);
  await expectDenied(submit(client, "create_oauth2_credential", { type, parameters }));
});
