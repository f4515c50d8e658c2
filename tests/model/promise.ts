import {
  type Case,
  dependsOnSender,
  type Facts,
  isOf,
  type Kind,
  kinds,
  MAX_AHEAD_MS,
  type Made,
  noteEnded,
} from "./kinds.ts";
import { decide, mayVote, type Question } from "./policies.ts";
import {
  type Approval,
  type Ask,
  copyOf,
  keysOf,
  requestOf,
  type State,
  type Waiting,
  type Who,
} from "./state.ts";

// What the core promises: what may take effect, at most how often, and for whom. It is written from the
// promise, and much smaller than the core, because it knows everything and nobody lies to it.

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** What a request may lead to now. `next` is called if it did: it is the same object if no document is written. */
export type Outcome = {
  status: Status;
  next(): State;
  /** Only if the organization has no room for what was asked, which the model does not count. */
  isAtLimit?: true;
};
export type Status = "COMPLETED" | "FAILED" | "REJECTED" | "CONSENSUS_NEEDED";

/** Nothing may happen, and why. */
export class Refused {
  readonly why: string;
  constructor(why: string) {
    this.why = why;
  }
}

/** Somebody who may try a code has tried a wrong one. */
export class WrongCode extends Refused {}

export type Moment = Facts & { state: State; nowMs: number };

/** Whose key it is now. Two users can have sessions with one key, if both asked for it. */
export function holdersOf({ state, grants, nowMs }: Moment, key: string): Who[] {
  const holders: Who[] = [];
  for (const [userId, user] of state.users) {
    for (const [id, each] of user.keys) {
      if (each === key) holders.push({ userId, credential: id, by: 0 });
    }
  }
  for (const grant of grants) {
    const user = state.users.get(grant.userId);
    if (!user || grant.key !== key || grant.untilMs <= nowMs) continue;
    if (isOf(grant, grant.userId, state)) {
      const by = user.registered.has(grant.number) ? grant.number : user.era;
      holders.push({ userId: grant.userId, credential: grant.number, by });
    }
  }
  return holders;
}

/** The keys that are somebody's now. */
export function heldKeys({ state, grants, nowMs }: Moment): Set<string> {
  const held = new Set(keysOf(state));
  for (const grant of grants) {
    const user = state.users.get(grant.userId);
    if (user && grant.untilMs > nowMs && isOf(grant, grant.userId, state)) held.add(grant.key);
  }
  return held;
}

/** What happens if a user sends a request that does not wait yet. */
export function start(
  moment: Moment,
  ask: Ask,
  { who, key }: { who: Who; key: string },
  made: Made,
): Outcome | Refused {
  const { state, nowMs } = moment;
  const { userId } = who;
  const kind = kindOf(ask);
  if (!isLive(ask.timestampMs, nowMs)) return new Refused("its timestamp is not of this hour");
  if (state.waiting.has(ask.fingerprint)) return new Refused("it waits for approvals already");
  const over = state.over.get(ask.fingerprint);
  if (over) return new Refused(`it is over: ${over}`);
  const given = { ...moment, ask, userId, key, isVoted: false };
  if (!kind.isPossible(given)) return new Refused("it is not possible now");
  // The request itself shows that somebody may become a user.
  const decision = kind.newcomer ? "allow" : decide(questionOf(given, kind, [userId]));
  switch (decision) {
    case "deny":
      return new Refused("nothing allows it to this user");
    case "wait": {
      const approval = { ...who, atMs: nowMs, ...stampedIn(ask) };
      const waiting = { ask, userId, key, approvals: [approval], sinceMs: nowMs };
      return { status: "CONSENSUS_NEEDED", next: () => listed(state, waiting) };
    }
    case "allow":
      if (kind.isRight && !kind.isRight(given)) return new WrongCode("the code is wrong");
      return { status: "COMPLETED", next: () => run(given, kind, made) };
  }
}

/** A vote: by a request of its own, or by the same bytes. */
export type Ballot = { voter: Who; isApproval: boolean; ask: Ask };

