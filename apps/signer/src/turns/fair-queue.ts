import type { Answer, Envelope, Request, SignerTimes } from "@keyhearth/engine/core/protocol";
import { MAX_TICKETS } from "@keyhearth/engine/core/tickets";
import { ApiError, toErrorMessage } from "@keyhearth/engine/errors";
import {
  type Cost,
  createRecentCosts,
  type RecentCosts,
} from "@keyhearth/engine/memory/recent-costs";
import { threadMs } from "@keyhearth/outbound/thread-time";

/** An answer, or something to wait for before the rest of the work can be done. */
export type Handled = Answer | Promise<Rest> | Waiting;

type Rest = () => Handled;

/** Waits for others, such as an issuer of tokens, and not for work of this thread. */
export type Waiting = { kind: "waiting"; work: Promise<Rest> };

/** A call that waits for its turn, and the connection that it came over. */
export type Call = {
  id: number;
  /** In whose turn the call is handled, by the host's word. Empty for calls of the host itself. */
  organizationId: string;
  /** The organization's parent, if it has one. */
  familyId: string;
  request: Request;
  bytes: number;
  caller: Caller;
  /** The rest of the work, if a part of it was done before. */
  resume?: Rest;
  /** When it came, and when its work began. */
  at?: number;
  begunAt?: number;
};

export type Caller = {
  /** The call is handled next. If the process dies before its answer, this call did it. */
  begin(call: Call): void;
  /** The call that was begun waits for others. If the process dies meanwhile, it did nothing to it. */
  rest(): void;
  answer(answer: Envelope<Answer>): void;
  /** No further answer comes soon. */
  flush(): void;
};

/**
 * Families take turns by cost, and within each its organizations: the one whose calls took the least time lately is
 * served next. So many sub-organizations have no more turns than one. The work is done in slices, so that new calls
 * are seen in between (decision 17).
 */
export type FairQueue = {
  /** A call that is refused is answered at once, and its caller flushes the answer. */
  add(call: Call): void;
  /** How many calls wait. */
  depth(): number;
  stop(): void;
};

/** How many calls may wait for their answers, and the bytes that they hold: of an organization, and in total. */
export type Limits = { calls: number; bytes: number; totalCalls: number; totalBytes: number };

/**
 * Confirmations have places of their own, because they end work that is already committed. Those of tickets are
 * small, and there are never more open tickets than places. Everything else shares the places of the requests.
 */
type Places = "requests" | "documents" | "tickets";

const MB = 1024 * 1024;
const LIMITS: Record<Places, Limits> = {
  requests: { calls: 512, bytes: 64 * MB, totalCalls: 8192, totalBytes: 256 * MB },
  documents: { calls: 512, bytes: 64 * MB, totalCalls: 8192, totalBytes: 128 * MB },
  tickets: {
    calls: MAX_TICKETS,
    bytes: 16 * MB,
    totalCalls: MAX_TICKETS,
    totalBytes: 16 * MB,
  },
};

/** A ticket is a number and the name of a run, so a longer text is not one. */
const MAX_TICKET_LENGTH = 64;

const SLICE_MS = 4;

/** A call that takes this long is noticed by those who wait for it. */
const HEAVY_MS = 25;

/**
 * A call cannot be interrupted, so choosing the next one well is not enough: after a heavy call, the
 * organizations with heavy calls rest for a multiple of its time, as long as others are about. Most
 * calls of the others then arrive when nothing heavy is under way.
 */
const REST = 4;
const MAX_REST_MS = 20_000;
const OTHERS_ABOUT_MS = 1000;

type Queue = { organizationId: string; calls: Call[] };

/** What has no answer yet. */
type Held = { calls: number; bytes: number };
type Room = {
  limits: Limits;
  total: Held;
  ofOrganizations: Map<string, Held>;
  ofFamilies: Map<string, Held>;
};

