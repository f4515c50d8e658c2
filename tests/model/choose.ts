import type { ActivityRecord } from "@keyhearth/engine/records/activity";
import { createRandom, type Random } from "../fuzz/random.ts";
import type { Habits } from "./habits.ts";
import type { StoredRecord } from "./host.ts";
import { kinds } from "./kinds.ts";
import { write } from "./perform.ts";
import type { Delivery, Step, Wish } from "./plan.ts";
import { heldKeys, isLive } from "./promise.ts";
import { hasKey, wantedFor } from "./wanted.ts";
import { targetOf } from "./watch.ts";
import { KEYS, PASSKEYS, publicKeyNamed, votes } from "./wire.ts";
import { chooseWish } from "./wishes.ts";
import type { Organization, SentRequest, World } from "./world.ts";

// What happens next, by chance.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** How many steps a plan has: 40, or most of the long run's about 30 and some 1,000. */
export function lengthOf(seed: number, isLong: boolean): number {
  const random = createRandom(seed, 2);
  if (!isLong) return 40;
  return random.oneIn(200) ? 1000 : 20 + random.below(21);
}

export function chooseStep(random: Random, world: World, habits: Habits, id: string): Step {
  const { isHonest } = world.plan;
  const chance = random.below(100);
  if (chance < habits.waits) return { id, does: "wait", ms: random.pick(WAITS) };
  if (chance < habits.waits + habits.restarts) return { id, does: "restart" };
  if (!isHonest && random.oneIn(7)) {
    const confirmed = chooseConfirm(random, world, id);
    if (confirmed) return confirmed;
  }
  const again = isHonest ? null : chooseMadeAgain(random, world, id);
  if (again) return again;
  if (habits.decidesAgain > 0 && random.below(100) < habits.decidesAgain) {
    const decided = chooseDecidedAgain(random, world, id);
    if (decided) return decided;
  }
  if (habits.otherRoad.length > 0 && random.below(100) < 30) {
    const other = chooseOtherRoad(random, world, habits, id);
    if (other) return other;
  }
  if (random.below(100) < habits.resends && world.requests.size > 0) {
    const resent = chooseResend(random, world, habits, id);
    if (resent) return resent;
  }
  return chooseAsk(random, world, habits, id);
}

const WAITS = [
  1,
  1000,
  MINUTE,
  4 * MINUTE,
  6 * MINUTE,
  14 * MINUTE,
  30 * MINUTE,
  54 * MINUTE,
  59 * MINUTE,
  61 * MINUTE,
  5 * HOUR,
  23 * HOUR,
  24 * HOUR,
  25 * HOUR,
];

/** Confirms a proposal that was not, or tries to get a secret result. */
function chooseConfirm(random: Random, world: World, id: string): Step | null {
  const open = lastOf(world.proposals.values()).filter((each) => each.ticket && !each.isConfirmed);
  if (open.length === 0) return null;
  // The most tempting ones: what votes approved, without the document that says so.
  const voted = open.filter(({ records }) => documentsIn(records) > 1);
  if (voted.length > 0 && random.oneIn(2)) {
    const { step } = random.pick(voted);
    return { id, does: "confirm", proposals: [step], how: "sub-organization" };
  }
  const secret = open.filter(
    ({ request }) => kinds[targetOf(world, request)?.ask.kind ?? ""]?.isSecret,
  );
  if (secret.length > 0 && random.oneIn(2)) {
    const { step } = random.pick(secret);
    const others = lastOf(world.proposals.values()).filter(
      (each) => each.isConfirmed && each.ticket,
    );
    const proposals = random.oneIn(3) ? [step] : others.slice(-2).map((each) => each.step);
    return { id, does: "confirm", how: "documents", proposals, releases: step };
  }
  // Those that still follow the current document, most of the time.
  const fresh = open.filter(
    ({ request, documentDigest }) => request.organization.now?.digest === documentDigest,
  );
  const { step } = random.pick(fresh.length > 0 && !random.oneIn(4) ? fresh : open);
  const how = random.oneIn(2) ? "ticket" : "documents";
  return { id, does: "confirm", proposals: [step], how };
}

