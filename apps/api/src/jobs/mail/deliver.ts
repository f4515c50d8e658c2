import type { CourierClient } from "@keyhearth/courier/client";
import type { Delivery } from "@keyhearth/courier/delivery";
import type { Channel } from "@keyhearth/courier/protocol";
import { CHANNELS, type SealedMessage } from "@keyhearth/engine/messages/message";
import { openInvitations } from "@keyhearth/engine/people/invitations";
import { findCurrent } from "../../callers/current-document.ts";
import type { Host } from "../../host/host.ts";
import { type Span, traced } from "../../observability/spans.ts";
import {
  deleteEndedMessages,
  expireMessages,
  retryMessage,
  settleMessage,
  type TakenMessage,
  takeMessages,
} from "../../store/outbox.ts";
import { type Loop, type Next, startLoop } from "../loop.ts";

export type DeliveryOptions = {
  courier: CourierClient;
  /** What the courier can send by. Messages of other channels wait. */
  channels: Channel[];
  /** Whether people read the messages that wait, so that an expired one is not a failure. */
  isMailbox: boolean;
  timing?: Partial<Timing>;
};

type Timing = {
  /** How often a process looks for messages of others, and for those to send again. */
  pollMs: number;
  firstRetryMs: number;
  longestRetryMs: number;
  /** Longer than an attempt can take. */
  leaseMs: number;
  sweepMs: number;
};

const TIMING: Timing = {
  pollMs: 2000,
  firstRetryMs: 2000,
  longestRetryMs: 300_000,
  leaseMs: 180_000,
  sweepMs: 60_000,
};

/**
 * Messages under way at once: in all, of a top-level organization with its sub-organizations, whose logos may
 * be slow, and of one organization.
 */
const MOST = 16;
const MAX_OF_FAMILY = 8;
const MAX_OF_ONE = 4;
const TAKEN_AT_ONCE = 4;

/** Of these, for families that have no message under way: one each, unless their last one was slow. */
const KEPT = 4;
const SLOW_MS = 1000;
const MAX_REMEMBERED = 256;

/** How long the rows of ended messages stay, for an operator who looks for one. */
const KEEP_MS = 30 * 24 * 60 * 60 * 1000;
const STOP_MS = 5000;

/** Delivers what was committed, beside the requests, until it is stopped. */
export function startDelivery(
  host: Host,
  { courier, channels, isMailbox, timing = {} }: DeliveryOptions,
): { stop(): Promise<void> } {
  const times = { ...TIMING, ...timing };
  // Of separate channels, so that a mail server that does not answer holds up no SMS.
  const lanes = channels.map((channel) => createLane(host, { courier, channel, times }));
  const sweeping = startLoop({
    everyMs: times.sweepMs,
    firstMs: 0,
    round: () => sweepOutbox(host, isMailbox),
    logFailure: (err) => host.log.warn({ err }, "the outbox was not swept"),
  });
  host.bell.onRing(() => {
    for (const lane of lanes) lane.wake();
  });
  return {
    async stop() {
      host.bell.onRing(() => {});
      const late = new Promise<void>((resolve) => setTimeout(resolve, STOP_MS).unref());
      await Promise.race([Promise.all([sweeping, ...lanes].map((loop) => loop.stop())), late]);
    },
  };
}

type LaneOptions = { courier: CourierClient; channel: Channel; times: Timing };

function createLane(host: Host, { courier, channel, times }: LaneOptions): Loop {
  const kinds = Object.entries(CHANNELS).flatMap(([kind, own]) => (own === channel ? [kind] : []));
  const underWay = new Map<TakenMessage, Promise<void>>();
  /** Families whose last message took long. */
  const slow = new Set<string>();

  async function round(): Promise<Next> {
    if (underWay.size >= MOST) return "idle";
    const taken = await takeMessages(host.store, {
      kinds,
      busy: withAtLeast(MAX_OF_ONE, ({ organizationId }) => organizationId),
      ...placesLeft(),
      nowMs: host.now(),
      leaseMs: times.leaseMs,
    });
    for (const message of taken) start(message);
    return taken.length > 0 ? "again" : "idle";
  }

  function placesLeft(): { busyFamilies: string[]; limit: number } {
    const free = MOST - KEPT - underWay.size;
    const familyOf = ({ familyId }: TakenMessage) => familyId;
    if (free > 0) {
      const busyFamilies = withAtLeast(MAX_OF_FAMILY, familyOf);
      return { busyFamilies, limit: Math.min(TAKEN_AT_ONCE, free) };
    }
    // One at a time, because several could be of one family.
    return { busyFamilies: [...withAtLeast(1, familyOf), ...slow], limit: 1 };
  }

  function noteTime({ familyId }: TakenMessage, tookMs: number) {
    slow.delete(familyId);
    if (tookMs <= SLOW_MS) return;
    slow.add(familyId);
    const [oldest] = slow;
    if (slow.size > MAX_REMEMBERED && oldest !== undefined) slow.delete(oldest);
  }

  /** Those with so many messages under way. */
  function withAtLeast(most: number, idOf: (message: TakenMessage) => string): string[] {
    const counts = new Map<string, number>();
    for (const message of underWay.keys()) {
      counts.set(idOf(message), (counts.get(idOf(message)) ?? 0) + 1);
    }
    return [...counts].flatMap(([id, count]) => (count >= most ? [id] : []));
  }

  function start(message: TakenMessage) {
    const startedAt = performance.now();
    const root = { kind: "consumer" as const, follows: message.messageId };
    const attempt = host.tracing.root(`deliver ${message.kind}`, root, (span) =>
      deliver(host, message, { courier, times }, span),
    );
    const work = attempt.finally(() => {
      underWay.delete(message);
      noteTime(message, performance.now() - startedAt);
      loop.wake();
    });
    underWay.set(message, work);
  }

  const loop = startLoop({
    everyMs: times.pollMs,
    firstMs: 0,
    round,
    logFailure: (err) =>
      host.log.error({ err, channel }, "messages cannot be taken from the outbox"),
  });
  return {
    wake: loop.wake,
    async stop() {
      await loop.stop();
      await Promise.all(underWay.values());
    },
  };
}