type State = {
  queues: Map<string, Queue>;
  costs: RecentCosts;
  /** Of all calls of a family together. */
  familyCosts: RecentCosts;
  /** Organizations with work under way that is not done in turns. */
  paused: Set<string>;
  depth: number;
  rooms: Record<Places, Room>;
  /** All the time that was charged to anybody. */
  chargedMs: number;
  /** Until then, organizations with heavy calls rest. */
  restUntil: number;
  /** Those whose heavy calls ended with a rest, and until when, also once their costs are forgotten. */
  resting: { organizations: Map<string, number>; families: Map<string, number> };
  lightServedAt: number;
};

export function createFairQueue({
  handle,
  limits = {},
  now = () => performance.now(),
  spent = threadMs,
}: {
  handle: (request: Request) => Handled;
  limits?: Partial<Record<Places, Limits>>;
  now?: () => number;
  /** The time that this thread has worked. It stands still while others have the processor. */
  spent?: () => number;
}): FairQueue {
  const state: State = {
    queues: new Map(),
    costs: createRecentCosts(now()),
    familyCosts: createRecentCosts(now()),
    paused: new Set(),
    depth: 0,
    rooms: {
      requests: createRoom(limits.requests ?? LIMITS.requests),
      documents: createRoom(limits.documents ?? LIMITS.documents),
      tickets: createRoom(limits.tickets ?? LIMITS.tickets),
    },
    chargedMs: 0,
    restUntil: 0,
    resting: { organizations: new Map(), families: new Map() },
    lightServedAt: Number.NEGATIVE_INFINITY,
  };
  let immediate: NodeJS.Immediate | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  function runSoon() {
    clearTimeout(timer);
    timer = undefined;
    immediate ??= setImmediate(run);
  }

  /** Its organization is served meanwhile: anybody can send calls that wait, with a token that nobody signed. */
  function wait(call: Call, { work }: Waiting) {
    call.caller.rest();
    const goOn = (resume: Rest) => {
      if (isStopped) return;
      enqueue(state, { ...call, resume }, true);
      runSoon();
    };
    work.then(goOn, (error: unknown) => {
      goOn(() => ({ kind: "error", error: toErrorMessage(error) }));
    });
  }

  function pause(call: Call, work: Promise<Rest>) {
    const { organizationId } = call;
    const before = spent() - state.chargedMs;
    state.paused.add(organizationId);
    const goOn = (resume: Rest) => {
      if (isStopped) return;
      state.paused.delete(organizationId);
      // What this thread did meanwhile, and not for another call.
      const tookMs = spent() - state.chargedMs - before;
      const at = now();
      charge(state, call, tookMs, at);
      restAfter(state, call, tookMs, { from: at - tookMs, to: at });
      enqueue(state, { ...call, resume }, true);
      runSoon();
    };
    work.then(goOn, (error: unknown) => {
      goOn(() => ({ kind: "error", error: toErrorMessage(error) }));
    });
  }

  function run() {
    immediate = undefined;
    const restMs = serveSlice(state, { handle, pause, wait, now, spent });
    if (state.depth === 0) return;
    if (restMs > 0) timer = setTimeout(runSoon, restMs);
    else runSoon();
  }

  return {
    add(call) {
      const refusal = refuse(state, call);
      if (refusal) {
        const message: Answer = { kind: "error", error: toErrorMessage(refusal) };
        return call.caller.answer({ id: call.id, message });
      }
      hold(state, call, 1);
      enqueue(state, { ...call, at: now() });
      runSoon();
    },
    depth: () => state.depth,
    stop() {
      isStopped = true;
      clearImmediate(immediate);
      clearTimeout(timer);
    },
  };
}

