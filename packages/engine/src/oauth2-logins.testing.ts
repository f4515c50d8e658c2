import { randomBytes } from "node:crypto";
import {
  newKey,
  newOrganization,
  startTestServer,
  type TestOrganization,
  type TestServer,
} from "@keyhearth/api/testing";
import type { Oauth2Provider as Name } from "./fields/oauth2.ts";
import {
  CLIENT,
  encryptClientSecret,
  type Oauth2Provider,
  REDIRECT_URI,
} from "./oauth2-provider.testing.ts";
import { nonceFor } from "./oidc.testing.ts";

const DISCORD = "OAUTH2_PROVIDER_DISCORD";

/** A server whose signer exchanges codes of both providers at this double. */
export function serverOf({ url }: Pick<Oauth2Provider, "url">): Promise<TestServer> {
  return startTestServer({ providers: `x=private:${url},discord=private:${url}` });
}

/** The parameters of a credential, with a secret that the server's signer opens. */
export function credentialOf(
  { signer }: TestServer,
  {
    provider = DISCORD,
    clientId = CLIENT.clientId,
    secret = CLIENT.clientSecret,
  }: { provider?: Name; clientId?: string; secret?: string } = {},
) {
  const described = signer.handle({ call: "describe" });
  if (described.kind !== "description") throw new Error("the signer does not describe itself");
  const encryptedClientSecret = encryptClientSecret(described.quorumPublicKey, secret);
  return { provider, clientId, encryptedClientSecret };
}

/** An organization with a credential. */
export async function newClient(
  server: TestServer,
  given: Parameters<typeof credentialOf>[1] = {},
): Promise<TestOrganization & { oauth2CredentialId: string }> {
  const organization = await newOrganization(server);
  const credential = credentialOf(server, given);
  const { oauth2CredentialId } = await organization.root.createOauth2Credential(credential);
  return { ...organization, oauth2CredentialId };
}

/** What a page sends when a person has come back from the provider. */
export function codeOf(provider: Oauth2Provider, asked: { subject?: string } = {}) {
  const key = newKey();
  const codeVerifier = randomBytes(32).toString("base64url");
  const authCode = provider.codeOf({ verifier: codeVerifier, ...asked });
  const nonce = nonceFor(key.publicKey);
  return { key, given: { authCode, codeVerifier, redirectUri: REDIRECT_URI, nonce } };
}

/** What a token says. */
export function claimsIn(oidcToken: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(oidcToken.split(".")[1] ?? "", "base64url").toString());
}