/** What a host does about a deleted account: it has it made again before it confirms the deletion, and afterwards. */
function chooseMadeAgain(random: Random, world: World, id: string): Step | null {
  const deletions = lastOf(world.proposals.values()).filter(
    ({ request, activity }) =>
      activity.status === "ACTIVITY_STATUS_COMPLETED" &&
      targetOf(world, request)?.ask.kind === "delete_wallet_accounts",
  );
  if (deletions.length === 0 || !random.oneIn(4)) return null;
  const { step, request, documentDigest, ticket, isConfirmed } = random.pick(deletions);
  const { now } = request.organization;
  const isHeldBack = ticket !== null && !isConfirmed && now?.digest === documentDigest;
  if (isHeldBack && random.oneIn(3)) {
    return { id, does: "confirm", proposals: [step], how: "ticket" };
  }
  const accountId = targetOf(world, request)?.ask.args.id;
  const deleted = world.facts.makings.find((making) => making.accountId === accountId);
  const [thing] = [...world.things].find(([, each]) => each === deleted?.walletId) ?? [];
  const [organization] =
    [...world.organizations].find(([, each]) => each === request.organization) ?? [];
  if (!deleted || !thing || !organization) return null;
  const instead = ["activity", "account"].map((wanted) => ({ wanted, brought: null }));
  const delivery = { instead, more: [], commits: true };
  const maker = world.firstSteps.get(deleted.fingerprint) ?? "";
  const made = world.requests.get(maker);
  if (made?.ask.kind === "create_wallet_accounts" && (!isHeldBack || random.oneIn(2))) {
    return { id, does: "send", request: maker, by: made.by, delivery };
  }
  const wish = { kind: "create_wallet_accounts", thing, path: deleted.path };
  const aheadMs = random.pick([0, 5 * MINUTE]);
  return { id, does: "ask", by: request.by, organization, request: wish, aheadMs, delivery };
}

/** What a host does about a code: it has its request, or that of its token, decided again as if it were new. */
function chooseDecidedAgain(random: Random, world: World, id: string): Step | null {
  const codes = lastOf(world.requests).filter(
    ([, { ask }]) =>
      ["init_otp", "verify_otp"].includes(ask.kind) && isLive(ask.timestampMs, world.nowMs),
  );
  if (codes.length === 0) return null;
  const [request, { by }] = random.pick(codes.slice(-3));
  const instead = [{ wanted: "activity", brought: null }];
  return { id, does: "send", request, by, delivery: { instead, more: [], commits: true } };
}

/** What a host does about a request that was decided at once: under other rules it waits, and votes reject it. */
function chooseOtherRoad(
  random: Random,
  world: World,
  { otherRoad }: Habits,
  id: string,
): Step | null {
  const early = lastOf(world.proposals.values()).filter(({ request: { ask, organization } }) => {
    const state = organization.now?.state;
    if (!state || state.over.has(ask.fingerprint) || !otherRoad.includes(ask.kind)) return false;
    return isLive(ask.timestampMs, world.nowMs) && organization === world.organizations.get("acme");
  });
  if (early.length === 0) return null;
  const { request } = random.pick(early.slice(-3));
  const { fingerprint } = request.ask;
  const { waiting, quorum, policies } = request.organization.now?.state ?? {};
  const delivery = { instead: [], more: [], commits: true };
  const by = random.pick(["k0", "k1", "k2"]);
  const rest = { id, by, organization: "acme", aheadMs: 0, delivery } as const;
  const about = world.firstSteps.get(fingerprint) ?? "";
  if (waiting?.has(fingerprint)) {
    return { ...rest, does: "ask", request: { kind: "reject_activity", about } };
  }
  const isAgreed = [...(policies?.values() ?? [])].some(
    ({ consensus }) => consensus && "count" in consensus,
  );
  if (request.ask.kind === "stamp_login" && !isAgreed) {
    // Users log in by themselves, unless a policy says that somebody must agree.
    const policy = { effect: "ALLOW", about: null, consensus: { count: 2 }, time: null } as const;
    return { ...rest, does: "ask", request: { kind: "create_policy", name: id, policy } };
  }
  if (quorum?.threshold === 1) {
    const users = ["ada", "grace", "alan"];
    const wish = { kind: "update_root_quorum", users, threshold: 2 };
    return { ...rest, does: "ask", request: wish };
  }
  const instead = [{ wanted: "activity", brought: null }];
  return { id, does: "send", request: about, by: request.by, delivery: { ...delivery, instead } };
}