/** Serves calls for a few milliseconds. Returns how long to wait if all that is left must rest. */
function serveSlice(
  state: State,
  {
    handle,
    pause,
    wait,
    now,
    spent,
  }: {
    handle: (request: Request) => Handled;
    pause: (call: Call, work: Promise<Rest>) => void;
    wait: (call: Call, waiting: Waiting) => void;
    now: () => number;
    spent: () => number;
  },
): number {
  const callers = new Set<Caller>();
  let at = now();
  const endAt = at + SLICE_MS;
  let before = spent();
  state.costs.decay(at);
  state.familyCosts.decay(at);
  let restMs = 0;
  while (state.depth > 0 && at < endAt) {
    const queue = nextQueue(state, at);
    if (!queue) {
      restMs = Math.max(1, Math.ceil(state.restUntil - at));
      break;
    }
    const call = dequeue(state, queue);
    call.begunAt ??= at;
    const { caller, id, organizationId, request } = call;
    caller.begin(call);
    const answer = call.resume ? call.resume() : handle(request);
    const endedAt = now();
    const after = spent();
    const cost = charge(state, call, after - before, endedAt);
    if (organizationId !== "" && cost.heaviest < HEAVY_MS) state.lightServedAt = endedAt;
    restAfter(state, call, after - before, { from: at, to: endedAt });
    if (answer instanceof Promise) {
      pause(call, answer);
    } else if (answer.kind === "waiting") {
      wait(call, answer);
    } else {
      hold(state, call, -1);
      caller.answer({ id, tookMs: timesOf(call, endedAt), message: answer });
      callers.add(caller);
    }
    at = endedAt;
    before = after;
  }
  for (const caller of callers) caller.flush();
  return restMs;
}

/** For traces. Coarser than what the host can measure by itself, from the announcements and answers of this socket. */
function timesOf({ at, begunAt }: Call, endedAt: number): SignerTimes | undefined {
  if (at === undefined || begunAt === undefined) return undefined;
  return [tenths(begunAt - at), tenths(endedAt - begunAt)];
}

function tenths(milliseconds: number): number {
  return Math.round(Math.max(0, milliseconds) * 10) / 10;
}

/** No call of the host waits without a bound, whatever it asks for and for whomever. */
function refuse(state: State, call: Call): ApiError | null {
  const { organizationId, familyId } = call;
  const { limits, total, ofOrganizations, ofFamilies } = roomOf(state, call);
  const held = ofOrganizations.get(organizationId);
  const isFull = held && (held.calls >= limits.calls || held.bytes + call.bytes > limits.bytes);
  // A family with nothing waiting gets a place even if the others have filled the signer.
  const bytes = total.bytes + call.bytes;
  const isCrowded = total.calls >= limits.totalCalls || bytes > limits.totalBytes;
  const isOverfull = total.calls >= 2 * limits.totalCalls || bytes > 2 * limits.totalBytes;
  if (!isFull && !(ofFamilies.has(familyId) && isCrowded) && !isOverfull) return null;
  const whose = organizationId === "" ? "the service itself" : "this organization";
  return new ApiError(
    "RESOURCE_EXHAUSTED",
    "RATE_LIMITED",
    isFull
      ? `too many requests of ${whose} wait for the signer; wait for the answers of some and send the rest again`
      : "too many requests wait for the signer; send the same bytes again in a moment",
  );
}

function createRoom(limits: Limits): Room {
  const total = { calls: 0, bytes: 0 };
  return { limits, total, ofOrganizations: new Map(), ofFamilies: new Map() };
}

function roomOf({ rooms }: State, { request }: Call): Room {
  if (request.call !== "confirm") return rooms.requests;
  // A hostile host may send anything.
  const { ticket } = request as { ticket?: unknown };
  const isTicket = typeof ticket === "string" && ticket.length <= MAX_TICKET_LENGTH;
  return isTicket ? rooms.tickets : rooms.documents;
}

/** Takes the place of a call, or gives it back with the answer. */
function hold(state: State, call: Call, sign: 1 | -1) {
  const { organizationId, familyId, bytes } = call;
  const { total, ofOrganizations, ofFamilies } = roomOf(state, call);
  const change = (held: Held) => {
    held.calls += sign;
    held.bytes += sign * bytes;
  };
  const changeOf = (all: Map<string, Held>, owner: string) => {
    const held = all.get(owner) ?? { calls: 0, bytes: 0 };
    change(held);
    if (held.calls === 0) all.delete(owner);
    else all.set(owner, held);
  };
  change(total);
  changeOf(ofOrganizations, organizationId);
  changeOf(ofFamilies, familyId);
}

