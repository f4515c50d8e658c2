import type { Answer, Proposal } from "@keyhearth/engine/core/protocol";
import { openMessage } from "@keyhearth/engine/messages.testing";
import type { ActivityRecord } from "@keyhearth/engine/records/activity";
import type { OrganizationDocument } from "@keyhearth/engine/records/organization";
import type { StoredRecord } from "./host.ts";
import { dependsOnSender, type Mail } from "./kinds.ts";
import { differences, pictureOf, pictureOfDocument } from "./picture.ts";
import {
  holdersOf,
  kindOf,
  type Moment,
  type Outcome,
  Refused,
  type Status,
  start,
  vote,
} from "./promise.ts";
import { type Ask, requestOf, type State, type Who } from "./state.ts";
import type { SessionsBody } from "./wanted.ts";
import { nameOfKey, votes } from "./wire.ts";
import {
  adoptKeyIds,
  Fault,
  momentOf,
  type Organization,
  type Proposed,
  type SentRequest,
  stateOf,
  type World,
} from "./world.ts";

// The model watches what the core answers, and raises a fault if it is not what may happen.

export type Expected = {
  /** The users who may be behind the stamp, and what each of them may cause. */
  by: { who: Who; outcomes: Outcome[] | Refused }[];
  /** Only a host that brings all records can see this. */
  isInTheWay: boolean;
};

/** The result is known only once something happened, and only then is it read. */
type Lately = { result: Record<string, unknown>; mail: Mail | null };

export function expect(
  world: World,
  { ask, organization }: SentRequest,
  by: string,
): Expected & { lately: Lately } {
  const moment = momentOf(world, organization);
  const lately: Lately = { result: {}, mail: null };
  if (!moment) return { by: [], isInTheWay: false, lately };
  const made = {
    get result() {
      return lately.result;
    },
    get mail() {
      return lately.mail;
    },
    newNumber: world.newNumber,
  };
  const { state } = moment;
  const isVote = ask.kind in votes;
  const waiting = state.waiting.get(isVote ? (ask.args.fingerprint ?? "") : ask.fingerprint);
  const holders = [...holdersOf(moment, by), ...newcomersOf(moment, ask, by)];
  const outcomesOf = (who: Who): Outcome[] | Refused => {
    if (waiting) {
      const isApproval = ask.kind !== "reject_activity";
      return vote(moment, waiting, { voter: who, isApproval, ask }, made);
    }
    if (isVote) return new Refused("nothing waits for this vote");
    if (kindOf(ask).newcomer && who.credential !== NEWCOMER) {
      return new Refused("it is for somebody who is no user yet");
    }
    const outcome = start(moment, ask, { who, key: by }, made);
    return outcome instanceof Refused ? outcome : [outcome];
  };
  const target = waiting?.ask ?? (isVote ? null : ask);
  const blocks = (userId: string) =>
    target !== null &&
    (kindOf(target).isInTheWay?.({ ...moment, ask: target, userId, key: by, isVoted: false }) ??
      false);
  const isInTheWay =
    isReplaced(world, by, holders) ||
    (!isVote && isAnothers(world, ask, by)) ||
    (waiting ? blocks(waiting.userId) : holders.some(({ userId }) => blocks(userId)));
  return { by: holders.map((who) => ({ who, outcomes: outcomesOf(who) })), isInTheWay, lately };
}

const NEWCOMER = "newcomer";

/** A user keeps so many expiring credentials: the last ones. */
const MAX_SESSIONS = 10;

/** The user whom the request makes, if it shows that it may. */
function newcomersOf(moment: Moment, ask: Ask, by: string): Who[] {
  if (ask.kind in votes || holdersOf(moment, by).length > 0) return [];
  const userId = kindOf(ask).newcomer?.({ ...moment, ask, userId: "", key: by, isVoted: false });
  return userId ? [{ userId, credential: NEWCOMER, by: 0 }] : [];
}

/**
 * Did a later login with the key replace this session? It may have been for a shorter time. Or did ten later ones of
 * the user displace it?
 */
function isReplaced({ facts }: World, key: string, [holder]: Who[]): boolean {
  const { credential, userId } = holder ?? {};
  if (typeof credential !== "number") return false;
  const later = facts.grants.filter((grant) => grant.number > credential);
  return (
    later.some((grant) => grant.key === key) ||
    later.filter((grant) => grant.userId === userId).length >= MAX_SESSIONS
  );
}

/** What depends on its sender does not happen for another one with the same bytes, if the host shows them. */
function isAnothers({ requests }: World, { kind, fingerprint }: Ask, by: string): boolean {
  if (!dependsOnSender(kindOf({ kind }))) return false;
  return [...requests.values()].some(
    (each) => each.ask.fingerprint === fingerprint && each.by !== by,
  );
}

/** Organizations have limits, of which the smallest is ten. Only long plans reach them, and they only refuse. */
const LONG_PLAN = 40;

function mayBeLimit({ requests }: World, reason: unknown): boolean {
  return reason === "LIMIT_EXCEEDED" && requests.size > LONG_PLAN;
}

