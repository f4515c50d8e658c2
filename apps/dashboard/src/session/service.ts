import { UnexpectedAnswer } from "@keyhearth/sdk";
import { isElsewhere, serviceAddress, written } from "./service-address.ts";

/** Where people log in at a provider, by the name that login proxies have for their client there. */
export type LoginProvider = {
  name: string;
  authorizationEndpoint: string;
  /** Of a page for another origin, which takes no client that the service names. */
  clientId?: string;
};

/** What the page has to know of the service before anybody logs in. */
export type Service = {
  /** Whether the page was built for another origin. Then it believes the keys that it was built with, and no others. */
  isElsewhere: boolean;
  /** Where the API is, without a slash at its end. */
  baseUrl: string;
  rootOrganizationId: string;
  sessionPublicKey: string;
  /** Whose keys codes are encrypted to. A build for another origin may have been given none. */
  verificationPublicKey: string | undefined;
  /** What receipts and the signer's statements about addresses are verified with. As above. */
  quorumPublicKey: string | undefined;
  /** Whose bundles of imports and exports are opened. As above. */
  signerPublicKey: string | undefined;
  isOpenForSignup: boolean;
  /** OpenID providers that the operator has listed, or that the page was built with. */
  loginProviders: readonly LoginProvider[];
  /** Where the frames are, if they have an origin of their own. */
  framesUrl: string | undefined;
};

/** The service, or why it cannot be used. */
export type Found = { service: Service } | { error: unknown };

export async function findService(asked: Promise<Response>): Promise<Found> {
  try {
    return { service: await readService(asked) };
  } catch (error) {
    return { error };
  }
}

/**
 * Reads who the service is. The key that sessions are verified with is the one that the page was built with: only a page of
 * the service itself may believe what the service says.
 */
async function readService(asked: Promise<Response>): Promise<Service> {
  const answer = await asked.catch((cause: unknown) => {
    throw unexpected("nothing answers there, or this device is offline", cause);
  });
  const facts: unknown = await answer.json().catch(() => undefined);
  if (!answer.ok || typeof facts !== "object" || facts === null) {
    throw unexpected("what answers there is no Keyhearth service");
  }
  const text = (name: string) => {
    const value: unknown = Reflect.get(facts, name);
    if (typeof value === "string") return value;
    throw unexpected(`its description has no ${name}`);
  };
  const pinned = (name: string) =>
    written(`keyhearth-${name}-public-key`) ||
    (isElsewhere() ? undefined : text(`${name}PublicKey`));
  return {
    isElsewhere: isElsewhere(),
    baseUrl: serviceAddress(),
    rootOrganizationId: text("rootOrganizationId"),
    sessionPublicKey: written("keyhearth-session-public-key") || text("sessionPublicKey"),
    verificationPublicKey: pinned("verification"),
    quorumPublicKey: pinned("quorum"),
    signerPublicKey: pinned("signer"),
    isOpenForSignup: Reflect.get(facts, "signup") === "open",
    loginProviders: isElsewhere()
      ? writtenProviders(written("keyhearth-login-providers").split(" "))
      : providersOf(Reflect.get(facts, "loginProviders")),
    framesUrl: written("keyhearth-frames") || undefined,
  };
}

/** A browser goes there, so only addresses count that it may go to. */
function providersOf(listed: unknown): LoginProvider[] {
  if (!Array.isArray(listed)) return [];
  return listed.filter(
    (each): each is LoginProvider =>
      typeof each?.name === "string" &&
      typeof each?.authorizationEndpoint === "string" &&
      /^https?:$/.test(URL.parse(each.authorizationEndpoint)?.protocol ?? ""),
  );
}

/** Each is a name, an address and a client id. */
function writtenProviders([
  name,
  authorizationEndpoint,
  clientId,
  ...others
]: string[]): LoginProvider[] {
  if (!name || !authorizationEndpoint || !clientId) return [];
  return [{ name, authorizationEndpoint, clientId }, ...writtenProviders(others)];
}

function unexpected(what: string, cause?: unknown) {
  return new UnexpectedAnswer(
    `The service at ${serviceAddress()} cannot be used: ${what}. Try again, or ask the operator for the right address`,
    { code: "INVALID_RESPONSE", cause },
  );
}