function documentsIn(records: StoredRecord[]): number {
  return records.filter(({ type }) => type === "organization").length;
}

/** Enough for what is tempting, also in plans of a thousand steps. */
function lastOf<T>(all: Iterable<T>): T[] {
  return [...all].slice(-100);
}

function chooseResend(random: Random, world: World, habits: Habits, id: string): Step | null {
  const requests = lastOf(world.requests);
  const over = requests.filter(([, sent]) => isOverButLive(world, sent));
  const lapsed = over.filter(([, sent]) => overAs(sent) === "lapsed");
  const usual =
    over.length > 0 && random.oneIn(2) ? over : random.oneIn(3) ? requests : requests.slice(-8);
  const some = lapsed.length > 0 && random.oneIn(2) ? lapsed : usual;
  const [request, sent] = random.pick(some);
  // The user who sent what has lapsed is no longer here.
  const isByAnother = some === lapsed || random.oneIn(3);
  const by = isByAnother ? chooseKey(random, world, sent.organization) : sent.by;
  const delivery = chooseDelivery(random, world, habits, sent, by);
  const isHidden =
    some === lapsed ? !world.plan.isHonest : some === over && habits.brings > 0 && random.oneIn(2);
  const hidden = { wanted: "activity", brought: null };
  const instead = isHidden
    ? [...delivery.instead.filter(({ wanted }) => wanted !== "activity"), hidden]
    : delivery.instead;
  return { id, does: "send", request, by, delivery: { ...delivery, instead } };
}

/**
 * The most tempting ones, as long as their timestamps allow them: those that took effect or were rejected, and
 * those that could make again what was deleted.
 */
function isOverButLive({ nowMs }: World, sent: SentRequest): boolean {
  const { ask, organization } = sent;
  if (!organization.now || !isLive(ask.timestampMs, nowMs)) return false;
  const makes = ["create_wallet_accounts", "create_sub_organization"].includes(ask.kind);
  return makes || overAs(sent) !== undefined;
}

function overAs({ ask, organization }: SentRequest) {
  return organization.now?.state.over.get(ask.fingerprint);
}

function chooseAsk(random: Random, world: World, habits: Habits, id: string): Step {
  const names = habits.organizations;
  const subs = [...world.organizations].filter(([name, { now }]) => name.startsWith("s") && now);
  const organization =
    subs.length > 0 && random.oneIn(3) ? random.pick(subs)[0] : random.pick(names);
  const where = world.organizations.get(organization);
  const state = where?.now?.state;
  const waiting = [...(state?.waiting.values() ?? [])];
  const isVote = waiting.length > 0 && random.below(100) < habits.votes;
  const holder = chooseKey(random, world, where);
  const wish = isVote
    ? chooseVote(random, world, waiting)
    : chooseWish(random, world, habits, { by: holder, state, id });
  // Somebody who accepts an invitation stamps with the passkey that the request registers.
  const by = wish.kind === "accept_invitation" && !random.oneIn(10) ? (wish.key ?? holder) : holder;
  const isMaking = wish.kind === "create_wallet_accounts" && !world.plan.isHonest;
  const aheadMs =
    habits.ahead || isMaking
      ? random.pick([0, 0, 4 * MINUTE, 5 * MINUTE, -4 * MINUTE, -30 * MINUTE])
      : 0;
  const step = {
    id,
    does: "ask",
    by,
    organization,
    request: wish,
    aheadMs,
    delivery: null,
  } as const;
  const sent = write(world, step);
  if (!sent || random.below(100) < habits.keepsBack) return step;
  return { ...step, delivery: chooseDelivery(random, world, habits, sent, by) };
}

/** The keys of sessions and expiring keys that were proposed and never committed, or before their request waited. */
function forgottenKeys(world: World): string[] {
  return lastOf(world.proposals.values()).flatMap(({ isConfirmed, ticket, request, records }) => {
    const { ask, organization } = request;
    const waited = [...(organization.now?.state.waited ?? [])];
    const hasWaited = waited.some((each) => each.startsWith(ask.fingerprint));
    const isOpen = !isConfirmed && (ticket !== null || hasWaited);
    return isOpen && records.some(({ type }) => type === "sessions")
      ? (targetOf(world, request)?.ask.args.key ?? [])
      : [];
  });
}