/** An honest host gets what its people may have. */
export function assertServed(world: World, answer: Answer, { by, isInTheWay }: Expected) {
  if (answer.kind === "error" && mayBeLimit(world, answer.error.reason)) return;
  const [first] = by;
  if (!first || first.outcomes instanceof Refused || isInTheWay || by.length > 1) return;
  if (answer.kind === "unchanged" || answer.kind === "waits") return;
  const wanted = first.outcomes[0]?.status;
  const message = answer.kind === "error" ? answer.error.message : "";
  throw new Fault(`an honest host must get ${wanted}, but the answer is ${answer.kind} ${message}`);
}

type Judged = {
  step: string;
  request: SentRequest;
  by: string;
  answer: Proposal;
  expected: Expected & { lately: Lately };
};

/** Compares what the core proposes with what may happen. Nothing else may be in it. */
export function judge(world: World, { step, request, by, answer, expected }: Judged): Proposed {
  const { host, facts } = world;
  const { organization, ask } = request;
  const now = organization.now;
  if (!now) throw new Fault("something happens in an organization that does not exist");
  if (answer.documentDigest !== now.digest)
    throw new Fault(`${step} is decided by an older document`);
  const records = answer.attachments.map((bytes, index) => host.add(`${step}/${index}`, bytes));
  const [record, ...others] = records;
  const activity = record?.body as ActivityRecord;
  const status = activity.status.replace("ACTIVITY_STATUS_", "") as Status;
  const isStart = answer.activity.version === 1;
  const voter = activity.votes[isStart ? 0 : activity.votes.length - 1];

  const possible = expected.by.filter(({ who }) => !isStart || who.userId === voter?.userId);
  const isFull = mayBeLimit(world, activity.failure?.details[0]?.code);
  const why = possible.map(({ outcomes }) =>
    outcomes instanceof Refused ? outcomes.why : outcomes.map((each) => each.status).join(" or "),
  );
  const fitting = possible.flatMap(({ who, outcomes }) => {
    if (outcomes instanceof Refused) return [];
    const outcome = outcomes.find((each) => each.status === status && (isFull || !each.isAtLimit));
    return outcome ? [{ who, outcome }] : [];
  });
  const found = fitting.find(({ who }) => who.userId === voter?.userId) ?? fitting[0];
  // A request that failed when it was run at once has changed nothing.
  const hasFailed = isStart && status === "FAILED" && others.length === 0;
  if (!found && !hasFailed) {
    throw new Fault(
      `${ask.kind} of ${step} is ${status} by ${by}, but must not be: ${why.join("; ") || "nobody has the key"}`,
    );
  }
  if (world.plan.isHonest && !expected.isInTheWay && !isFull) {
    const [first] = possible;
    const wanted = first && !(first.outcomes instanceof Refused) && first.outcomes[0]?.status;
    if (wanted !== status) throw new Fault(`an honest host must get ${wanted}, but gets ${status}`);
  }

  const target = targetOf(world, request);
  if (!target) throw new Fault("a vote on a request that nobody made");
  const kind = kindOf(target.ask);
  const isDone = status === "COMPLETED";
  const isSecret = kind.isSecret === "if voted" ? !isStart : kind.isSecret;
  if (isDone && isSecret && activity.result !== null) {
    throw new Fault(`the secret result of ${step} is in the proposal`);
  }
  Object.assign(expected.lately, {
    result: activity.result ?? {},
    mail: readMail(world, [step, target.name ?? step], answer),
  });
  const decidedBy = now.state.version;
  const voted: number[] = [];
  // Accounts are known before the state is asked about them.
  for (const each of others) {
    if (each.type !== "wallet-account") continue;
    const { walletId, path } = each.body as { walletId: string; path: string };
    const { args, fingerprint, kind } = target.ask;
    const isAsked =
      isDone &&
      path === args.path &&
      (kind === "create_wallet" || (kind === "create_wallet_accounts" && walletId === args.id));
    if (!isAsked) throw new Fault(`${step} makes an account that nobody asked for`);
    // That of a new wallet exists only with the wallet anyway.
    const isOfWallet = kind === "create_wallet";
    const votedAs = isStart || isOfWallet ? null : world.newNumber();
    if (votedAs !== null) voted.push(votedAs);
    const request = requestOf(fingerprint, voter?.userId ?? "");
    const making = { accountId: each.id, walletId, path, version: decidedBy, fingerprint, request };
    facts.makings.push({ ...making, votedAs, isOfWallet });
  }
  const state = found ? found.outcome.next() : now.state;
  for (const each of voted) state.voted.add(each);
  compareDocuments(world, { step, organization, target, records: others, state });
  compareSessions(world, { step, target, records: others, voters: found });
  compareVotes(step, activity, state);
  if (isDone) remember(world, target.name ?? step, step, activity, others);
  const proposed = { ...answer, step, request, records, isConfirmed: false };
  world.proposals.set(step, proposed);
  return proposed;
}

