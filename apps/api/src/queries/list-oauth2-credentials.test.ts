import { credentialOf } from "@keyhearth/engine/oauth2-logins.testing";
import { expect, test } from "vitest";
import { newOrganization } from "../testing.ts";
import { expectOnlyFamilyReads, newFamily } from "./queries.testing.ts";

test("the organization's own credentials are listed in the order of creation", async () => {
  const { parent, child } = await newFamily();
  expect(await parent.root.listOauth2Credentials()).toEqual({ oauth2Credentials: [] });
  for (const clientId of ["b", "a"]) {
    await parent.root.createOauth2Credential(credentialOf(parent.server, { clientId }));
  }
  const { oauth2Credentials } = await parent.root.listOauth2Credentials();
  expect(oauth2Credentials.map(({ clientId }) => clientId)).toEqual(["b", "a"]);
  expect(await child.root.listOauth2Credentials()).toEqual({ oauth2Credentials: [] });
});

test("a body without a good organization id is refused", async () => {
  const { root } = await newOrganization();
  const asked = root.request("/public/v1/query/list_oauth2_credentials", '{"organizationId":"x"}');
  await expect(asked).rejects.toMatchObject({ code: "ORGANIZATION_ID_MALFORMED", httpStatus: 400 });
});

test("the organization and its parent may list them, nobody else", async () => {
  await expectOnlyFamilyReads("list_oauth2_credentials", async ({ root, server }) => {
    await root.createOauth2Credential(credentialOf(server));
    return {};
  });
});