/** What may happen if a user votes on a request that waits. The first outcome is what must happen. */
export function vote(
  moment: Moment,
  waiting: Waiting,
  { voter, isApproval, ask: { timestampMs, fingerprint: message } }: Ballot,
  made: Made,
): Outcome[] | Refused {
  const { state, nowMs } = moment;
  const { ask, userId, key } = waiting;
  const kind = kindOf(ask);
  const { fingerprint } = ask;
  const isSameBytes = message === fingerprint;
  if (isSameBytes && voter.userId !== userId && dependsOnSender(kind)) {
    return new Refused("the same bytes of another user are that user's own");
  }
  if (!isSameBytes && !isLive(timestampMs, nowMs))
    return new Refused("the vote is not of this hour");

  const hasLapsed = nowMs - waiting.sinceMs >= DAY;
  const sinceMs = hasLapsed ? nowMs : waiting.sinceMs;
  const counted = waiting.approvals.filter((each) => each.atMs >= sinceMs && counts(moment, each));
  const given: Case = { ...moment, ask, userId, key, isVoted: true };
  const question = (approvals: readonly Who[]) =>
    questionOf(given, kind, [...new Set(approvals.map((each) => each.userId))]);
  if (!mayVote(question(counted), voter.userId)) {
    return new Refused("the user's vote does not count");
  }
  const isOf = (each: Approval) => each.userId === voter.userId;
  if (waiting.approvals.some((each) => isOf(each) && each.fingerprint === message)) {
    return new Refused("it is the same vote again");
  }
  if (isSameBytes && nowMs >= ask.timestampMs + DAY) {
    return new Refused("the same bytes are a day old");
  }
  if (!isApproval) {
    return [{ status: "REJECTED", next: () => closed(state, fingerprint, "rejected") }];
  }

  const before = waiting.approvals.filter(isOf);
  const hasApproved = counted.some(isOf);
  const isNewer = before.every((each) => !isSameBytes && timestampMs > each.timestampMs);
  if (!hasApproved && !isNewer) return new Refused("the user's earlier vote is newer");
  const approval = { ...voter, atMs: nowMs, timestampMs, fingerprint: message };
  if (decide(question(hasApproved ? counted : [...counted, approval])) === "allow") {
    return outcomesOf(given, kind, made);
  }
  if (hasApproved) return new Refused("the user has approved it already");
  // The first approval has the bytes of the request. Any other of this user gives way to the new one.
  const others = waiting.approvals.filter((each, index) => index === 0 || !isOf(each));
  const next = { ...waiting, approvals: [...others, approval], sinceMs };
  return [{ status: "CONSENSUS_NEEDED", next: () => listed(state, next) }];
}

/** What a request does that has all its approvals. */
function outcomesOf(given: Case, kind: Kind, made: Made): Outcome[] {
  const { state, ask } = given;
  const { fingerprint } = ask;
  const failed: Outcome = { status: "FAILED", next: () => closed(state, fingerprint, "failed") };
  if (!kind.isPossible(given) || (kind.isRight && !kind.isRight(given))) return [failed];
  const completed = () => {
    const next = closed(state, fingerprint, "done");
    // Nothing is different if it runs again, so it may.
    if (kind.isRepeatable) {
      next.over.delete(fingerprint);
      next.waited.delete(requestOf(fingerprint, given.userId));
    }
    kind.apply?.({ ...given, state: next }, made);
    noteEnded(state, next, given.nowMs);
    return next;
  };
  const done: Outcome = { status: "COMPLETED", next: completed };
  const mayFail = kind.isUnlisted || kind.isInTheWay?.(given);
  return [done, mayFail ? failed : { ...failed, isAtLimit: true }];
}

function listed(state: State, waiting: Waiting): State {
  const next = copyOf(state);
  next.waiting.set(waiting.ask.fingerprint, waiting);
  next.waited.add(requestOf(waiting.ask.fingerprint, waiting.userId));
  return next;
}

function stampedIn({ timestampMs, fingerprint }: Ask) {
  return { timestampMs, fingerprint };
}

function run(given: Case, kind: Kind, made: Made): State {
  const { state, ask } = given;
  const next = kind.keepsDocument?.(ask) ? state : copyOf(state);
  if (next !== state) next.over.set(ask.fingerprint, "done");
  kind.apply?.({ ...given, state: next }, made);
  if (next !== state) noteEnded(state, next, given.nowMs);
  return next;
}

function closed(state: State, fingerprint: string, how: "done" | "failed" | "rejected"): State {
  const next = copyOf(state);
  next.waiting.delete(fingerprint);
  next.over.set(fingerprint, how);
  return next;
}

/** Does this approval count now: by a user who is still here, with a credential that is still theirs? */
function counts({ state, nowMs }: Moment, { userId, credential, by, atMs }: Approval): boolean {
  const user = state.users.get(userId);
  if (!user || nowMs - atMs >= DAY) return false;
  if (typeof credential === "string") return user.keys.has(credential);
  return user.era === by || user.registered.has(by);
}

function questionOf(given: Case, kind: Kind, approvers: readonly string[]): Question {
  const { state, ask, userId, nowMs } = given;
  return {
    policies: state.policies.values(),
    quorum: state.quorum,
    users: [...state.users.keys()],
    approvers,
    subject: kind.subject,
    isRootOnly: kind.isRootOnly?.(given) ?? false,
    isOwn: approvers.includes(userId) && (kind.isOwn?.(ask, userId) ?? false),
    nowMs,
  };
}

export function isLive(timestampMs: number, nowMs: number): boolean {
  return nowMs - timestampMs < HOUR && timestampMs - nowMs <= MAX_AHEAD_MS;
}

export function kindOf({ kind }: Pick<Ask, "kind">): Kind {
  const found = kinds[kind];
  if (!found) throw new Error(`unknown kind ${kind}`);
  return found;
}
