import { alreadyExists, checkEach, limitExceeded } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import type { OauthProvider, OrganizationDocument, User } from "../records/organization.ts";

/** A social login as a request gives it. The schemas accept only those with claims. */
export type OauthProviderParams = {
  providerName: string;
  oidcToken?: string | undefined;
  oidcClaims?: { iss: string; sub: string; aud: string } | undefined;
};

export function createOauthProviders(
  params: readonly OauthProviderParams[],
  { newId, nowMs }: { newId: (name: string) => string; nowMs: number },
): OauthProvider[] {
  return params.map(({ providerName, oidcClaims }, index) => {
    // Invariant: no schema accepts a social login without claims.
    if (!oidcClaims) throw new Error("a social login without claims");
    const { iss: issuer, aud: audience, sub: subject } = oidcClaims;
    const times = { createdAtMs: nowMs, updatedAtMs: nowMs };
    const providerId = newId(`oauth-provider/${index}`);
    return { providerId, providerName, issuer, audience, subject, ...times };
  });
}

/** An identity belongs to one user of an organization. Adds those of the request to `taken`. */
export function checkOauthProviders(
  params: readonly OauthProviderParams[],
  field: string,
  taken: Set<string>,
) {
  checkEach(params, ({ oidcClaims }, index) => {
    if (!oidcClaims) return;
    const identity = identityOf(oidcClaims);
    if (taken.has(identity)) {
      throw alreadyExists(
        "OAUTH_PROVIDER_TAKEN",
        `${field}[${index}].oidcClaims`,
        "an OAuth provider with the same issuer, audience and subject already exists in this organization",
      );
    }
    taken.add(identity);
  });
}

/** The identities that belong to users already. */
export function takenIdentities({ users }: OrganizationDocument): Set<string> {
  return new Set(
    users.flatMap(({ oauthProviders }) =>
      oauthProviders.map(({ issuer, audience, subject }) =>
        identityOf({ iss: issuer, aud: audience, sub: subject }),
      ),
    ),
  );
}

function identityOf({ iss, aud, sub }: { iss: string; aud: string; sub: string }): string {
  return JSON.stringify([iss, aud, sub]);
}

export function checkOauthProviderLimit(user: User | null, added: number, field: string) {
  if ((user?.oauthProviders.length ?? 0) + added <= LIMITS.oauthProvidersPerUser) return;
  throw limitExceeded(
    field,
    `user has exceeded maximum OAuth providers: a user may have ${LIMITS.oauthProvidersPerUser}`,
  );
}
