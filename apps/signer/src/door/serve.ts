import {
  type Answer,
  decodeFrame,
  type Envelope,
  encodeFrame,
  MAX_FRAME_BYTES,
  type Request,
} from "@keyhearth/engine/core/protocol";
import { ApiError, toErrorMessage } from "@keyhearth/engine/errors";
import type { Caller, FairQueue } from "../turns/fair-queue.ts";

/** Answers are sent in small frames, so that the first of a large batch does not wait for the last. */
const ANSWERS_PER_FRAME = 16;

/** Above this the JSON of an answer and its escapes might not fit a frame. */
const MAX_ANSWER_BYTES = MAX_FRAME_BYTES / 2;

/** One connection of a host: its calls take turns with those of all others. */
export type ServedConnection = {
  /** Takes one frame of calls. Throws if it is malformed. */
  receive(frame: Uint8Array): void;
  /** No answer is sent from now on. */
  close(): void;
};

/** Tells the host what is under way. */
export type Announcer = Pick<Caller, "begin" | "rest"> & {
  /** Answers have left. */
  answered?: () => void;
};

export function serveConnection(
  turns: FairQueue,
  send: (frame: Uint8Array<ArrayBuffer>) => void,
  { begin, rest, answered }: Announcer,
): ServedConnection {
  let answers: Envelope<Answer>[] = [];
  let bytes = 0;
  let isOpen = true;

  function flush() {
    const batch = answers;
    answers = [];
    bytes = 0;
    if (batch.length === 0 || !isOpen) return;
    for (const frame of framesOf(batch)) send(frame);
    answered?.();
  }

  const caller: Caller = {
    begin,
    rest,
    answer({ id, message, tookMs }) {
      const size = attachedBytes(message) + namedBytes(message);
      if (size > MAX_ANSWER_BYTES) {
        return caller.answer({ id, message: { kind: "error", error: toErrorMessage(tooLarge()) } });
      }
      if (bytes + size > MAX_ANSWER_BYTES) flush();
      answers.push({ id, message, tookMs });
      bytes += size;
      if (answers.length >= ANSWERS_PER_FRAME) flush();
    },
    flush,
  };
  return {
    receive(frame) {
      const calls = decodeFrame<Request>(frame);
      // Of a malformed frame, no call is handled.
      if (!calls.every(({ id }) => Number.isSafeInteger(id))) {
        throw new Error("call without a number");
      }
      for (const { id, organizationId, familyId, message } of calls) {
        if (message.call === "ping") {
          caller.answer({ id, message: { kind: "pong" } });
          continue;
        }
        turns.add({
          id,
          organizationId: hintOf(organizationId),
          familyId: hintOf(familyId) || hintOf(organizationId),
          request: message,
          bytes: heldBytesOf(message),
          caller,
        });
      }
      // Refusals are sent together, and so are answers that take no turn.
      flush();
    },
    close() {
      isOpen = false;
    },
  };
}

/** One frame, unless an answer cannot be written: the others are not lost with it. */
function framesOf(batch: Envelope<Answer>[]): Uint8Array<ArrayBuffer>[] {
  try {
    return [encodeFrame(batch)];
  } catch (cause) {
    if (batch.length > 1) return batch.flatMap((each) => framesOf([each]));
    const error = toErrorMessage(new Error("an answer that cannot be written", { cause }));
    return batch.map(({ id }) => encodeFrame([{ id, message: { kind: "error", error } }]));
  }
}

const HINT_LENGTH = 36;

/** A hostile host may send anything as a hint. A part of a long text would keep all of it. */
function hintOf(hint: unknown): string {
  return typeof hint === "string" && hint.length <= HINT_LENGTH ? hint : "";
}

/** What an array of bytes takes beside its bytes. */
const ARRAY_BYTES = 200;

/** About what a waiting call holds in memory. Its members are not checked yet, so all of them count. */
function heldBytesOf(request: Request): number {
  let bytes = 1024;
  // A list of what is left: members may be nested deeper than functions can be.
  const left: unknown[] = [request];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === "string") bytes += 2 * value.length;
    else if (value instanceof Uint8Array) bytes += ARRAY_BYTES + value.length;
    else if (Array.isArray(value)) {
      bytes += 64 * value.length;
      for (const member of value) left.push(member);
    } else if (typeof value === "object" && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        bytes += 64 + 2 * name.length;
        left.push(member);
      }
    }
  }
  return bytes;
}

function attachedBytes(message: Request | Answer): number {
  if (!("attachments" in message) || !message.attachments) return 0;
  return message.attachments.reduce((sum, { length }) => sum + length, 0);
}

/** A digest, its quotes and a comma. */
const DIGEST_BYTES = 67;

function namedBytes(answer: Answer): number {
  return answer.kind === "need" ? DIGEST_BYTES * answer.digests.length : 0;
}

function tooLarge(): ApiError {
  return new ApiError(
    "RESOURCE_EXHAUSTED",
    "LIMIT_EXCEEDED",
    "the answer of the signer is too large; remove users, policies or other entries that the organization no longer needs",
  );
}
