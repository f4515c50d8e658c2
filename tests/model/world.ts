import type { Answer, Proposal, Request } from "@keyhearth/engine/core/protocol";
import { createCore } from "@keyhearth/engine/door/create-core";
import { testCourier } from "@keyhearth/engine/messages.testing";
import {
  newOrganizationDocument,
  type OrganizationDocument,
} from "@keyhearth/engine/records/organization";
import { notarizeDocument } from "@keyhearth/engine/records/write";
import { createKeyring } from "@keyhearth/engine/vault/keyring";
import { createMarks } from "@keyhearth/signer/marks/marks";
import { createRandom } from "../fuzz/random.ts";
import { createHost, type Host, type StoredRecord } from "./host.ts";
import type { Facts, Mail } from "./kinds.ts";
import type { Plan, Rules } from "./plan.ts";
import { clausesOf, type Policy } from "./policies.ts";
import type { Moment } from "./promise.ts";
import type { Ask, State } from "./state.ts";
import { nameOfKey, publicKeyNamed } from "./wire.ts";

// The real core, a host that does with it what a plan says, and the model, which watches.

/** The core did something that it must not do, or an honest host did not get what it must get. */
export class Fault extends Error {}

export type World = {
  readonly plan: Omit<Plan, "steps">;
  nowMs: number;
  call: (request: Request) => Answer;
  restart(): void;
  readonly host: Host;
  readonly organizations: Map<string, Organization>;
  readonly facts: Facts;
  readonly requests: Map<string, SentRequest>;
  /** The step that made the bytes first, by their fingerprint. */
  readonly firstSteps: Map<string, string>;
  readonly proposals: Map<string, Proposed>;
  /** What the messages of steps say to those who read them. */
  readonly mails: Map<string, Mail>;
  /** What a step made: the id of a tag, of a user, and so on. */
  readonly things: Map<string, string>;
  newNumber(): number;
};

export type Organization = {
  id: string;
  /** Null until its first document is confirmed. */
  now: { state: State; digest: string } | null;
  /** The digests of all documents that were ever confirmed. */
  before: Set<string>;
  /** What documents would make of it, by their digests. */
  next: Map<string, { base: string | null; state: State; step: string }>;
};

export type SentRequest = {
  ask: Ask;
  organization: Organization;
  endpoint: string;
  body: string;
  /** Who stamped it first. */
  by: string;
};

export type Proposed = Proposal & {
  step: string;
  request: SentRequest;
  records: StoredRecord[];
  isConfirmed: boolean;
};

/** Users of the organization at the beginning. The last one has no rights. */
const PEOPLE = ["ada", "grace", "alan", "clerk"];

/** Grace and alan have one address, so it means neither. */
const EMAILS: Record<string, string> = {
  ada: "ada@example.com",
  grace: "both@example.com",
  alan: "both@example.com",
  clerk: "clerk@example.com",
};

const START_MS = Date.UTC(2026, 0, 1);

export function createWorld(plan: Omit<Plan, "steps">): World {
  const random = createRandom(plan.seed, 1);
  const keyring = createKeyring(random.bytes);
  const buckets = new Map<number, Uint8Array>();
  const marks = createMarks({
    read: (bucket) => buckets.get(bucket) ?? null,
    write(changed) {
      for (const [bucket, bytes] of changed) buckets.set(bucket, bytes);
    },
    sync() {},
    beginning: () => ({ atMs: 0, spans: [] }),
    clock: () => ({ latestMs: 0, accepted: [], refused: [] }),
    clockMs: () => 0,
    rememberClock() {},
    replaceClock() {},
    close() {},
  });
  let numbers = 0;
  const newCore = () =>
    createCore({
      keyring,
      marks,
      now: () => world.nowMs,
      random: random.bytes,
      log() {},
      courierKey: () => testCourier.publicKey,
    });
  const world: World = {
    plan,
    nowMs: START_MS,
    call: () => ({ kind: "unchanged" }),
    restart() {
      world.call = newCore();
      world.facts.codes.length = 0;
      world.facts.guesses.length = 0;
    },
    host: createHost(),
    organizations: new Map(),
    facts: { grants: [], makings: [], codes: [], guesses: [], tokens: [] },
    mails: new Map(),
    requests: new Map(),
    firstSteps: new Map(),
    proposals: new Map(),
    things: new Map(),
    newNumber: () => ++numbers,
  };
  world.restart();

  const found = (name: string, people: string[], keys: number, { threshold, allowed }: Rules) => {
    const id = idOf(name);
    const users = people.map((person, index) => userOf(person, `k${keys + index}`));
    const document = newOrganizationDocument({
      organizationId: id,
      organizationName: name,
      createdAtMs: START_MS,
      users,
      rootQuorum: { threshold, userIds: users.slice(0, 3).map(({ userId }) => userId) },
      policies: policiesFor(allowed),
      features: [{ name: "FEATURE_NAME_OTP_EMAIL_AUTH", value: null }],
    });
    const { bytes } = notarizeDocument(keyring, document, 1);
    const record = world.host.add(`${name}/0`, bytes);
    world.host.commit(record);
    const { digest } = record;
    marks.move([{ organizationId: id, version: 1, digest, previousDigest: null }]);
    const state = stateOf(document, world.newNumber);
    const policy = policyFor(allowed);
    if (policy) state.policies.set(idOf(policy.name), policy);
    world.organizations.set(name, {
      id,
      now: { state, digest },
      before: new Set([digest]),
      next: new Map(),
    });
    for (const person of people) world.things.set(person, idOf(person));
  };
  found("acme", PEOPLE, 0, plan.rules);
  found("beta", ["mallory"], 4, { threshold: 1, allowed: "nobody else" });
  return world;
}

