import {
  type Answer,
  decodeFrame,
  type Envelope,
  encodeFrame,
  type Request,
} from "@keyhearth/engine/door/protocol";
import type { ApiError } from "@keyhearth/engine/errors";
import { type SignerClient, unavailable } from "./client.ts";

/** Puts calls together to frames and finds the caller of each answer. */
export type Calls = Pick<SignerClient, "call" | "depth"> & {
  receive(frame: Uint8Array): void;
  /** Every caller hears that the signer is gone; nothing of theirs was committed. */
  fail(message: string): void;
  stop(): void;
};

type Send = (frame: Uint8Array<ArrayBuffer>) => void;

type Waiting = {
  resolve: (answer: Answer) => void;
  reject: (error: ApiError) => void;
  frame: { open: number };
  startedAt: number;
};

type State = {
  waiting: Map<number, Waiting>;
  queue: Envelope<Request>[];
  lastId: number;
  framesUnderWay: number;
  isScheduled: boolean;
};

/** Frames that may be under way at once; what comes meanwhile shares the next one. */
const MAX_FRAMES_UNDER_WAY = 2;
const CALL_TIMEOUT_MS = 30_000;

export function createCalls(send: Send): Calls {
  const state: State = {
    waiting: new Map(),
    queue: [],
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
    state.waiting.set(id, { resolve, reject, frame: { open: 0 }, startedAt });
    state.queue.push({ id, message });
    if (state.isScheduled) return;
    state.isScheduled = true;
    setImmediate(() => flush(state, send));
  });
}

function flush(state: State, send: Send) {
  const { waiting, queue } = state;
  state.isScheduled = false;
  if (queue.length === 0 || state.framesUnderWay >= MAX_FRAMES_UNDER_WAY) return;
  const batch = queue.splice(0, queue.length);
  const frame = { open: batch.length };
  for (const { id } of batch) {
    const caller = waiting.get(id);
    if (caller) caller.frame = frame;
  }
  state.framesUnderWay += 1;
  send(encodeFrame(batch));
}

function deliver(state: State, frame: Uint8Array) {
  for (const { id, message } of decodeFrame<Answer>(frame)) {
    const caller = state.waiting.get(id);
    if (!caller) continue;
    state.waiting.delete(id);
    caller.frame.open -= 1;
    if (caller.frame.open === 0) state.framesUnderWay -= 1;
    caller.resolve(message);
  }
}

/** A signer that hangs must not hold requests for ever. */
function failLate({ waiting }: State) {
  const before = performance.now() - CALL_TIMEOUT_MS;
  for (const [id, { startedAt, reject }] of waiting) {
    if (startedAt > before) break;
    waiting.delete(id);
    reject(unavailable("the signer did not answer in time"));
  }
}

function failAll(state: State, message: string) {
  const callers = [...state.waiting.values()];
  state.waiting.clear();
  state.queue.length = 0;
  state.framesUnderWay = 0;
  for (const { reject } of callers) reject(unavailable(message));
}
