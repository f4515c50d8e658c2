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
import { KEYS, PASSKEYS, publicKeyNamed } from "./wire.ts";
import { chooseWish } from "./wishes.ts";
import type { Organization, SentRequest, World } from "./world.ts";

// What happens next, by chance.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** How many steps a plan has: up to 40, or most of the long ones about 30 and some 1,000. */
export function lengthOf(seed: number, isLong: boolean): number {
  const random = createRandom(seed, 2);
  if (!isLong) return 20 + random.below(21);
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
  const some =
    over.length > 0 && random.oneIn(2) ? over : random.oneIn(3) ? requests : requests.slice(-8);
  const [request, sent] = random.pick(some);
  const by = random.oneIn(3) ? chooseKey(random, world, sent.organization) : sent.by;
  const delivery = chooseDelivery(random, world, habits, sent, by);
  const isHidden = some === over && habits.brings > 0 && random.oneIn(2);
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
function isOverButLive({ nowMs }: World, { ask, organization }: SentRequest): boolean {
  const state = organization.now?.state;
  if (!state || !isLive(ask.timestampMs, nowMs)) return false;
  const makes = ["create_wallet_accounts", "create_sub_organization"].includes(ask.kind);
  return makes || state.over.has(ask.fingerprint);
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
  const aheadMs = habits.ahead
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

/** The keys of sessions and expiring keys that were proposed and never committed. */
function forgottenKeys(world: World): string[] {
  return lastOf(world.proposals.values()).flatMap(({ isConfirmed, ticket, request, records }) => {
    const isOpen = !isConfirmed && ticket !== null;
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
  if (forgotten.length > 0 && random.oneIn(5)) return random.pick(forgotten);
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
    // Somebody whose key nobody has needs the record that says otherwise.
    const isMissing = habits.brings > 0 && label === "sessions of the stamp" && !record;
    if (!isMissing && random.below(100) >= habits.brings) continue;
    const brought = chooseRecord(random, world, { label, record, by });
    if (brought?.name !== record?.name)
      instead.push({ wanted: label, brought: brought?.name ?? null });
  }
  const all = [...world.host.records.keys()];
  const more = habits.brings > 0 && random.oneIn(12) ? [random.pick(all)] : [];
  return { instead, more, commits: random.below(100) >= habits.forgets };
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
  const all = record || random.oneIn(3) ? every : every.slice(-2);
  const some = versions.length > 1 && !random.oneIn(3) ? versions : all;
  return some.length > 0 ? random.pick(some) : undefined;
}
