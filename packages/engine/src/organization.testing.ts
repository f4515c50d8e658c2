import {
  clientOf,
  newKey,
  newOrganization,
  type TestClient,
  type TestKey,
  type TestOrganization,
  type TestServer,
} from "@keyhearth/api/testing";
import { type Activity, KeyhearthError } from "@keyhearth/sdk";
import { expect } from "vitest";

/** What the tests of activities share: users, accounts and bad requests. */

export const ethereumAccount = {
  curve: "CURVE_SECP256K1",
  pathFormat: "PATH_FORMAT_BIP32",
  path: "m/44'/60'/0'/0/0",
  addressFormat: "ADDRESS_FORMAT_ETHEREUM",
} as const;

export const solanaAccount = {
  curve: "CURVE_ED25519",
  pathFormat: "PATH_FORMAT_BIP32",
  path: "m/44'/501'/0'/0'",
  addressFormat: "ADDRESS_FORMAT_SOLANA",
} as const;

/** A passkey whose attestation says nothing, and a social login by token. Both are refused. */
export const passkey = {
  authenticatorName: "phone",
  challenge: "Y2hhbGxlbmdl",
  attestation: {
    credentialId: "Y3JlZGVudGlhbA",
    clientDataJson: "e30",
    attestationObject: "e30",
    transports: ["AUTHENTICATOR_TRANSPORT_INTERNAL"],
  },
} as const;

export const socialLogin = { providerName: "Example", oidcToken: "a.b.c" };

/** A social login by claims, in the form of parameters. */
export function claimsOf(sub: string) {
  const oidcClaims = { iss: "https://accounts.example.com", sub, aud: "my-app" };
  return { providerName: "Example", oidcClaims };
}

/** Allows one user one kind of action. */
export async function allow(
  { root }: Pick<TestOrganization, "root">,
  userId: string,
  [resource, action]: [string, string],
) {
  await root.createPolicy({
    policyName: `${userId} ${resource} ${action}`,
    effect: "EFFECT_ALLOW",
    condition: `activity.resource == '${resource}' && activity.action == '${action}'`,
    consensus: `approvers.any(user, user.id == '${userId}')`,
    notes: "",
  });
}

export type TestUser = { userId: string; client: TestClient; key: TestKey };

/** A user with one long-lived key. Not a root user by default. */
export async function addUser(
  { server, organizationId, root }: TestOrganization,
  userName = "Grace",
): Promise<TestUser> {
  const key = newKey();
  const { userIds } = await root.createUsers({
    users: [
      {
        userName,
        apiKeys: [
          { apiKeyName: "laptop", publicKey: key.publicKey, curveType: "API_KEY_CURVE_P256" },
        ],
        authenticators: [],
        oauthProviders: [],
        userTags: [],
      },
    ],
  });
  return { userId: first(userIds), client: clientOf(server, organizationId, key), key };
}

export type TestQuorum = TestOrganization & { second: TestUser; third: TestUser };

/** An organization with three root users, two of whom must agree. */
export async function newQuorum(server?: TestServer): Promise<TestQuorum> {
  const organization = await newOrganization(server);
  const second = await addUser(organization, "Second");
  const third = await addUser(organization, "Third");
  await organization.root.updateRootQuorum({
    threshold: 2,
    userIds: [organization.userId, second.userId, third.userId],
  });
  return { ...organization, second, third };
}

/** The body of a submission, even one that the types of the client do not allow. */
export function bodyOf(
  organizationId: string,
  { type, parameters, timestampMs = Date.now() }: Submission,
): string {
  return JSON.stringify({ type, timestampMs: String(timestampMs), organizationId, parameters });
}

export type Submission = { type: string; parameters: object; timestampMs?: number };

/** Stamps and posts a body. Returns the activity with any status. */
export async function post(client: TestClient, endpoint: string, body: string): Promise<Activity> {
  const answer = await client.request(`/public/v1/submit/${endpoint}`, body);
  // The response to a submission is an activity, and the tests check its content.
  return answer.activity as Activity;
}

export function submit(
  client: TestClient,
  endpoint: string,
  submission: Submission,
): Promise<Activity> {
  return post(client, endpoint, bodyOf(client.organizationId, submission));
}

