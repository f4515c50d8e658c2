import type { Answer, Envelope, Request } from "@keyhearth/engine/door/protocol";
import { ApiError, toErrorMessage } from "@keyhearth/engine/errors";

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
  request: Request;
  bytes: number;
  caller: Caller;
  /** The rest of the work, if a part of it was done before. */
  resume?: Rest;
};

export type Caller = {
  /** The call is handled next. If the process dies before its answer, this call did it. */
  begin(call: Call): void;
  answer(answer: Envelope<Answer>): void;
  /** No further answer comes soon. */
  flush(): void;
};

/**
 * Organizations take turns by cost: the one whose calls took the least time lately is served next.
 * The work is done in slices, so that new calls are seen in between.
 */
export type Turns = {
  add(call: Call): void;
  /** How many calls wait. */
  depth(): number;
  stop(): void;
};

/**
 * How many calls of an organization may wait for others at once. Its other calls are served meanwhile,
 * until there are so many.
 */
const MOST_WAITING = 32;

export type Limits = { calls: number; bytes: number; totalCalls: number; totalBytes: number };

const MB = 1024 * 1024;
const LIMITS: Limits = { calls: 512, bytes: 64 * MB, totalCalls: 8192, totalBytes: 256 * MB };

const SLICE_MS = 4;

/** The time that an organization took counts half after each second. */
const HALF_LIFE_MS = 1000;
const DECAY_EVERY_MS = 100;

/** A call that takes this long is noticed by those who wait for it. */
const HEAVY_MS = 25;

/**
 * A call cannot be interrupted, so choosing the next one well is not enough: after a heavy call, the
 * organizations with heavy calls rest for a multiple of its time, as long as others are about. Most
 * calls of the others then arrive when nothing heavy is under way.
 */
const REST = 4;
const MOST_REST_MS = 20_000;
const OTHERS_ABOUT_MS = 1000;

type Usage = { costMs: number; heaviestMs: number };
type Queue = { organizationId: string; calls: Call[]; bytes: number };

type State = {
  queues: Map<string, Queue>;
  usages: Map<string, Usage>;
  /** Organizations with work under way that is not done in turns. */
  paused: Set<string>;
  /** Calls that wait for others, of each organization. */
  waiting: Map<string, number>;
  waitingCalls: number;
  waitingBytes: number;
  depth: number;
  bytes: number;
  /** All the time that was charged to anybody. */
  chargedMs: number;
  decayedAt: number;
  /** Until then, organizations with heavy calls rest. */
  restUntil: number;
  lightServedAt: number;
};

