import {
  type Answer,
  decodeFrame,
  encodeFrame,
  type Request,
  type SignerTimes,
} from "@keyhearth/engine/core/protocol";
import type { ApiError } from "@keyhearth/engine/errors";
import { createCrashRefusals } from "@keyhearth/engine/memory/crash-refusals";
import { currentSpan, type Span } from "../observability/spans.ts";
import { refusedForNow, type SignerClient, unavailable } from "./client.ts";
import { assertFits, type Size, takeBatch } from "./frames.ts";

/** Batches calls into frames and finds the caller of each answer. */
export type Calls = Pick<SignerClient, "call" | "depth"> & {
  receive(frame: Uint8Array): void;
  /** The signer can be reached: what waits is sent. */
  open(): void;
  /**
   * The signer is gone, and nothing that it proposed was committed. The calls of the organization
   * that killed it fail. Others wait for the next signer if they can be repeated.
   */
  lose(message: string, killer: string | null): void;
  /** The signer could not read this frame of those that were sent since it could be reached, counted from one. */
  refuse(number: number): void;
  /** Whether the signer has calls that it did not answer. */
  isBusy(): boolean;
  /** The organization of a call without an answer, by the lower 32 bits of the call's id. */
  organizationOf(callBits: number): string | null;
  /** The organization whose call the signer has been handling for suspiciously long. */
  suspect(): string | null;
  stop(): void;
};

type Send = (frame: Uint8Array<ArrayBuffer>) => void;

type Call = {
  id: number;
  message: Request;
  size: Size;
  organizationId: string;
  familyId: string | undefined;
  resolve: (answer: Answer) => void;
  reject: (error: ApiError) => void;
  startedAt: number;
  frame: Frame | null;
  /** A signer has already died while it had this call. */
  isRepeated: boolean;
  /** To which the signer's own times belong, if the call is traced. */
  span: Span | undefined;
};

type Frame = {
  number: number;
  /** How many of its calls have no answer yet. */
  open: number;
  sentAt: number;
};

type State = {
  send: Send;
  maxSent: number;
  /** How long calls wait for the next signer. */
  holdMs: number;
  isOpen: boolean;
  waiting: Map<number, Call>;
  /** Calls that are not sent yet. */
  queue: Call[];
  /** Each call that was sent and not answered, even if the call has timed out. */
  sent: Map<number, Call>;
  lastId: number;
  lastFrame: number;
  framesUnderWay: Set<Frame>;
  isScheduled: boolean;
  patience: NodeJS.Timeout | undefined;
  hold: NodeJS.Timeout | undefined;
  /** The call that the signer has begun, by its last announcement. Until its answer is there, it may work for its sender. */
  begun: number | null;
  /** The same of each worker of the signer, which announces only calls that take long, and when that was. */
  begunByWorkers: Map<number, { id: number; at: number }>;
  heardAt: number;
};

/** Frames that may be under way at once; calls made meanwhile share the next one. */
const MAX_FRAMES_UNDER_WAY = 2;

/**
 * After this a frame no longer counts as under way: a call that takes long must not keep others from
 * the signer, where the organizations take turns.
 */
const PATIENCE_MS = 3;

/** A signer that hangs gets no more calls than this. */
const MAX_SENT = 4096;

const CALL_TIMEOUT_MS = 30_000;

const HOLD_MS = 3000;

/** A process can be killed at any call. Only a call that the signer was at for longer is blamed. */
const SUSPICIOUS_MS = 20;

export function createCalls(send: Send, { maxSent = MAX_SENT, holdMs = HOLD_MS } = {}): Calls {
  const refusals = createCrashRefusals();
  const state: State = {
    send,
    maxSent,
    holdMs,
    isOpen: false,
    waiting: new Map(),
    queue: [],
    sent: new Map(),
    lastId: 0,
    lastFrame: 0,
    framesUnderWay: new Set(),
    isScheduled: false,
    patience: undefined,
    hold: undefined,
    begun: null,
    begunByWorkers: new Map(),
    heardAt: 0,
  };
  const watch = setInterval(() => failLate(state), 1000);
  watch.unref();
  return {
    async call(message, organizationId = "", familyId) {
      const refusedForMs = refusals.refusedForMs(organizationId, performance.now());
      // What is committed is always confirmed.
      if (refusedForMs > 0 && message.call !== "confirm") throw refusedForNow(refusedForMs);
      const size = assertFits(message);
      return enqueue(state, { message, size, organizationId, familyId });
    },
    receive: (frame) => deliver(state, frame),
    open() {
      clearTimeout(state.hold);
      state.isOpen = true;
      state.lastFrame = 0;
      flush(state);
    },
    lose(message, killer) {
      if (killer) refusals.add(killer, performance.now());
      lose(state, message, killer);
    },
    refuse: (number) => refuse(state, number),
    depth: () => state.waiting.size,
    isBusy: () => state.sent.size > 0,
    organizationOf(callBits) {
      for (const { id, organizationId } of state.sent.values()) {
        if ((id | 0) === callBits) return organizationId;
      }
      return null;
    },
    suspect: () => suspect(state),
    stop() {
      clearInterval(watch);
      clearTimeout(state.patience);
      clearTimeout(state.hold);
    },
  };
}

function enqueue(
  state: State,
  asked: Pick<Call, "message" | "size" | "organizationId" | "familyId">,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    state.lastId += 1;
    const id = state.lastId;
    const startedAt = performance.now();
    const call = { id, ...asked, resolve, reject, startedAt };
    const waiting = { ...call, frame: null, isRepeated: false, span: currentSpan() };
    state.waiting.set(id, waiting);
    state.queue.push(waiting);
    if (state.isScheduled) return;
    state.isScheduled = true;
    setImmediate(() => flush(state));
  });
}