/** Starts an activity that waits for approvals. */
export async function startWaiting(
  client: TestClient,
  endpoint: string,
  submission: Submission,
): Promise<Activity> {
  const activity = await submit(client, endpoint, submission);
  expect(activity.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
  return activity;
}

export type Refusal = {
  httpStatus: number | undefined;
  grpcCode: number | undefined;
  code: string;
  field: string | undefined;
  message: string;
};

/** The root user's client, which does not wait and retry after 429. */
export function impatient({ server, organizationId, rootKey }: TestOrganization): TestClient {
  return clientOf({ ...server, fetch: withoutRetries(server.fetch) }, organizationId, rootKey);
}

export function withoutRetries(fetch: TestServer["fetch"]): TestServer["fetch"] {
  return async (input, init) => {
    const response = await fetch(input, init);
    // A client does not wait as long as an hour.
    if (response.status === 429) response.headers.set("retry-after", "3600");
    return response;
  };
}

/** The facts of the error of a request. */
export async function refusal(request: Promise<unknown>): Promise<Refusal> {
  const error = await errorOf(request);
  const { httpStatus, grpcCode, code, field, serviceMessage: message = error.message } = error;
  return { httpStatus, grpcCode, code, field, message };
}

export async function errorOf(request: Promise<unknown>): Promise<KeyhearthError> {
  try {
    await request;
  } catch (error) {
    if (error instanceof KeyhearthError) return error;
    throw error;
  }
  throw new Error("the request was not refused");
}

/** Refuses the key of another organization, a new one by default, and an unknown key. */
export async function expectStrangersRefused(
  { server, organizationId }: TestOrganization,
  request: (client: TestClient) => Promise<unknown>,
  other?: TestOrganization,
) {
  const { rootKey } = other ?? (await newOrganization(server));
  for (const key of [rootKey, newKey()]) {
    expect(await refusal(request(clientOf(server, organizationId, key)))).toEqual({
      httpStatus: 401,
      grpcCode: 16,
      code: "CREDENTIAL_NOT_FOUND",
      field: undefined,
      message: `could not find public key in organization or its parent organization organizationId=${organizationId} publicKey=${key.publicKey}`,
    });
  }
}

/** Denies a user outside the root quorum, whom no policy allows it. Returns the policy outcomes. */
export async function expectDenied(request: Promise<unknown>): Promise<string[]> {
  const { httpStatus, grpcCode, code, message, details } = await errorOf(request);
  expect({ httpStatus, grpcCode, code }).toEqual({
    httpStatus: 403,
    grpcCode: 7,
    code: "POLICY_DENIED",
  });
  expect(message).toMatch(/^You don't have sufficient permissions to take this action\./);
  expect(details.slice(1)).toEqual([
    {
      "@type": "type.googleapis.com/errors.v1.PolicyEnginePermissionError",
      message: "No policies evaluated to outcome: Allow",
      policyEvaluations: expect.any(Array),
    },
    { "@type": "keyhearth.dev/PolicyTrace", traceId: expect.any(String) },
  ]);
  // The assertion above has just checked this.
  const { policyEvaluations } = details[1] as { policyEvaluations: { outcome: string }[] };
  const outcomes = policyEvaluations.map(({ outcome }) => outcome);
  for (const outcome of outcomes) expect(outcome).toMatch(/^OUTCOME_(DENY_IMPLICIT|ERROR)$/);
  return outcomes;
}

export function badRequest(code: string, field: string | undefined, message: unknown) {
  return { httpStatus: 400, grpcCode: 3, code, field, message };
}

/** A list of ids must be there, name something, and hold ids. The noun is what the ids are of. */
export async function expectIdsChecked(
  client: TestClient,
  endpoint: string,
  { type, member, noun }: { type: string; member: string; noun: string },
) {
  const field = `parameters.${member}`;
  const cases: [object, string, string][] = [
    [{}, field, `invalid request body: missing field \`${field}\`; expected a list`],
    [{ [member]: [] }, field, `must name at least one ${noun}: \`${field}\` is a list of 0`],
    [
      { [member]: ["x"] },
      `${field}[0]`,
      `not a UUID in lower case (${noun} id): \`${field}[0]\` is \`x\``,
    ],
  ];
  for (const [parameters, at, message] of cases) {
    const refused = await refusal(submit(client, endpoint, { type, parameters }));
    expect(refused).toEqual(badRequest("FIELD_INVALID", at, message));
  }
}

export function first<T>(list: readonly T[] | undefined): T {
  const [only] = list ?? [];
  if (only === undefined) throw new Error("an empty list");
  return only;
}
