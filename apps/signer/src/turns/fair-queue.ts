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
export type Handled = Answer | Promise<Rest> | Waiting | Elsewhere;

export type Rest = () => Handled;

/** Waits for others, such as an issuer of tokens, and not for work of the signer. */
export type Waiting = {
  kind: "waiting";
  work: Promise<Rest>;
  /** All that is left is to let the answer go. */
  isDone?: true;
};

/** Another thread does the work, and says how long it took, or that it did none. Never rejects. */
export type Elsewhere = {
  kind: "elsewhere";
  work: Promise<{ handled: Exclude<Handled, Elsewhere>; tookMs: number | null }>;
};

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

/** In whose turn a call is handled. Hints of the host: which worker has it and what it is shown, and nothing else. */
export type Hints = Pick<Call, "organizationId" | "familyId">;

export type Caller = {
  /**
   * The call is handled next. If the process dies before its answer, this call did it. A call of another thread is begun
   * once it takes long.
   */
  begin(call: Call, worker?: number): void;
  /** The call that was begun waits for others. If the process dies meanwhile, it did nothing to it. */
  rest(worker?: number): void;
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

export const SLICE_MS = 4;

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

/**
 * What another thread has at once: about as much as one slice, by what the last calls of the same organizations took. It
 * keeps that thread busy, and each message costs as much as half a signature. What it does not begin within a slice comes back.
 */
const MOST_ELSEWHERE = 16;
const UNKNOWN_MS = 1;

/** A call that another thread works on for longer is announced. The host blames only calls that take longer still. */
const LONG_MS = 10;

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
  costs: RecentCosts;
  /** Of all calls of a family together. */
  familyCosts: RecentCosts;
  rooms: Record<Places, Room>;
  /** All the time of this thread that was charged to anybody. */
  chargedMs: number;
  lanes: Lane[];
};

/** The calls of one thread. What they cost, and what waits, counts for all lanes together. */
type Lane = {
  /** This thread, or one of the workers, which are counted from one. */
  worker: number;
  queues: Map<string, Queue>;
  depth: number;
  /** Organizations with work under way that is not done in turns. */
  paused: Set<string>;
  /** Until then, organizations with heavy calls rest. */
  restUntil: number;
  /** Those whose heavy calls ended with a rest, and until when, also once their costs are forgotten. */
  resting: { organizations: Map<string, number>; families: Map<string, number> };
  lightServedAt: number;
  elsewhere: Set<Away>;
  endedAt: number;
  immediate: NodeJS.Immediate | undefined;
  timer: NodeJS.Timeout | undefined;
  watch: NodeJS.Timeout | undefined;
};

/** A call that a worker has. */
type Away = { call: Call; sentAt: number; isAnnounced: boolean };

export type FairQueueOptions = {
  handle: (request: Request, call: Hints) => Handled;
  /** How many other threads there are, and which of them a call is for: counted from one, or 0 for this thread. */
  workers?: number;
  workerFor?: (request: Request, organizationId: string) => number;
  limits?: Partial<Record<Places, Limits>>;
  now?: () => number;
  /** The time that this thread has worked. It stands still while others have the processor. */
  spent?: () => number;
};

