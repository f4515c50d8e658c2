import { randomBytes } from "node:crypto";
import { apiKeyParams } from "../../bench/client.ts";
import { newApiKey } from "../../bench/requests.ts";
import { newSubOrganization, type Submission, submission, submit } from "../start/post.ts";
import type { RootKey, Service } from "../start/process.ts";

/** What the actors know. It is sent to their processes. */
export type World = {
  url: string;
  /** The organization that signups name. */
  rootOrganizationId: string;
  /** One end user, with an account, in an organization that a tenant made. */
  user: RootKey;
  signWith: string;
  /** A user of the same organization without permissions, whom a hundred policies decide about. */
  clerk: RootKey;
  /** Ids of what the clerk has asked for, which waits for votes. */
  waiting: string[];
  /** A tenant that sends messages, and its sub-organizations. */
  sender: RootKey;
  children: string[];
};

const HUNDRED = 100;
const WANTED = 60;

/** More than any page holds. The service takes one in two seconds. */
const RECORDS = 40;

/** Each policy compares every policy of a request with every other. */
const condition =
  "activity.params.policies.all(a, activity.params.policies.any(b, a.notes == b.notes))";

function numberedPolicies(length: number, noun: string, clauses: object) {
  return Array.from({ length }, (_, i) => ({
    policyName: `${noun} ${i}`,
    effect: "EFFECT_ALLOW" as const,
    notes: `note ${i}`,
    ...clauses,
  }));
}

/** What the policies take longest to decide about. */
export const wantedPolicies = (noun: string) =>
  numberedPolicies(WANTED, noun, { consensus: "false" });

/** The largest signature that fits into a request. */
export function largeSigning(key: RootKey, signWith: string): Submission {
  return submission(key, "sign_raw_payload", "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", {
    signWith,
    payload: `${randomBytes(8).toString("hex")} `.padEnd(MAX_PAYLOAD, "x"),
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_KECCAK256",
  });
}

const MAX_PAYLOAD = 1024 * 1024 - 400;

type Options = { service: Service; root: RootKey; webhookUrl: string };

export async function createWorld({ service, root, webhookUrl }: Options): Promise<World> {
  const tenant = await signUp(service, root);
  const { key: user, signWith } = await createEndUser(service, tenant);
  for (let i = 0; i < RECORDS; i++) await perform(service, user, largeSigning(user, signWith));
  for (let i = 0; i < 10; i++) {
    const endpoint = { url: `${webhookUrl}${i}`, name: `receiver ${i}` };
    await perform(service, user, ask(user, "create_webhook_endpoint", endpoint));
  }
  const clerk = await createClerk(service, user);
  const addPolicies = (length: number, noun: string) => {
    const heavy = numberedPolicies(length, noun, {
      condition,
      consensus: "approvers.count() >= 2",
    });
    return perform(service, user, ask(user, "create_policies", { policies: heavy }));
  };
  // Nobody may ask for more policies than there is room for.
  await addPolicies(HUNDRED - WANTED, "first");
  const waiting: string[] = [];
  for (let i = 0; i < 20; i++) {
    const asked = ask(clerk, "create_policies", { policies: wantedPolicies(`wanted ${i}`) });
    waiting.push((await perform(service, clerk, asked)).id);
  }
  await addPolicies(WANTED, "later");
  const { organizationId: rootOrganizationId } = root;
  const messages = await createSender(service, root);
  return { url: service.url, rootOrganizationId, user, signWith, clerk, waiting, ...messages };
}

/** The organization whose latency is measured. */
export async function createVictim(service: Service, root: RootKey) {
  return createEndUser(service, await signUp(service, root));
}

type Results = Record<string, Record<string, unknown> | undefined>;

/** Sends the same bytes again while the service refuses them for now. */
async function perform(service: Service, key: RootKey, what: Submission) {
  for (let tries = 1; ; tries++) {
    const { status, json } = await submit(service, key, what);
    if (status === 200) {
      // The shape is the contract's.
      return json.activity as unknown as { id: string; result: Results };
    }
    if (status !== 429 || tries === 20) {
      throw new Error(`${what.endpoint}: ${JSON.stringify(json).slice(0, 500)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

const types = {
  create_policies: "ACTIVITY_TYPE_CREATE_POLICIES",
  create_users: "ACTIVITY_TYPE_CREATE_USERS_V3",
  create_webhook_endpoint: "ACTIVITY_TYPE_CREATE_WEBHOOK_ENDPOINT",
  set_organization_feature: "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE",
};

function ask(key: RootKey, endpoint: keyof typeof types, parameters: object): Submission {
  return submission(key, endpoint, types[endpoint], parameters);
}

function newRootKey(organizationId = "", userId = ""): RootKey {
  const { publicKey, privateKey } = newApiKey();
  return { organizationId, userId, apiPublicKey: publicKey, apiPrivateKey: privateKey };
}

/** A signup by the holder of this key. */
export function founding(organizationId: string, publicKey: string): Submission {
  const type = "ACTIVITY_TYPE_CREATE_ORGANIZATION_V2";
  const parameters = { organizationName: "A tenant", rootApiKey: apiKeyParams(publicKey) };
  return submission({ organizationId }, "create_organization", type, parameters);
}

async function signUp(service: Service, root: RootKey): Promise<RootKey> {
  const key = newRootKey();
  const asked = founding(root.organizationId, key.apiPublicKey);
  const { result } = await perform(service, key, asked);
  const { organizationId, userId } = result.createOrganizationResult ?? {};
  return { ...key, organizationId: String(organizationId), userId: String(userId) };
}

async function createEndUser(service: Service, tenant: RootKey) {
  const key = newRootKey();
  const made = await perform(service, tenant, newSubOrganization(tenant, key.apiPublicKey));
  // The shape is the contract's.
  const { subOrganizationId, rootUserIds, wallet } = made.result.createSubOrganizationResultV7 as {
    subOrganizationId: string;
    rootUserIds: [string];
    wallet: { addresses: [string] };
  };
  const user: RootKey = { ...key, organizationId: subOrganizationId, userId: rootUserIds[0] };
  return { key: user, signWith: wallet.addresses[0] };
}

async function createClerk(service: Service, user: RootKey): Promise<RootKey> {
  const clerk = newRootKey(user.organizationId);
  const person = {
    userName: "Clerk",
    apiKeys: [apiKeyParams(clerk.apiPublicKey)],
    authenticators: [],
    oauthProviders: [],
    userTags: [],
  };
  const made = await perform(service, user, ask(user, "create_users", { users: [person] }));
  const [userId] = (made.result.createUsersResult?.userIds ?? []) as string[];
  return { ...clerk, userId: String(userId) };
}

const CHILDREN = 20;

async function createSender(service: Service, root: RootKey) {
  const sender = await signUp(service, root);
  const children: string[] = [];
  for (let i = 0; i <= CHILDREN; i++) {
    const key = i === 0 ? sender : (await createEndUser(service, sender)).key;
    for (const name of ["FEATURE_NAME_OTP_EMAIL_AUTH", "FEATURE_NAME_SMS_AUTH"]) {
      await perform(service, key, ask(key, "set_organization_feature", { name }));
    }
    if (i > 0) children.push(key.organizationId);
  }
  return { sender, children };
}