async function deliver(
  host: Host,
  message: TakenMessage,
  { courier, times }: Pick<LaneOptions, "courier" | "times">,
  span: Span | undefined,
): Promise<void> {
  span?.set({ "keyhearth.organization.id": message.organizationId });
  const outcome = (which: Parameters<Host["metrics"]["message"]>[1]) => {
    host.metrics.message(message.kind, which);
    span?.set({ "keyhearth.delivery.outcome": which });
  };
  const { organizationId, messageId, kind, attempts } = message;
  const named = { organizationId, messageId, kind, attempts };
  try {
    if (await isWorthless(host, message)) {
      await settleMessage(host.store, message, { state: "dropped", lastError: null });
      outcome("dropped");
      return;
    }
    const delivery = await traced("courier deliver", () => send(courier, message), "client");
    if (delivery.outcome === "delivered") {
      await settleMessage(host.store, message, { state: "delivered", lastError: null });
      outcome("delivered");
      return;
    }
    const { reason } = delivery;
    if (delivery.isPermanent) {
      await settleMessage(host.store, message, { state: "failed", lastError: reason });
      outcome("failed");
      host.log.error({ ...named, reason }, "a message could not be delivered");
      return;
    }
    const nextAttemptAtMs = host.now() + pauseMs(message, host.now(), times);
    await retryMessage(host.store, message, { nextAttemptAtMs, lastError: reason });
    outcome("retried");
    host.log.warn({ ...named, reason }, "a message waits for another attempt");
  } catch (err) {
    // It is sent again when its lease ends, with the same id.
    host.log.error({ ...named, err }, "the outcome of a message was not noted");
  }
}

async function send(
  courier: CourierClient,
  { messageId, kind, sealed, createdAtMs, expiresAtMs }: SealedMessage,
): Promise<Delivery> {
  const message = { messageId, kind, sealed, createdAtMs, expiresAtMs };
  const unreachable = "the courier cannot be reached";
  try {
    const answer = await courier.ask({ call: "deliver", message });
    if (answer.kind === "delivery") return answer.delivery;
    return { outcome: "failed", isPermanent: false, reason: "the courier failed" };
  } catch {
    return { outcome: "failed", isPermanent: false, reason: unreachable };
  }
}

/** A deleted organization says nothing more, and an invitation that has ended is not sent. */
async function isWorthless(
  host: Host,
  { organizationId, messageId, kind, isOrganizationDeleted }: TakenMessage,
): Promise<boolean> {
  if (isOrganizationDeleted) return true;
  if (kind !== "invitation") return false;
  const current = await findCurrent(host, organizationId);
  if (!current) return true;
  const open = openInvitations(current.document, host.now());
  return !open.some(({ invitationId }) => invitationId === messageId);
}

/**
 * Twice as long each time, and never the same for many messages. A code, which is soon worthless, is tried
 * more often.
 */
function pauseMs(
  { attempts, expiresAtMs }: TakenMessage,
  nowMs: number,
  { firstRetryMs, longestRetryMs }: Timing,
): number {
  const longest = Math.min(longestRetryMs, (expiresAtMs - nowMs) / 8);
  const doubled = firstRetryMs * 2 ** Math.min(attempts - 1, 20);
  const full = Math.max(firstRetryMs, Math.min(doubled, longest));
  return Math.round(full * (0.5 + Math.random() / 2));
}

async function sweepOutbox(host: Host, isMailbox: boolean): Promise<Next> {
  const state = isMailbox ? "dropped" : "failed";
  const ended = await expireMessages(host.store, { nowMs: host.now(), state });
  for (const { kind, lastError, ...named } of ended) {
    host.metrics.message(kind, state);
    if (isMailbox) continue;
    host.log.error({ ...named, kind, reason: lastError }, "a message could not be delivered");
  }
  await deleteEndedMessages(host.store, host.now() - KEEP_MS);
  return "idle";
}