function flush(state: State) {
  const { sent, queue, framesUnderWay } = state;
  state.isScheduled = false;
  if (!state.isOpen || queue.length === 0 || sent.size >= state.maxSent) return;
  if (framesUnderWay.size >= MAX_FRAMES_UNDER_WAY) return flushLater(state);
  const batch = takeBatch(queue);
  state.lastFrame += 1;
  const frame = { number: state.lastFrame, open: batch.length, sentAt: performance.now() };
  for (const call of batch) {
    call.frame = frame;
    sent.set(call.id, call);
  }
  framesUnderWay.add(frame);
  state.send(
    encodeFrame(
      batch.map(({ id, organizationId, familyId, message }) => ({
        id,
        organizationId,
        familyId,
        message,
      })),
    ),
  );
  if (queue.length > 0) flush(state);
}

/** Waits for an answer, but not for long. */
function flushLater(state: State) {
  state.patience ??= setTimeout(() => {
    state.patience = undefined;
    const before = performance.now() - PATIENCE_MS / 2;
    for (const frame of state.framesUnderWay) {
      if (frame.sentAt <= before) state.framesUnderWay.delete(frame);
    }
    flush(state);
  }, PATIENCE_MS);
}

function deliver(state: State, bytes: Uint8Array) {
  state.heardAt = performance.now();
  for (const { id, message, tookMs } of decodeFrame<Answer>(bytes)) {
    if (message.kind === "begun") {
      noteBegun(state, id, message.worker);
      continue;
    }
    const call = state.sent.get(id);
    if (!call) continue;
    state.sent.delete(id);
    leaveFrame(state, call);
    if (call.span) noteTimes(call.span, call, tookMs);
    if (state.waiting.delete(id)) call.resolve(message);
  }
  flush(state);
}

/** A signer has at most eight workers. */
const WORKERS: readonly unknown[] = [1, 2, 3, 4, 5, 6, 7, 8];

function noteBegun(state: State, id: number, worker: unknown) {
  if (worker === undefined) state.begun = id;
  else if (WORKERS.includes(worker)) {
    state.begunByWorkers.set(Number(worker), { id, at: state.heardAt });
  }
}

const MAX_TOOK_MS = 24 * 60 * 60 * 1000;

/** Anything but two numbers is left out: an answer counts without them. */
function noteTimes(span: Span, { message }: Call, tookMs: SignerTimes | undefined) {
  span.set({ "keyhearth.signer.call": message.call });
  if (!Array.isArray(tookMs) || tookMs.length !== 2 || !tookMs.every(isTime)) return;
  const [queueMs, workMs] = tookMs;
  span.set({ "keyhearth.signer.queue_ms": queueMs, "keyhearth.signer.work_ms": workMs });
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= MAX_TOOK_MS;
}

function leaveFrame({ framesUnderWay }: State, { frame }: Call) {
  if (!frame) return;
  frame.open -= 1;
  if (frame.open === 0) framesUnderWay.delete(frame);
}

/**
 * A signer that hangs must not hold requests forever. It still has their calls: otherwise it would
 * get more work every time a call gives up.
 */
function failLate(state: State) {
  const { waiting } = state;
  const before = performance.now() - CALL_TIMEOUT_MS;
  for (const [id, { startedAt, reject }] of waiting) {
    if (startedAt > before) break;
    waiting.delete(id);
    reject(unavailable("the signer did not answer in time"));
  }
  state.queue = state.queue.filter(({ id }) => waiting.has(id));
}

/** Of calls that workers have at the same time, the one that was begun first: others come and go beside what kills. */
function suspect({ sent, begun, begunByWorkers, heardAt }: State): string | null {
  const now = performance.now();
  const [oldest] = [...begunByWorkers.values()]
    .filter(({ id, at }) => sent.has(id) && now - at >= SUSPICIOUS_MS)
    .sort((a, b) => a.at - b.at);
  const isOwn = begun !== null && sent.has(begun) && now - heardAt >= SUSPICIOUS_MS;
  const id = isOwn ? begun : oldest?.id;
  return (id !== undefined && sent.get(id)?.organizationId) || null;
}

function lose(state: State, message: string, killer: string | null) {
  const { sent, waiting } = state;
  const inFlight = [...sent.values()].filter(({ id }) => waiting.has(id));
  state.isOpen = false;
  state.begun = null;
  state.begunByWorkers.clear();
  sent.clear();
  state.framesUnderWay.clear();
  const again = inFlight.filter((call) => call.organizationId !== killer && isRepeatable(call));
  for (const call of again) call.isRepeated = true;
  state.queue = [...again, ...state.queue];
  const kept = new Set(again);
  for (const call of inFlight) if (!kept.has(call)) reject(state, call, message);
  clearTimeout(state.hold);
  state.hold = setTimeout(() => {
    for (const call of state.queue.splice(0)) reject(state, call, message);
  }, state.holdMs);
  state.hold.unref();
}

function refuse(state: State, number: number) {
  for (const call of state.sent.values()) {
    if (call.frame?.number !== number) continue;
    state.sent.delete(call.id);
    leaveFrame(state, call);
    reject(state, call, "the signer refused a malformed frame");
  }
  flush(state);
}

/** The same bytes lead to the same proposal, and the signer does not remember the first one. */
function isRepeatable({ message, isRepeated }: Call): boolean {
  if (isRepeated) return false;
  if (message.call === "submit") return message.endpoint !== "create_organization";
  return message.call === "describe";
}

function reject({ waiting }: State, call: Call, message: string) {
  if (waiting.delete(call.id)) call.reject(unavailable(message));
}
