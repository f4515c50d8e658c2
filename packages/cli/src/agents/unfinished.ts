import { createHash, ECDH } from "node:crypto";
import { join } from "node:path";
import type { KeyhearthClient, OrganizationData, User } from "@keyhearth/sdk";
import { createApiKey } from "@keyhearth/sdk/crypto";
import { loadKey, privateTextOf, schemeOf, writeKey } from "../connection/key-files.ts";
import { ownFolder } from "../connection/own-folder.ts";
import { InputError } from "../errors.ts";
import { plain } from "../output.ts";
import type { GivenPolicy } from "../policy-change.ts";
import { isSamePolicy, type Made, type MadePolicy } from "./made.ts";
import type { AgentUser } from "./policies.ts";

// The steps of making an agent (decision 21). Until the last one, nobody can act as it: a service wants a key of every
// user, and the first one is of nobody. Each step looks at what is there, so that the same command goes on.

type Env = Readonly<Record<string, string | undefined>>;

const NOBODYS_KEY = "nobody has this key";

/** Of every key here. */
const CURVE = "API_KEY_CURVE_P256" as const;

/**
 * A public key whose private half nobody can know, because it is a hash. So a user who was made by somebody else, with a
 * key of theirs under that name, is not taken for one that this command began.
 */
function nobodysKey(name: string, organizationId: string): string {
  for (let count = 0; ; count += 1) {
    const text = ["keyhearth agent create", organizationId, name, count].join("\n");
    const compressed = `02${createHash("sha256").update(text).digest("hex")}`;
    // Every second number is the x of a point.
    if (isPoint(compressed)) return compressed;
  }
}

function isPoint(compressed: string): boolean {
  try {
    return ECDH.convertKey(compressed, "prime256v1", "hex", "hex", "uncompressed") !== "";
  } catch {
    return false;
  }
}

const KEY_NAME = "agent";

/** What an organization and this machine already have of an agent. */
export type Unfinished = {
  readonly user: User | undefined;
  readonly keyFile: string;
  /** The public half of the key in the file, if there is one. */
  readonly publicKey: string | undefined;
};

export async function findUnfinished(
  name: string,
  { users = [], rootQuorum }: OrganizationData,
  { organizationId, made, env }: { organizationId: string; made: Made | undefined; env: Env },
): Promise<Unfinished> {
  // Only what the signer stated counts: the service may show anybody under the agent's name.
  const user = users.find(({ userId }) => userId === made?.userId);
  const keyFile = join(ownFolder(env), "keys", `${name}.private`);
  const publicKey = await loadKey(keyFile).then(
    (key) => key.publicKey,
    () => undefined,
  );
  if (made !== undefined && user === undefined) {
    throw new InputError(
      `the user of the agent ${name} (${made.userId}) is no longer in the organization: run \`keyhearth agent remove ${name}\`, and then the same command again`,
    );
  }
  if (user === undefined) {
    const other = users.find(({ userName }) => userName === name);
    if (other === undefined) return { user, keyFile, publicKey };
    throw new InputError(
      `there is a user ${name} already (${plain(other.userId)}), which this command did not begin here: choose another name, or remove it with \`keyhearth agent remove ${name}\` if it is an agent`,
    );
  }
  const own = [nobodysKey(name, organizationId), publicKey];
  const isOwn = user.apiKeys.every(({ credential }) => own.includes(credential.publicKey));
  const isRoot = rootQuorum?.userIds.includes(user.userId) === true;
  const isLogin = user.authenticators.length + user.oauthProviders.length > 0;
  // Policies may be about its tags and contacts.
  const isKnown = user.userTags.length > 0 || Boolean(user.userEmail || user.userPhoneNumber);
  if (!isOwn || isRoot || isLogin || isKnown) {
    throw new InputError(
      `the user of the agent ${name} (${user.userId}) has keys, rights, tags or contacts that this command did not give it: choose another name, or remove it with \`keyhearth agent remove ${name}\``,
    );
  }
  return { user, keyFile, publicKey };
}