export function createFairQueue({
  handle,
  workers = 0,
  workerFor = () => 0,
  limits = {},
  now = () => performance.now(),
  spent = threadMs,
}: FairQueueOptions): FairQueue {
  const lanes = Array.from({ length: 1 + workers }, (_, worker) => createLane(worker));
  const state: State = {
    costs: createRecentCosts(now()),
    familyCosts: createRecentCosts(now()),
    rooms: {
      requests: createRoom(limits.requests ?? LIMITS.requests),
      documents: createRoom(limits.documents ?? LIMITS.documents),
      tickets: createRoom(limits.tickets ?? LIMITS.tickets),
    },
    chargedMs: 0,
    lanes,
  };
  let isStopped = false;
  const answered = new Set<Caller>();

  function runSoon(lane: Lane) {
    clearTimeout(lane.timer);
    lane.timer = undefined;
    lane.immediate ??= setImmediate(() => run(lane));
  }

  /** Its organization is served meanwhile: anybody can send calls that wait, with a token that nobody signed. */
  function wait(lane: Lane, call: Call, { work, isDone }: Waiting) {
    if (lane.worker === 0) call.caller.rest();
    const goOn = (resume: Rest) => {
      if (isStopped) return;
      // It needs nothing of the worker.
      if (isDone && lane.worker > 0) return settle(lane, { ...call, resume }, resume());
      enqueue(lane, { ...call, resume }, true);
      runSoon(lane);
    };
    work.then(goOn, (error: unknown) => {
      goOn(() => ({ kind: "error", error: toErrorMessage(error) }));
    });
  }

  function pause(lane: Lane, call: Call, work: Promise<Rest>) {
    const { organizationId } = call;
    const before = spent() - state.chargedMs;
    lane.paused.add(organizationId);
    const goOn = (resume: Rest) => {
      if (isStopped) return;
      lane.paused.delete(organizationId);
      // A worker counts its own time.
      if (lane.worker === 0) {
        // What this thread did meanwhile, and not for another call.
        const tookMs = spent() - state.chargedMs - before;
        const at = now();
        state.chargedMs += tookMs;
        charge(state, call, tookMs, at);
        restAfter(lane, call, tookMs, { from: at - tookMs, to: at });
      }
      enqueue(lane, { ...call, resume }, true);
      runSoon(lane);
    };
    work.then(goOn, (error: unknown) => {
      goOn(() => ({ kind: "error", error: toErrorMessage(error) }));
    });
  }

  /** Looks now and then, because a timer for each call would cost much of what a worker saves. */
  function announceLong(lane: Lane) {
    lane.watch ??= setTimeout(() => {
      lane.watch = undefined;
      // The worker has not begun those behind it. If the process dies, none of them did it.
      const [away] = lane.elsewhere;
      const workedMs = away ? now() - Math.max(away.sentAt, lane.endedAt) : 0;
      if (away && !away.isAnnounced && workedMs >= LONG_MS / 2) {
        away.isAnnounced = true;
        away.call.caller.begin(away.call, lane.worker);
      }
      if (lane.elsewhere.size > 0) announceLong(lane);
    }, LONG_MS).unref();
  }

  /** The worker does the work, and this thread goes on. */
  function leave(lane: Lane, call: Call, { work }: Elsewhere) {
    const sentAt = now();
    const away: Away = { call, sentAt, isAnnounced: false };
    lane.elsewhere.add(away);
    announceLong(lane);
    void work.then(({ handled, tookMs }) => {
      if (isStopped) return;
      lane.elsewhere.delete(away);
      const span = { from: Math.max(sentAt, lane.endedAt), to: now() };
      lane.endedAt = span.to;
      if (tookMs !== null) end(state, lane, call, tookMs, span);
      if (away.isAnnounced) call.caller.rest(lane.worker);
      settle(lane, call, handled);
      if (lane.depth > 0) runSoon(lane);
    });
  }

  function settle(lane: Lane, call: Call, handled: Handled) {
    if (handled instanceof Promise) return pause(lane, call, handled);
    if (handled.kind === "waiting") return wait(lane, call, handled);
    if (handled.kind === "elsewhere") return leave(lane, call, handled);
    const { caller, id } = call;
    hold(state, call, -1);
    caller.answer({ id, tookMs: timesOf(call, now()), message: handled });
    if (answered.size === 0 && lane.worker > 0) setImmediate(flushAnswered);
    answered.add(caller);
  }

  /** What comes of one slice, or from workers at about the same time, leaves together. */
  function flushAnswered() {
    const callers = [...answered];
    answered.clear();
    for (const caller of callers) caller.flush();
  }

  function run(lane: Lane) {
    lane.immediate = undefined;
    const restMs = serveSlice(state, lane, { handle, settle, now, spent });
    if (lane.worker === 0) flushAnswered();
    if (lane.depth === 0 || !mayServe(state, lane)) return;
    if (restMs > 0) lane.timer = setTimeout(() => runSoon(lane), restMs);
    else runSoon(lane);
  }

  return {
    add(call) {
      const refusal = refuse(state, call);
      if (refusal) {
        const message: Answer = { kind: "error", error: toErrorMessage(refusal) };
        return call.caller.answer({ id: call.id, message });
      }
      hold(state, call, 1);
      const lane = lanes[workerFor(call.request, call.organizationId)] ?? lanes[0];
      if (!lane) throw new Error("a queue without a lane");
      enqueue(lane, { ...call, at: now() });
      runSoon(lane);
    },
    depth: () => lanes.reduce((sum, { depth }) => sum + depth, 0),
    stop() {
      isStopped = true;
      for (const { immediate, timer, watch } of lanes) {
        clearImmediate(immediate);
        clearTimeout(timer);
        clearTimeout(watch);
      }
    },
  };
}

function createLane(worker: number): Lane {
  return {
    worker,
    queues: new Map(),
    depth: 0,
    paused: new Set(),
    restUntil: 0,
    resting: { organizations: new Map(), families: new Map() },
    lightServedAt: Number.NEGATIVE_INFINITY,
    elsewhere: new Set(),
    endedAt: Number.NEGATIVE_INFINITY,
    immediate: undefined,
    timer: undefined,
    watch: undefined,
  };
}

