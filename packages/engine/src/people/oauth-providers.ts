import { alreadyExists, checkEach, limitExceeded } from "../errors.ts";
import { LIMITS } from "../records/limits.ts";
import type {
  Identity,
  OauthProvider,
  OrganizationDocument,
  User,
} from "../records/organization.ts";
import type { Registrations } from "./passkey-registrations.ts";
import { type Asker, type Proven, proveIdentity } from "./proven-facts.ts";

/** A social login as a request gives it: with a token or with claims. */
export type OauthProviderParams = {
  providerName: string;
  oidcToken?: string | undefined;
  oidcClaims?: { iss: string; sub: string; aud: string } | undefined;
};

type Sources = {
  newId: (name: string) => string;
  nowMs: number;
  registrations: Registrations;
  asker: Asker;
};

export function createOauthProviders(
  params: readonly OauthProviderParams[],
  { newId, nowMs, registrations, asker }: Sources,
): OauthProvider[] {
  return params.map((given, index) => {
    const { providerName } = given;
    const at = `oauthProviders[${index}]`;
    const proof = readProof(given, at, { registrations, asker });
    const { issuer, audience, subject } = proof?.fact ?? identityIn(given, at, registrations);
    const times = { createdAtMs: nowMs, updatedAtMs: nowMs };
    const providerId = newId(`oauth-provider/${index}`);
    const proven = proof ? { isProven: true as const } : {};
    return { providerId, providerName, issuer, audience, subject, ...proven, ...times };
  });
}

function readProof(
  { oidcToken }: OauthProviderParams,
  at: string,
  { registrations, asker }: Pick<Sources, "registrations" | "asker">,
): Proven<Identity> | null {
  if (oidcToken === undefined) return null;
  return proveIdentity(registrations.readToken(oidcToken, `${at}.oidcToken`), asker);
}

/** The identity that a token or claims state. */
function identityIn(
  { oidcToken, oidcClaims }: OauthProviderParams,
  at: string,
  registrations: Registrations,
): Identity {
  if (oidcToken !== undefined) return registrations.readToken(oidcToken, `${at}.oidcToken`);
  // Invariant: no schema accepts a social login without a token or claims.
  if (!oidcClaims) throw new Error("a social login without claims");
  return { issuer: oidcClaims.iss, audience: oidcClaims.aud, subject: oidcClaims.sub };
}

/** An identity belongs to one user of an organization. Adds those of the request to `taken`. */
export function checkOauthProviders(
  params: readonly OauthProviderParams[],
  field: string,
  { identities: taken, registrations }: { identities: Set<string>; registrations: Registrations },
) {
  checkEach(params, (given, index) => {
    const at = `${field}[${index}]`;
    const identity = identityText(identityIn(given, at, registrations));
    if (taken.has(identity)) {
      throw alreadyExists(
        "OAUTH_PROVIDER_TAKEN",
        `${at}.${given.oidcToken === undefined ? "oidcClaims" : "oidcToken"}`,
        "an OAuth provider with the same issuer, audience and subject already exists in this organization",
      );
    }
    taken.add(identity);
  });
}

/** The identities that belong to users already. */
export function takenIdentities({ users }: OrganizationDocument): Set<string> {
  return new Set(users.flatMap(({ oauthProviders }) => oauthProviders.map(identityText)));
}

/** The user of an identity. Two users who have it, which no request makes, are nobody. */
export function findByIdentity(
  { users }: OrganizationDocument,
  identity: Identity,
): { user: User; provider: OauthProvider } | undefined {
  const text = identityText(identity);
  const found = users.flatMap((user) => {
    const provider = user.oauthProviders.find((each) => identityText(each) === text);
    return provider ? [{ user, provider }] : [];
  });
  return found.length === 1 ? found[0] : undefined;
}

function identityText({ issuer, audience, subject }: Identity): string {
  return JSON.stringify([issuer, audience, subject]);
}

export function checkOauthProviderLimit(user: User | null, added: number, field: string) {
  if ((user?.oauthProviders.length ?? 0) + added <= LIMITS.oauthProvidersPerUser) return;
  throw limitExceeded(
    field,
    `user has exceeded maximum OAuth providers: a user may have ${LIMITS.oauthProvidersPerUser}`,
  );
}