/** Whether a user has no other key than that of nobody, as after the first step. */
export function isBegun({ apiKeys, authenticators }: User): boolean {
  const isNobodys = apiKeys.every(({ apiKeyName }) => apiKeyName === NOBODYS_KEY);
  return apiKeys.length > 0 && isNobodys && authenticators.length === 0;
}

/** A user who can do nothing yet. */
export async function makeUser(
  name: string,
  organizationId: string,
  client: KeyhearthClient,
): Promise<string> {
  const publicKey = nobodysKey(name, organizationId);
  const { userIds } = await client.createUsers({
    users: [
      {
        userName: name,
        apiKeys: [{ apiKeyName: NOBODYS_KEY, publicKey, curveType: CURVE }],
        ...{ authenticators: [], oauthProviders: [], userTags: [] },
      },
    ],
  });
  const [userId] = userIds;
  if (userId === undefined) throw new InputError("the service made no user: run the command again");
  return userId;
}

/**
 * Those that were not made yet. A policy was made if this machine wrote down its id and the organization has it: that the
 * service shows one with such clauses is not enough. Refuses another one of the same name.
 */
export function missingPolicies(
  wanted: readonly GivenPolicy[],
  { policies = [] }: OrganizationData,
  made: Made | undefined,
): GivenPolicy[] {
  return wanted.filter((each) => {
    const isNamed = ({ policyName }: { policyName: string }) => policyName === each.policyName;
    const own = made?.policies.find(isNamed);
    if (own !== undefined && isSamePolicy(own, each)) {
      return policies.every(({ policyId }) => policyId !== own.policyId);
    }
    const other = own ?? policies.find(isNamed);
    if (other === undefined) return true;
    throw new InputError(
      `there is a policy ${JSON.stringify(plain(each.policyName))} already (${plain(other.policyId)}), which was not made from this file for this agent: give the one in the file another name, such as one with {{agent}} in it, which becomes the agent's name`,
    );
  });
}

/** Makes policies, and returns them with the ids that the signer stated. */
export async function makePolicies(
  policies: GivenPolicy[],
  sharedNames: readonly string[],
  client: KeyhearthClient,
): Promise<MadePolicy[]> {
  if (policies.length === 0) return [];
  const { policyIds } = await client.createPolicies({ policies });
  return policies.map(({ notes: _, ...policy }, index) => {
    const policyId = policyIds[index];
    if (policyId === undefined) {
      throw new InputError("the service answered with fewer policies than it was asked to make");
    }
    return { ...policy, policyId, isShared: sharedNames.includes(policy.policyName) };
  });
}

/** Makes the agent's key, keeps it for this user alone, and registers it. Then the key of nobody goes. */
export async function giveKey(
  { name, userId }: AgentUser,
  { user, keyFile, publicKey: kept }: Unfinished,
  { client, organizationId, env }: { client: KeyhearthClient; organizationId: string; env: Env },
): Promise<string> {
  const publicKey = kept ?? (await newKey(name, organizationId, env));
  const keys = user?.apiKeys ?? [];
  if (!keys.some(({ credential }) => credential.publicKey === publicKey)) {
    const apiKeys = [{ apiKeyName: KEY_NAME, publicKey, curveType: CURVE }];
    await client.createApiKeys({ userId, apiKeys });
  }
  const { user: now } = await client.getUser({ userId });
  const apiKeyIds = now.apiKeys
    .filter(({ apiKeyName }) => apiKeyName === NOBODYS_KEY)
    .map(({ apiKeyId }) => apiKeyId);
  if (apiKeyIds.length > 0) await client.deleteApiKeys({ userId, apiKeyIds });
  return keyFile;
}

async function newKey(name: string, organizationId: string, env: Env): Promise<string> {
  const { apiPublicKey: publicKey, apiPrivateKey: privateKey, scheme } = createApiKey();
  await writeKey(join(ownFolder(env), "keys"), name, {
    publicKey,
    privateText: privateTextOf({ publicKey, privateKey }, "p256"),
    meta: { name, organizations: [organizationId], scheme: scheme ?? schemeOf("p256") },
  });
  return publicKey;
}