/** Serves calls for a few milliseconds. Returns how long to wait if all that is left must rest. */
function serveSlice(
  state: State,
  lane: Lane,
  {
    handle,
    settle,
    now,
    spent,
  }: {
    handle: (request: Request, call: Call) => Handled;
    settle: (lane: Lane, call: Call, handled: Handled) => void;
    now: () => number;
    spent: () => number;
  },
): number {
  let at = now();
  const endAt = at + SLICE_MS;
  let before = spent();
  state.costs.decay(at);
  state.familyCosts.decay(at);
  let restMs = 0;
  while (lane.depth > 0 && at < endAt && mayServe(state, lane)) {
    const queue = nextQueue(state, lane, at);
    if (!queue) {
      restMs = Math.max(1, Math.ceil(lane.restUntil - at));
      break;
    }
    const call = dequeue(lane, queue);
    call.begunAt ??= at;
    if (lane.worker === 0) call.caller.begin(call);
    const handled = call.resume ? call.resume() : handle(call.request, call);
    const endedAt = now();
    const after = spent();
    // The time of a worker is charged when it is known.
    if (handled instanceof Promise || handled.kind !== "elsewhere") {
      state.chargedMs += after - before;
      end(state, lane, call, after - before, { from: at, to: endedAt });
    }
    settle(lane, call, handled);
    at = endedAt;
    before = after;
  }
  return restMs;
}

/** Whether the thread of this lane takes another call. */
function mayServe({ costs }: State, { elsewhere }: Lane): boolean {
  if (elsewhere.size === 0) return true;
  if (elsewhere.size >= MOST_ELSEWHERE) return false;
  let expectedMs = 0;
  for (const { call } of elsewhere) expectedMs += costs.of(call.organizationId)?.last ?? UNKNOWN_MS;
  return expectedMs < SLICE_MS;
}

/** A call, or a part of it, took so long. */
function end(
  state: State,
  lane: Lane,
  call: Call,
  tookMs: number,
  span: { from: number; to: number },
) {
  const cost = charge(state, call, tookMs, span.to);
  if (call.organizationId !== "" && cost.heaviest < HEAVY_MS) lane.lightServedAt = span.to;
  restAfter(lane, call, tookMs, span);
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

function enqueue(lane: Lane, call: Call, isFirst = call.request.call === "confirm") {
  let queue = lane.queues.get(call.organizationId);
  if (!queue) {
    queue = { organizationId: call.organizationId, calls: [] };
    lane.queues.set(call.organizationId, queue);
  }
  // A confirmation goes first: until then, other requests find a document that is not confirmed.
  if (isFirst) queue.calls.unshift(call);
  else queue.calls.push(call);
  lane.depth += 1;
}

function dequeue(lane: Lane, queue: Queue): Call {
  const call = queue.calls.shift();
  if (!call) throw new Error("an organization waits without a call");
  lane.depth -= 1;
  if (queue.calls.length === 0) lane.queues.delete(queue.organizationId);
  return call;
}

/** Undefined if only organizations wait that must rest. */
function nextQueue(state: State, lane: Lane, at: number): Queue | undefined {
  const isResting = at < lane.restUntil;
  let next: Queue | undefined;
  let [leastOfFamily, least] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const queue of lane.queues.values()) {
    const { organizationId, calls } = queue;
    const [first] = calls;
    const cost = state.costs.of(organizationId);
    const family = state.familyCosts.of(first?.familyId ?? "");
    const mayRest = first?.request.call !== "confirm";
    if (mayRest && lane.paused.has(organizationId)) continue;
    if (isResting && mayRest && mustRest(state, lane, queue, at)) continue;
    const [ofFamily, own] = [family?.sum ?? 0, cost?.sum ?? 0];
    if (ofFamily > leastOfFamily || (ofFamily === leastOfFamily && own >= least)) continue;
    leastOfFamily = ofFamily;
    least = own;
    next = queue;
  }
  return next;
}

/** In a heavy family, what an organization asks for is likely to be heavy, unless its last call was not. */
function mustRest(
  { costs, familyCosts }: State,
  { resting }: Lane,
  { organizationId, calls }: Queue,
  at: number,
): boolean {
  const familyId = calls[0]?.familyId ?? "";
  const isHeavy = (id: string, known: RecentCosts, until: Map<string, number>) =>
    (known.of(id)?.heaviest ?? 0) >= HEAVY_MS || at < (until.get(id) ?? 0);
  if (isHeavy(organizationId, costs, resting.organizations)) return true;
  const isLight = (costs.of(organizationId)?.last ?? HEAVY_MS) < HEAVY_MS;
  return !isLight && isHeavy(familyId, familyCosts, resting.families);
}

/** What was charged before counts less after the time that the call took, and its own cost counts whole. */
function charge(state: State, call: Call, tookMs: number, endedAt: number): Readonly<Cost> {
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
  lane: Lane,
  { organizationId, familyId }: Call,
  tookMs: number,
  { from, to }: { from: number; to: number },
) {
  if (tookMs < HEAVY_MS) return;
  if (from - lane.lightServedAt >= OTHERS_ABOUT_MS) return;
  const until = to + Math.min(REST * (to - from), MAX_REST_MS);
  lane.restUntil = Math.max(lane.restUntil, until);
  const { organizations, families } = lane.resting;
  for (const [kept, id] of [
    [organizations, organizationId],
    [families, familyId],
  ] as const) {
    for (const [other, ends] of kept) if (ends <= to) kept.delete(other);
    kept.set(id, Math.max(until, kept.get(id) ?? 0));
  }
}
