import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { canonicalJson } from "@keyhearth/crypto/encoding/canonical";
import { fingerprint } from "@keyhearth/crypto/stamps/fingerprint";
import { asRecord, provesOutcome } from "../connection/address-proofs.ts";
import { pageOf, parseObject } from "../connection/answers.ts";
import { Unverified } from "../errors/errors.ts";
import type {
  ApiKeyParamsV2,
  AuthenticatorParamsV2,
  OauthProviderParamsV2,
} from "../generated/types.ts";

/** What a sign-up registers: everything that can act for the account, or can be recovered with. */
export type Registered = {
  apiKeys: ApiKeyParamsV2[];
  authenticators: AuthenticatorParamsV2[];
  oauthProviders: OauthProviderParamsV2[];
  userEmail?: string;
  userPhoneNumber?: string;
};

type Expected = {
  quorumPublicKey: string;
  baseUrl: string;
  /** The organization that the page is of. */
  parentId: string;
  registered: Registered;
};

const TYPE = "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8";

/**
 * Throws `Unverified` unless the signer stated that this account was made by a request for a sub-organization of the
 * parent whose only root user has exactly these credentials and contacts. The host that answers could make the
 * account itself, and register a key of its own beside the person's, or make it in another organization.
 */
export function verifySignUp(answer: Record<string, unknown>, expected: Expected): void {
  const { request, activityId, result } = { ...asRecord(answer.activity) };
  const { quorumPublicKey, parentId, registered, baseUrl } = expected;
  const shown = asRecord(result);
  if (typeof request !== "string" || !shown || !Array.isArray(answer.appProofs)) {
    throw unverified("came without the signer’s statement", baseUrl);
  }
  const made = {
    id: activityId,
    fingerprint: fingerprint(encodeUtf8(request)),
    status: "ACTIVITY_STATUS_COMPLETED",
    result: { shown },
  };
  const isStated = answer.appProofs.some((proof) =>
    provesOutcome(proof, quorumPublicKey, made, parentId.toLowerCase()),
  );
  if (!isStated || shown.subOrganizationId !== answer.organizationId) {
    throw unverified("is not the one that the signer stated for this organization", baseUrl);
  }
  const problem = problemOf(request, parentId, registered);
  if (problem !== undefined) throw unverified(problem, baseUrl);
}

/** The members of a request that this code knows. Another one could register something that acts. */
const OF_REQUEST = ["type", "timestampMs", "organizationId", "parameters", "generateAppProofs"];
const OF_PARAMETERS = [
  ...["subOrganizationName", "rootUsers", "rootQuorumThreshold", "wallet"],
  ...["disableEmailRecovery", "disableEmailAuth", "disableSmsAuth", "disableOtpEmailAuth"],
  ...["verificationToken", "clientSignature"],
];
const OF_USER = ["userName", "userEmail", "userPhoneNumber"];
const CREDENTIALS = ["apiKeys", "authenticators", "oauthProviders"];

function problemOf(text: string, parentId: string, registered: Registered): string | undefined {
  const request = parseObject(text);
  const parameters = asRecord(request?.parameters);
  const users = parameters?.rootUsers;
  const user = Array.isArray(users) && users.length === 1 ? asRecord(users[0]) : undefined;
  if (
    !request ||
    !parameters ||
    request.type !== TYPE ||
    String(request.organizationId).toLowerCase() !== parentId.toLowerCase()
  ) {
    return "was not made as a sub-organization of this organization";
  }
  if (!user || parameters.rootQuorumThreshold !== 1) {
    return "has other root users than the person who signs up";
  }
  const isKnown =
    hasOnly(request, OF_REQUEST) &&
    hasOnly(parameters, OF_PARAMETERS) &&
    hasOnly(user, [...OF_USER, ...CREDENTIALS]);
  if (isKnown && actingOf(user) === actingOf(registered)) return undefined;
  return "has other credentials or contacts than those that signed up";
}

function hasOnly(given: object, known: readonly string[]): boolean {
  return Object.keys(given).every((name) => known.includes(name));
}

/** Everything by which somebody can act as the user, in one spelling: the service writes keys and numbers in its own. */
function actingOf(user: { [name in keyof Registered]?: unknown }): string {
  const { apiKeys, authenticators, oauthProviders, userEmail, userPhoneNumber } = user;
  const keys = recordsOf(apiKeys).map(({ publicKey, expirationSeconds, ...others }) => ({
    ...others,
    publicKey: String(publicKey).toLowerCase(),
    ...(expirationSeconds !== undefined && { expirationSeconds: String(expirationSeconds) }),
  }));
  // Without transports: they only help a browser, and the service writes an empty list where there is none.
  const passkeys = recordsOf(authenticators).map(({ attestation, ...others }) => {
    const { transports: _, ...attested } = { ...asRecord(attestation) };
    return { ...others, attestation: attested };
  });
  const acting = {
    apiKeys: keys,
    authenticators: passkeys,
    oauthProviders: recordsOf(oauthProviders),
    userEmail,
    userPhoneNumber,
  };
  // As JSON has it: a member that is undefined is not there.
  return canonicalJson(JSON.parse(JSON.stringify(acting)));
}

function recordsOf(list: unknown): Record<string, unknown>[] {
  return Array.isArray(list) ? list.map((each) => ({ ...asRecord(each) })) : [];
}

function unverified(what: string, baseUrl: string): Unverified {
  return new Unverified(
    `The new account ${what}, so no session was started. Don’t use the account: somebody else may hold a key of it. Compare quorumPublicKey with the one that your operator gave you, and the version of the service, or of your own handler, with that of the SDK`,
    { code: "UNVERIFIED", docsUrl: pageOf(baseUrl, "UNVERIFIED") },
  );
}
