import {
  newKey,
  newOrganization,
  type TestOrganization,
  type TestServer,
} from "@keyhearth/api/testing";
import { newToken, nonceFor } from "./oidc.testing.ts";
import { first } from "./organization.testing.ts";

/** A sub-organization whose only user, Ada, has an API key and a social login. */
export type SocialFamily = {
  parent: TestOrganization;
  organizationId: string;
  userId: string;
  subject: string;
};

let families = 0;

export async function newSocialFamily(server?: TestServer): Promise<SocialFamily> {
  const parent = await newOrganization(server);
  families += 1;
  const subject = `ada ${families}`;
  const { subOrganizationId, rootUserIds } = await parent.root.createSubOrganization({
    subOrganizationName: "Ada",
    rootQuorumThreshold: 1,
    rootUsers: [
      {
        userName: "Ada",
        apiKeys: [],
        authenticators: [],
        oauthProviders: [{ providerName: "Example", oidcToken: newToken({ sub: subject }) }],
      },
    ],
  });
  return { parent, organizationId: subOrganizationId, userId: first(rootUserIds), subject };
}

/** The parameters of a login with a key that is made for it. */
export function loginOf({ subject }: Pick<SocialFamily, "subject">, claims: object = {}) {
  const key = newKey();
  const nonce = nonceFor(key.publicKey);
  return { key, publicKey: key.publicKey, oidcToken: newToken({ sub: subject, nonce, ...claims }) };
}