function chooseVote(
  random: Random,
  world: World,
  waiting: { ask: { fingerprint: string } }[],
): Wish {
  const { ask } = random.pick(waiting);
  const about = world.firstSteps.get(ask.fingerprint);
  const kind = random.oneIn(4) ? "reject_activity" : "approve_activity";
  return { kind, about: about ?? "" };
}

/** A key that is somebody's now, most of the time; or one that was, or that nobody has confirmed yet. */
function chooseKey(random: Random, world: World, organization: Organization | undefined): string {
  if (!organization?.now || random.oneIn(20)) return random.pick(KEYS);
  const forgotten = world.plan.isHonest ? [] : forgottenKeys(world);
  if (forgotten.length > 0 && random.oneIn(3)) return random.pick(forgotten);
  const moment = { ...world.facts, nowMs: world.nowMs, state: organization.now.state };
  const held = heldKeys(moment);
  const known = [...KEYS, ...PASSKEYS].filter((key) => held.has(key));
  return known.length > 0 ? random.pick(known) : random.pick(KEYS);
}

function chooseDelivery(
  random: Random,
  world: World,
  habits: Habits,
  sent: SentRequest,
  by: string,
): Delivery {
  const instead: Delivery["instead"] = [];
  for (const { label, record } of wantedFor(world, sent, by)) {
    // Somebody whose key nobody has needs the record that says otherwise, and so do an account and a code.
    const isTelling = ["sessions of the stamp", "account", "code"].includes(label);
    const isMissing = habits.brings > 0 && isTelling && !record;
    if (!isMissing && random.below(100) >= habits.brings) continue;
    const brought = chooseRecord(random, world, { label, record, by });
    if (brought?.name !== record?.name)
      instead.push({ wanted: label, brought: brought?.name ?? null });
  }
  const all = [...world.host.records.keys()];
  const more = habits.brings > 0 && random.oneIn(12) ? [random.pick(all)] : [];
  const isEarly = habits.otherRoad.includes(sent.ask.kind);
  const forgets =
    isEarly || (habits.forgets > 0 && isWorthForgetting(world, sent)) ? 60 : habits.forgets;
  return { instead, more, commits: random.below(100) >= forgets };
}

/** The most tempting ones: what nobody sees for a while, and what could work although its votes were not committed. */
function isWorthForgetting(world: World, sent: SentRequest): boolean {
  const kind = targetOf(world, sent)?.ask.kind ?? "";
  if (kind === "delete_wallet_accounts") return true;
  const isVote = sent.ask.kind in votes;
  return (
    isVote && ["create_wallet_accounts", "otp_login", "create_api_keys", "init_otp"].includes(kind)
  );
}

/** Another version, another record of the same type, or none. */
function chooseRecord(
  random: Random,
  { host }: World,
  { label, record, by }: { label: string; record: StoredRecord | undefined; by: string },
): StoredRecord | undefined {
  if (label === "sessions of the stamp") {
    const some = [...host.records.values()].filter((each) => hasKey(each, publicKeyNamed(by)));
    return some.length > 0 ? random.pick(some) : undefined;
  }
  if (random.oneIn(3)) return undefined;
  if (label === "activity" && record && !random.oneIn(3)) {
    const { fingerprint } = record.body as ActivityRecord;
    const all = [...host.records.values()].filter(({ type }) => type === "activity");
    return random.pick(
      all.filter(({ body }) => (body as ActivityRecord).fingerprint === fingerprint),
    );
  }
  const types: Record<string, string> = {
    document: "organization",
    activity: "activity",
    "private key": "private-key",
    account: "wallet-account",
    wallet: "wallet",
    code: "otp",
  };
  const type = types[label] ?? "sessions";
  const versions = record ? host.at(record.place) : [];
  const every = [...host.records.values()].filter((each) => each.type === type);
  // What nobody has committed yet, most of the time.
  const forgotten = every.filter((each) => host.current.get(each.place) !== each);
  const recent = forgotten.length > 0 ? forgotten.slice(-2) : every.slice(-2);
  const all = record || random.oneIn(3) ? every : recent;
  const some = versions.length > 1 && !random.oneIn(3) ? versions : all;
  return some.length > 0 ? random.pick(some) : undefined;
}