export function createTurns({
  handle,
  limits = LIMITS,
  now = () => performance.now(),
  spent = threadMs,
}: {
  handle: (request: Request) => Handled;
  limits?: Limits;
  now?: () => number;
  /** The time that this thread has worked. It stands still while others have the processor. */
  spent?: () => number;
}): Turns {
  const state: State = {
    queues: new Map(),
    usages: new Map(),
    paused: new Set(),
    waiting: new Map(),
    waitingCalls: 0,
    waitingBytes: 0,
    depth: 0,
    bytes: 0,
    chargedMs: 0,
    decayedAt: now(),
    restUntil: 0,
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

  function wait(call: Call, { work }: Waiting) {
    addWaiting(state, call, 1);
    const goOn = (resume: Rest) => {
      if (isStopped) return;
      addWaiting(state, call, -1);
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
      charge(state, organizationId, tookMs);
      const at = now();
      restAfter(state, tookMs, { from: at - tookMs, to: at });
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
      const refusal = refuse(state, call, limits);
      if (refusal) {
        call.caller.answer({
          id: call.id,
          message: { kind: "error", error: toErrorMessage(refusal) },
        });
        return call.caller.flush();
      }
      enqueue(state, call);
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

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
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
  decay(state, at);
  let restMs = 0;
  while (state.depth > 0 && at < endAt) {
    const queue = nextQueue(state, at);
    if (!queue) {
      restMs = Math.max(1, Math.ceil(state.restUntil - at));
      break;
    }
    const call = dequeue(state, queue);
    const { caller, id, organizationId, request } = call;
    caller.begin(call);
    const answer = call.resume ? call.resume() : handle(request);
    const endedAt = now();
    const after = spent();
    const usage = charge(state, organizationId, after - before);
    if (organizationId !== "" && usage.heaviestMs < HEAVY_MS) state.lightServedAt = endedAt;
    restAfter(state, after - before, { from: at, to: endedAt });
    if (answer instanceof Promise) {
      pause(call, answer);
    } else if (answer.kind === "waiting") {
      wait(call, answer);
    } else {
      caller.answer({ id, message: answer });
      callers.add(caller);
    }
    at = endedAt;
    before = after;
  }
  for (const caller of callers) caller.flush();
  return restMs;
}

/** A confirmation ends work that is already committed, so it is never refused. */
function refuse(state: State, { organizationId, request, bytes }: Call, limits: Limits) {
  if (request.call !== "submit") return null;
  const queue = state.queues.get(organizationId);
  const isFull =
    queue && (queue.calls.length >= limits.calls || queue.bytes + bytes > limits.bytes);
  // An organization with nothing waiting gets a place even if the others have filled the signer.
  const calls = state.depth + state.waitingCalls;
  const held = state.bytes + state.waitingBytes + bytes;
  const isCrowded = calls >= limits.totalCalls || held > limits.totalBytes;
  const isOverfull = calls >= 2 * limits.totalCalls || held > 2 * limits.totalBytes;
  if (!isFull && !(queue && isCrowded) && !isOverfull) return null;
  return new ApiError(
    "RESOURCE_EXHAUSTED",
    "RATE_LIMITED",
    isFull
      ? "too many requests of this organization wait for the signer; wait for the answers of some and send the rest again"
      : "too many requests wait for the signer; send the same bytes again in a moment",
  );
}

function enqueue(state: State, call: Call, isFirst = call.request.call === "confirm") {
  let queue = state.queues.get(call.organizationId);
  if (!queue) {
    queue = { organizationId: call.organizationId, calls: [], bytes: 0 };
    state.queues.set(call.organizationId, queue);
  }
  // A confirmation goes first: until then, other requests find a document that is not confirmed.
  if (isFirst) queue.calls.unshift(call);
  else queue.calls.push(call);
  queue.bytes += call.bytes;
  state.bytes += call.bytes;
  state.depth += 1;
}

function dequeue(state: State, queue: Queue): Call {
  const call = queue.calls.shift();
  if (!call) throw new Error("an organization waits without a call");
  queue.bytes -= call.bytes;
  state.bytes -= call.bytes;
  state.depth -= 1;
  if (queue.calls.length === 0) state.queues.delete(queue.organizationId);
  return call;
}

/** Undefined if only organizations wait that must rest. */
function nextQueue(state: State, at: number): Queue | undefined {
  const isResting = at < state.restUntil;
  let next: Queue | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const queue of state.queues.values()) {
    const usage = state.usages.get(queue.organizationId);
    const mayRest = queue.calls[0]?.request.call !== "confirm";
    if (mayRest && mustWait(state, queue)) continue;
    if (isResting && mayRest && usage && usage.heaviestMs >= HEAVY_MS) continue;
    const costMs = usage?.costMs ?? 0;
    if (costMs >= least) continue;
    least = costMs;
    next = queue;
  }
  return next;
}

function mustWait({ paused, waiting }: State, { organizationId, calls: [next] }: Queue): boolean {
  if (paused.has(organizationId)) return true;
  return !next?.resume && (waiting.get(organizationId) ?? 0) >= MOST_WAITING;
}

function addWaiting(state: State, { organizationId, bytes }: Call, sign: 1 | -1) {
  const count = (state.waiting.get(organizationId) ?? 0) + sign;
  if (count === 0) state.waiting.delete(organizationId);
  else state.waiting.set(organizationId, count);
  state.waitingCalls += sign;
  state.waitingBytes += sign * bytes;
}

function charge(state: State, organizationId: string, tookMs: number): Usage {
  let usage = state.usages.get(organizationId);
  if (!usage) {
    usage = { costMs: 0, heaviestMs: 0 };
    state.usages.set(organizationId, usage);
  }
  state.chargedMs += tookMs;
  usage.costMs += tookMs;
  usage.heaviestMs = Math.max(usage.heaviestMs, tookMs);
  return usage;
}

/** The rest is a multiple of how long the others had to wait, on a busy machine too. */
function restAfter(state: State, tookMs: number, { from, to }: { from: number; to: number }) {
  if (tookMs < HEAVY_MS) return;
  if (from - state.lightServedAt >= OTHERS_ABOUT_MS) return;
  state.restUntil = to + Math.min(REST * (to - from), MOST_REST_MS);
}

function decay(state: State, at: number) {
  const elapsedMs = at - state.decayedAt;
  if (elapsedMs < DECAY_EVERY_MS) return;
  state.decayedAt = at;
  const share = 0.5 ** (elapsedMs / HALF_LIFE_MS);
  for (const [organizationId, usage] of state.usages) {
    usage.costMs *= share;
    usage.heaviestMs *= share;
    if (usage.costMs < 0.05) state.usages.delete(organizationId);
  }
}
