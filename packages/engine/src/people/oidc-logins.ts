import { checkAll, invalid } from "../errors.ts";
import type { OauthProvider, OrganizationDocument, User } from "../records/organization.ts";
import { findByIdentity } from "./oauth-providers.ts";
import { assertMadeFor, checkIssuedSince, identityIn, refusedToken } from "./oidc-tokens.ts";
import { checkStampedSince } from "./sessions.ts";
import type { PersonTools } from "./tools.ts";

/**
 * The user whom a token logs in with a key of the client: exactly one user of the organization must have the
 * token's issuer, audience and subject, and the token must have been made for this key.
 */
export function checkTokenLogin(
  context: PersonTools,
  { oidcToken, publicKey }: { oidcToken: string; publicKey: string },
  at: { token: string; key: string },
): { user: User; provider: OauthProvider } {
  const { document, registrations } = context;
  checkAll(
    () => assertSubOrganization(document),
    () => assertMadeFor(registrations.readToken(oidcToken, at.token), publicKey, at),
  );
  const claims = registrations.readToken(oidcToken, at.token);
  const found = findByIdentity(document, claims);
  if (!found) {
    throw refusedToken(
      at.token,
      "no user of the organization has a social login with its issuer, audience and subject",
    );
  }
  checkAll(
    () => checkStampedSince(context, found.user),
    () => checkIssuedSince(context, claims, found.user, at.token),
  );
  return found;
}

function assertSubOrganization({ organizationId, parentOrganizationId }: OrganizationDocument) {
  if (parentOrganizationId !== null) return;
  throw invalid(
    "organizationId",
    `\`organizationId\` is \`${organizationId}\`, which is a top-level organization: social logins are for users of sub-organizations`,
  );
}

/** What a request with the token wants. A token that cannot be read is refused later. */
export function wantedForToken<T>(
  oidcToken: string,
  document: OrganizationDocument,
  wantOf: (userId: string) => T,
): T[] {
  const identity = identityIn(oidcToken);
  const found = identity && findByIdentity(document, identity);
  return found ? [wantOf(found.user.userId)] : [];
}