function enqueue(state: State, call: Call, isFirst = call.request.call === "confirm") {
  let queue = state.queues.get(call.organizationId);
  if (!queue) {
    queue = { organizationId: call.organizationId, calls: [] };
    state.queues.set(call.organizationId, queue);
  }
  // A confirmation goes first: until then, other requests find a document that is not confirmed.
  if (isFirst) queue.calls.unshift(call);
  else queue.calls.push(call);
  state.depth += 1;
}

function dequeue(state: State, queue: Queue): Call {
  const call = queue.calls.shift();
  if (!call) throw new Error("an organization waits without a call");
  state.depth -= 1;
  if (queue.calls.length === 0) state.queues.delete(queue.organizationId);
  return call;
}

/** Undefined if only organizations wait that must rest. */
function nextQueue(state: State, at: number): Queue | undefined {
  const isResting = at < state.restUntil;
  let next: Queue | undefined;
  let [leastOfFamily, least] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const queue of state.queues.values()) {
    const { organizationId, calls } = queue;
    const [first] = calls;
    const cost = state.costs.of(organizationId);
    const family = state.familyCosts.of(first?.familyId ?? "");
    const mayRest = first?.request.call !== "confirm";
    if (mayRest && state.paused.has(organizationId)) continue;
    if (isResting && mayRest && mustRest(state, queue, at)) continue;
    const [ofFamily, own] = [family?.sum ?? 0, cost?.sum ?? 0];
    if (ofFamily > leastOfFamily || (ofFamily === leastOfFamily && own >= least)) continue;
    leastOfFamily = ofFamily;
    least = own;
    next = queue;
  }
  return next;
}

/** In a heavy family, what an organization asks for is likely to be heavy, unless its last call was not. */
function mustRest(state: State, { organizationId, calls }: Queue, at: number): boolean {
  const { costs, familyCosts, resting } = state;
  const familyId = calls[0]?.familyId ?? "";
  const isHeavy = (id: string, known: RecentCosts, until: Map<string, number>) =>
    (known.of(id)?.heaviest ?? 0) >= HEAVY_MS || at < (until.get(id) ?? 0);
  if (isHeavy(organizationId, costs, resting.organizations)) return true;
  const isLight = (costs.of(organizationId)?.last ?? HEAVY_MS) < HEAVY_MS;
  return !isLight && isHeavy(familyId, familyCosts, resting.families);
}

/** What was charged before counts less after the time that the call took, and its own cost counts whole. */
function charge(state: State, call: Call, tookMs: number, endedAt: number): Readonly<Cost> {
  state.chargedMs += tookMs;
  state.costs.decay(endedAt);
  state.familyCosts.decay(endedAt);
  state.familyCosts.charge(call.familyId, tookMs);
  return state.costs.charge(call.organizationId, tookMs);
}

/**
 * The rest is a multiple of how long the others had to wait. Where the processor is shared, that is much longer than
 * the call's own work, whose cost may count next to nothing before the rest has passed: so who rests is kept.
 */
function restAfter(
  state: State,
  { organizationId, familyId }: Call,
  tookMs: number,
  { from, to }: { from: number; to: number },
) {
  if (tookMs < HEAVY_MS) return;
  if (from - state.lightServedAt >= OTHERS_ABOUT_MS) return;
  const until = to + Math.min(REST * (to - from), MAX_REST_MS);
  state.restUntil = Math.max(state.restUntil, until);
  const { organizations, families } = state.resting;
  for (const [kept, id] of [
    [organizations, organizationId],
    [families, familyId],
  ] as const) {
    for (const [other, ends] of kept) if (ends <= to) kept.delete(other);
    kept.set(id, Math.max(until, kept.get(id) ?? 0));
  }
}
