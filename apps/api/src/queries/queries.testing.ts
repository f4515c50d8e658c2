import {
  badRequest,
  expectStrangersRefused,
  first,
  refusal,
} from "@keyhearth/engine/organization.testing";
import { expect } from "vitest";
import {
  clientOf,
  newKey,
  newOrganization,
  type TestClient,
  type TestKey,
  type TestOrganization,
  type TestServer,
} from "../testing.ts";

/** Shared by the tests of queries: families of organizations, expected errors, matchers. */

export const unknownId = "00000000-0000-4000-8000-000000000000";

/** Matchers for what differs at each run: ids, times and signed statements. */
export const anyId = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
export const anyTime = { seconds: expect.stringMatching(/^[1-9]\d{9}$/), nanos: "0" };
export const anyProof = {
  scheme: "SIGNATURE_SCHEME_EPHEMERAL_KEY_P256",
  publicKey: expect.stringMatching(/^[0-9a-f]{260}$/),
  proofPayload: expect.any(String),
  signature: expect.stringMatching(/^[0-9a-f]{128}$/),
};
export const someTimes = { createdAt: anyTime, updatedAt: anyTime };

/** Sends a query with any parameters, even those that the client's types do not allow. */
export function ask(
  client: TestClient,
  name: string,
  organizationId: string,
  parameters: object = {},
): Promise<Record<string, unknown>> {
  const body = JSON.stringify({ organizationId, ...parameters });
  return client.request(`/public/v1/query/${name}`, body);
}

/** A private key with an Ethereum address. */
export async function newPrivateKey({ root }: Pick<TestOrganization, "root">) {
  const { privateKeys } = await root.createPrivateKeys({
    privateKeys: [
      {
        privateKeyName: "cold",
        curve: "CURVE_SECP256K1",
        addressFormats: ["ADDRESS_FORMAT_ETHEREUM"],
        privateKeyTags: [],
      },
    ],
  });
  const { privateKeyId = "", addresses = [] } = first(privateKeys);
  return { privateKeyId, addresses };
}

/** A sub-organization with one root user, Ada. She gets a new key unless one is given. */
export async function newChild(
  { server, root }: TestOrganization,
  { name = "child", key = newKey() }: { name?: string; key?: TestKey } = {},
): Promise<TestOrganization> {
  const { publicKey } = key;
  const { subOrganizationId, rootUserIds } = await root.createSubOrganization({
    subOrganizationName: name,
    rootQuorumThreshold: 1,
    rootUsers: [
      {
        userName: "Ada",
        userEmail: "Ada@example.com",
        userPhoneNumber: "+14155550100",
        apiKeys: [{ apiKeyName: "laptop", publicKey, curveType: "API_KEY_CURVE_P256" }],
        authenticators: [],
        oauthProviders: [],
      },
    ],
  });
  const client = clientOf(server, subOrganizationId, key);
  return {
    server,
    organizationId: subOrganizationId,
    userId: first(rootUserIds),
    root: client,
    rootKey: key,
  };
}

export async function newFamily(
  server?: TestServer,
): Promise<{ parent: TestOrganization; child: TestOrganization }> {
  const parent = await newOrganization(server);
  return { parent, child: await newChild(parent) };
}

/**
 * Users of the organization and of its parent get the same answer. The parent refuses users of the
 * sub-organization, and the sub-organization refuses strangers. `arrange` creates the object that the query reads.
 */
export async function expectOnlyFamilyReads(
  name: string,
  arrange: (organization: TestOrganization) => Promise<object> | object = () => ({}),
) {
  const { parent, child } = await newFamily();
  const [ofParent, ofChild] = [await arrange(parent), await arrange(child)];
  const own = await ask(child.root, name, child.organizationId, ofChild);
  expect(await ask(parent.root, name, child.organizationId, ofChild)).toEqual(own);

  expect(await refusal(ask(child.root, name, parent.organizationId, ofParent))).toEqual({
    httpStatus: 401,
    grpcCode: 16,
    code: "CREDENTIAL_NOT_FOUND",
    field: undefined,
    message: `could not find public key in organization or its parent organization organizationId=${parent.organizationId} publicKey=${child.rootKey.publicKey}`,
  });
  await expectStrangersRefused(child, (client) => ask(client, name, child.organizationId, ofChild));
}

/** Each case: parameters, the field that is wrong, and the message. */
export async function expectBadParameters(
  { root, organizationId }: TestOrganization,
  name: string,
  cases: [parameters: object, field: string, message: unknown][],
) {
  for (const [parameters, field, message] of cases) {
    expect(await refusal(ask(root, name, organizationId, parameters))).toEqual(
      badRequest("FIELD_INVALID", field, message),
    );
  }
}

export async function expectNotFound(
  request: Promise<unknown>,
  { field, message }: { field: string; message: string },
) {
  const status = { httpStatus: 404, grpcCode: 5, code: "NOT_FOUND" };
  expect(await refusal(request)).toEqual({ ...status, field, message });
}

export function notUuid(field: string, noun: string, value: string) {
  return `not a UUID in lower case (${noun} id): \`${field}\` is \`${value}\``;
}

export function missing(field: string, accepted = "a string") {
  return `invalid request body: missing field \`${field}\`; expected ${accepted}`;
}

type PageOptions = { limit: string; before?: string; after?: string };

/** All pages of a list, following `after` or `before` from an end until a page is empty. */
export async function readPages(
  direction: "after" | "before",
  limit: number,
  read: (page: PageOptions) => Promise<string[]>,
): Promise<string[][]> {
  const pages: string[][] = [];
  let place: Partial<PageOptions> = {};
  for (;;) {
    const page = await read({ limit: String(limit), ...place });
    if (page.length === 0) return pages;
    pages.push(page);
    place = { [direction]: page.at(-1) ?? "" };
  }
}

/** Bad `paginationOptions`, for any list that has pages. */
export const badPages: [parameters: object, field: string, message: unknown][] = [
  ...["0", "101", "-1", "ten", "1.5", "0x10", " 5"].map((limit): [object, string, string] => [
    { paginationOptions: { limit } },
    "paginationOptions.limit",
    `\`paginationOptions.limit\` must be a string from "1" to "100", got \`${limit}\``,
  ]),
  ...["before", "after"].map((name): [object, string, string] => [
    { paginationOptions: { [name]: "x" } },
    `paginationOptions.${name}`,
    `\`paginationOptions.${name}\` must be the id of an object in the list, a UUID in lower case, got \`x\``,
  ]),
  [
    { paginationOptions: { limit: 10 } },
    "paginationOptions.limit",
    expect.stringContaining("`paginationOptions.limit` is `10`"),
  ],
  [
    { paginationOptions: "10" },
    "paginationOptions",
    expect.stringContaining("`paginationOptions` is `10`"),
  ],
];

export function quorumKeyOf({ signer }: TestServer): string {
  const answer = signer.handle({ call: "describe" });
  if (answer.kind !== "description") throw new Error(`unexpected answer: ${answer.kind}`);
  return answer.quorumPublicKey;
}
