import {
  type Answer,
  decodeFrame,
  type Envelope,
  encodeFrame,
  type Request,
} from "@keyhearth/engine/door/protocol";
import type { ApiError } from "@keyhearth/engine/errors";
import { type SignerClient, unavailable } from "./client.ts";

/** Batches calls into frames and finds the caller of each answer. */
export type Calls = Pick<SignerClient, "call" | "depth"> & {
  receive(frame: Uint8Array): void;
  /** Rejects every call: the signer is gone, and nothing of theirs was committed. */
  fail(message: string): void;
  stop(): void;
};

type Send = (frame: Uint8Array<ArrayBuffer>) => void;

type Waiting = {
  resolve: (answer: Answer) => void;
  reject: (error: ApiError) => void;
  startedAt: number;
};

/** How many calls of a frame have no answer yet. */
type Frame = { open: number };

type State = {
  waiting: Map<number, Waiting>;
  /** Calls that are not sent yet. */
  queue: Envelope<Request>[];
  /** The frame of each call that was sent and not answered, even if the call has timed out. */
  frames: Map<number, Frame>;
  lastId: number;
  framesUnderWay: number;
  isScheduled: boolean;
};

/** Frames that may be under way at once; calls made meanwhile share the next one. */
const MAX_FRAMES_UNDER_WAY = 2;
const CALL_TIMEOUT_MS = 30_000;

export function createCalls(send: Send): Calls {
  const state: State = {
    waiting: new Map(),
    queue: [],
    frames: new Map(),
    lastId: 0,
    framesUnderWay: 0,
    isScheduled: false,
  };
  const watch = setInterval(() => failLate(state), 1000);
  watch.unref();
  return {
    call: (request) => enqueue(state, request, send),
    receive(frame) {
      deliver(state, frame);
      flush(state, send);
    },
    fail: (message) => failAll(state, message),
    depth: () => state.waiting.size,
    stop: () => clearInterval(watch),
  };
}

function enqueue(state: State, message: Request, send: Send): Promise<Answer> {
  return new Promise((resolve, reject) => {
    state.lastId += 1;
    const id = state.lastId;
    const startedAt = performance.now();
    state.waiting.set(id, { resolve, reject, startedAt });
    state.queue.push({ id, message });
    if (state.isScheduled) return;
    state.isScheduled = true;
    setImmediate(() => flush(state, send));
  });
}

function flush(state: State, send: Send) {
  const { frames, queue } = state;
  state.isScheduled = false;
  if (queue.length === 0 || state.framesUnderWay >= MAX_FRAMES_UNDER_WAY) return;
  const batch = queue.splice(0, queue.length);
  const frame = { open: batch.length };
  for (const { id } of batch) frames.set(id, frame);
  state.framesUnderWay += 1;
  send(encodeFrame(batch));
}

function deliver(state: State, bytes: Uint8Array) {
  for (const { id, message } of decodeFrame<Answer>(bytes)) {
    const frame = state.frames.get(id);
    if (!frame) continue;
    state.frames.delete(id);
    frame.open -= 1;
    if (frame.open === 0) state.framesUnderWay -= 1;
    state.waiting.get(id)?.resolve(message);
    state.waiting.delete(id);
  }
}

/**
 * A signer that hangs must not hold requests forever. Its frames stay under way until it answers
 * them: otherwise it would get more work every time a call gives up.
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

function failAll(state: State, message: string) {
  const callers = [...state.waiting.values()];
  state.waiting.clear();
  state.queue.length = 0;
  state.frames.clear();
  state.framesUnderWay = 0;
  for (const { reject } of callers) reject(unavailable(message));
}