/** The policy of the beginning. */
function policyFor(allowed: Rules["allowed"]): Policy | null {
  const rest = { name: "first", effect: "ALLOW" as const, about: null, time: null };
  switch (allowed) {
    case "nobody else":
      return null;
    case "any two users":
      return { ...rest, consensus: { count: 2 } };
    case "the clerk":
      return { ...rest, consensus: { users: [idOf("clerk")] } };
    case "ada and the clerk":
      return { ...rest, consensus: { users: [idOf("ada"), idOf("clerk")] } };
  }
}

function policiesFor(allowed: Rules["allowed"]): OrganizationDocument["policies"] {
  const policy = policyFor(allowed);
  if (!policy) return [];
  const { name } = policy;
  const about = {
    policyId: idOf(name),
    policyName: name,
    effect: "EFFECT_ALLOW" as const,
    notes: "",
  };
  return [{ ...about, ...clausesOf(policy), createdAtMs: START_MS, updatedAtMs: START_MS }];
}

/** An id that is the same in each plan. */
function idOf(name: string): string {
  const hex = Buffer.from(name).toString("hex").padEnd(12, "0").slice(0, 12);
  return `00000000-0000-4000-8000-${hex}`;
}

function userOf(name: string, key: string): OrganizationDocument["users"][number] {
  const times = { createdAtMs: START_MS, updatedAtMs: START_MS };
  return {
    userId: idOf(name),
    userName: name,
    userEmail: EMAILS[name] ?? null,
    userPhoneNumber: null,
    apiKeys: [
      {
        apiKeyId: idOf(`key${key}`),
        apiKeyName: "key",
        credential: { publicKey: publicKeyNamed(key), type: "CREDENTIAL_TYPE_API_KEY_P256" },
        ...times,
      },
    ],
    userTags: [],
    authenticators: [],
    oauthProviders: [],
    sessionEpoch: 0,
    sessionEpochStartedAtMs: 0,
    keyEpochs: [],
    isEmailVerified: false,
    isPhoneNumberVerified: false,
    ...times,
  };
}

/** What the model knows about an organization that was just founded. */
export function stateOf(
  { users, rootQuorum, organizationId, parentOrganizationId }: OrganizationDocument,
  newNumber: () => number,
): State {
  const state: State = {
    isSub: parentOrganizationId !== null,
    familyId: parentOrganizationId ?? organizationId,
    users: new Map(),
    ended: new Map(),
    quorum: rootQuorum,
    policies: new Map(),
    tags: new Map(),
    privateKeys: new Map(),
    wallets: new Map(),
    invitations: new Map(),
    waiting: new Map(),
    over: new Map(),
    waited: new Set(),
    voted: new Set(),
    version: 1,
  };
  for (const { userId, userName, userEmail: email } of users) {
    const nobody = { keys: new Map(), eraBeganMs: 0, registered: new Set<number>() };
    const known = { name: userName, email, isEmailVerified: false };
    state.users.set(userId, { ...known, era: newNumber(), ...nobody });
  }
  adoptKeyIds(state, users);
  return state;
}

/** The core names the keys of new users. */
export function adoptKeyIds(state: State, users: OrganizationDocument["users"]) {
  for (const { userId, apiKeys, authenticators } of users) {
    const user = state.users.get(userId);
    if (!user || (user.keys.size > 0 && !user.keys.has(""))) continue;
    const keys = [
      ...apiKeys.map((each) => [each.apiKeyId, nameOfKey(each.credential.publicKey)] as const),
      ...authenticators.map(
        (each) => [each.authenticatorId, nameOfKey(each.credentialId)] as const,
      ),
    ];
    state.users.set(userId, { ...user, keys: new Map(keys) });
  }
}

export function momentOf({ facts, nowMs }: World, { now }: Organization): Moment | null {
  return now && { ...facts, nowMs, state: now.state };
}