/** The votes of an activity that waits are those that were committed, and this one. */
function compareVotes(step: string, { fingerprint, votes }: ActivityRecord, state: State) {
  const waiting = state.waiting.get(fingerprint);
  if (!waiting) return;
  const people = (list: readonly { userId: string }[]) =>
    list.map(({ userId }) => userId).join(" ");
  if (people(votes) === people(waiting.approvals)) return;
  throw new Fault(`${step} counts votes by ${people(votes)}, not by ${people(waiting.approvals)}`);
}

/** What somebody reads who gets the message of the proposal. */
function readMail({ mails }: World, steps: string[], { messages = [] }: Proposal): Mail | null {
  const [message, ...others] = messages;
  if (others.length > 0) throw new Fault(`${steps[0]} sends more than one message`);
  if (!message) return null;
  // Codes and invitations have these.
  const mail = openMessage(message).content as Mail;
  // Otherwise what was never committed would be worth something.
  const isOld = (each: Mail) => each.token !== undefined && each.token === mail.token;
  if ([...mails.values()].some(isOld)) throw new Fault(`${steps[0]} sends a token a second time`);
  for (const step of steps) mails.set(step, mail);
  return mail;
}

/** The request that takes effect: this one, or the one that it votes on. */
export function targetOf(
  { requests, firstSteps }: World,
  request: SentRequest,
): { ask: Ask; name?: string } | undefined {
  if (!(request.ask.kind in votes)) return request;
  const name = firstSteps.get(request.ask.args.fingerprint ?? "");
  const found = name === undefined ? undefined : requests.get(name);
  return name !== undefined && found ? { ask: found.ask, name } : undefined;
}

type Comparing = {
  step: string;
  organization: Organization;
  target: { ask: Ask };
  records: StoredRecord[];
};

function compareDocuments(
  world: World,
  { step, organization, target, records, state }: Comparing & { state: State },
) {
  const { now } = organization;
  const documents = records.filter(({ type }) => type === "organization");
  const own = documents.find((each) => each.organizationId === organization.id);
  const isChanged = state !== now?.state;
  if (isChanged !== (own !== undefined)) {
    throw new Fault(`${step} ${own ? "writes a document" : "writes no document"}, and must not`);
  }
  if (own) {
    const document = own.body as OrganizationDocument;
    const lines = differences(pictureOf(state), pictureOfDocument(document, nameOfKey));
    if (lines.length > 0) throw new Fault(`the document of ${step} is wrong:\n${lines.join("\n")}`);
    adoptKeyIds(state, document.users);
    organization.next.set(own.digest, { base: now?.digest ?? null, state, step });
  }
  for (const each of documents) {
    if (each === own) continue;
    const { kind, args } = target.ask;
    const document = each.body as OrganizationDocument;
    const name = [...world.organizations].find(([, { id }]) => id === each.id)?.[0] ?? step;
    const sub = world.organizations.get(name) ?? {
      id: each.id,
      now: null,
      before: new Set<string>(),
      next: new Map(),
    };
    const [user] = document.users;
    const isAsked =
      kind === "create_sub_organization" &&
      document.parentOrganizationId === organization.id &&
      document.users.length === 1 &&
      user?.apiKeys.length === 1 &&
      nameOfKey(user.apiKeys[0]?.credential.publicKey ?? "") === args.key;
    if (!isAsked || sub.now) throw new Fault(`${step} makes an organization that nobody asked for`);
    world.organizations.set(name, sub);
    world.things.set(name, user.userId);
    sub.next.set(each.digest, { base: null, state: stateOf(document, world.newNumber), step });
  }
}

/** All sessions that the core writes must be known: whose they are, and with which key. */
function compareSessions(
  { facts }: World,
  {
    step,
    target,
    records,
    voters,
  }: Omit<Comparing, "organization"> & {
    voters: { who: Who } | undefined;
  },
) {
  for (const { type, id, body } of records) {
    if (type !== "sessions") continue;
    for (const { credential } of (body as SessionsBody).entries) {
      const key = nameOfKey(credential.publicKey);
      const isKnown = facts.grants.some(
        (grant) => grant.userId === id && (grant.key === key || grant.key === ""),
      );
      if (isKnown) continue;
      throw new Fault(
        `${step} (${target.ask.kind}) gives ${key} to user ${id}, ${voters?.who.userId}`,
      );
    }
  }
}

/** The ids of what was made, so that later steps can name it. */
function remember(
  { things }: World,
  name: string,
  step: string,
  { result }: ActivityRecord,
  records: StoredRecord[],
) {
  const account = records.find(({ type }) => type === "wallet-account");
  const key = (result?.privateKeys as { privateKeyId: string }[] | undefined)?.[0]?.privateKeyId;
  const list = (each: unknown) => (Array.isArray(each) ? each[0] : undefined);
  const id =
    result?.otpId ??
    (result?.invitationId ? result.userId : undefined) ??
    list(result?.invitationIds) ??
    result?.userTagId ??
    result?.policyId ??
    list(result?.userIds) ??
    list(result?.apiKeyIds) ??
    key ??
    result?.walletId;
  for (const each of [name, step]) {
    if (typeof id === "string") things.set(each, id);
    const { verificationToken: token } = result ?? {};
    if (typeof token === "string") things.set(`${each}.token`, token);
    if (account) things.set(`${each}.account`, account.id);
  }
}
