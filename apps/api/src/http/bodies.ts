import { IncomingMessage } from "node:http";
import { MAX_STAMPED_BYTES } from "@keyhearth/engine/core/protocol";
import { ApiError } from "@keyhearth/engine/errors";
import type { Context } from "hono";
import { type Env, headerOf } from "../wire/request.ts";
import { headBytes } from "./connections.ts";
import type { HeldBytes, Holding } from "./held-bytes.ts";
import { turnAgain } from "./newcomers.ts";

export const MAX_BODY_BYTES = MAX_STAMPED_BYTES;

/** Nothing that is asked is long, except for what is simulated. */
export const MAX_QUERY_BYTES = 64 * 1024;

/** A body that does not state its length is not a large one: it could not be refused before it is read. */
export const MAX_UNSTATED_BYTES = 16 * 1024;

/** Chunks of a few bytes cost more to read than they cost to send. */
const FREE_PIECES = 256;
const LEAST_PIECE_BYTES = 64;

export type Body = {
  bytes: Uint8Array;
  /** Its stamp was verified, or it is no longer needed. Until then it counts for its sender. */
  settle(): void;
};

type From = { held: HeldBytes; address: string; maxBytes: number };

/** Refuses a large body by what its headers say, before anything else is done. */
export function assertStatedSize(c: Context<Env>, maxBytes: number) {
  if (Number(headerOf(c, "content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

/**
 * Reads the body of a request whose sender is not known yet. If it came slowly, the request waits here for another turn, and
 * its body counts for its sender meanwhile: whatever reads a body is worked on in turn.
 */
export async function readBody(c: Context<Env>, from: From): Promise<Body> {
  const body = await collect(c, from);
  try {
    await turnAgain(c.env?.incoming);
  } catch (error) {
    body.settle();
    throw error;
  }
  return body;
}

function collect(c: Context<Env>, { held, address, maxBytes }: From): Promise<Body> {
  const isStated = headerOf(c, "transfer-encoding") === undefined;
  const stated = isStated ? Number(headerOf(c, "content-length") ?? 0) : 0;
  return new Promise((resolve, reject) => {
    let stop = () => {};
    const holding = held.begin(address, fail);
    const pieces = isStated ? inOne(holding, { stated, maxBytes }) : inChunks(holding, maxBytes);
    function fail(error: unknown) {
      stop();
      holding.settle();
      reject(error);
    }
    function attempt(work: () => void) {
      try {
        work();
      } catch (error) {
        fail(error);
      }
    }
    stop = streamTo(c, {
      piece: (bytes) => attempt(() => pieces.add(bytes)),
      end: () =>
        attempt(() => {
          const bytes = pieces.end();
          stop();
          holding.arrived();
          resolve({ bytes, settle: holding.settle });
        }),
      fail,
    });
    const incoming = c.env?.incoming;
    if (incoming instanceof IncomingMessage) holding.hold(COPIES_OF_HEAD * headBytes(incoming));
  });
}

/** Node.js keeps the text of the headers, each of them in two forms, and the chunk in which they came. */
const COPIES_OF_HEAD = 5;

type Pieces = { add(bytes: Uint8Array): void; end(): Uint8Array };

/** A body of a stated length. Most come in one piece, which is not copied. */
function inOne(
  holding: Holding,
  { stated, maxBytes }: { stated: number; maxBytes: number },
): Pieces {
  let room: Uint8Array = new Uint8Array(0);
  let size = 0;
  return {
    add(bytes) {
      const length = size + bytes.length;
      // Only a request that did not come over HTTP can be longer than it states.
      if (length > maxBytes) throw tooLarge(maxBytes);
      if (size === 0 && bytes.length === stated) {
        room = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
        holding.hold(length);
      } else {
        const twice = Math.min(2 * room.length, stated || maxBytes);
        const wanted = length > room.length ? Math.max(length, twice) : room.length;
        holding.hold(wanted - room.length);
        if (wanted > room.length) room = enlarge(room, size, wanted);
        room.set(bytes, size);
      }
      size = length;
    },
    end: () => room.subarray(0, size),
  };
}

function enlarge(room: Uint8Array, size: number, length: number): Uint8Array {
  const larger = new Uint8Array(length);
  larger.set(room.subarray(0, size));
  return larger;
}

/**
 * A body that does not state its length. One that is too large is read to its end and dropped, within bounds:
 * a client that still sends would not see the refusal.
 */
function inChunks(holding: Holding, maxBytes: number): Pieces {
  const most = Math.min(maxBytes, MAX_UNSTATED_BYTES);
  const kept = inOne(holding, { stated: 0, maxBytes: most });
  let size = 0;
  let count = 0;
  return {
    add(bytes) {
      size += bytes.length;
      count += 1;
      if (count > FREE_PIECES + size / LEAST_PIECE_BYTES) throw tooManyPieces();
      if (size > MAX_BODY_BYTES) throw unstated(most);
      if (size <= most) kept.add(bytes);
      else holding.hold(0);
    },
    end() {
      if (size > most) throw unstated(most);
      return kept.end();
    },
  };
}

type Sink = { piece(bytes: Uint8Array): void; end(): void; fail(error: unknown): void };

/** Returns how to stop. Nothing is called after that. */
function streamTo(c: Context<Env>, sink: Sink): () => void {
  const incoming = c.env?.incoming;
  return incoming instanceof IncomingMessage
    ? streamOfConnection(incoming, sink)
    : streamInMemory(c.req.raw.body, sink);
}

function streamOfConnection(incoming: IncomingMessage, { piece, end, fail }: Sink): () => void {
  function closed() {
    // A client may have hung up once it had sent everything.
    const rest: unknown = incoming.complete && !incoming.readableEnded ? incoming.read() : null;
    if (rest instanceof Uint8Array) piece(rest);
    if (incoming.complete) end();
    else fail(brokenOff());
  }
  const failed = () => fail(brokenOff());
  incoming.on("data", piece).on("end", end).on("close", closed).on("error", failed);
  if (incoming.destroyed) queueMicrotask(closed);
  return () => {
    incoming.off("data", piece).off("end", end).off("close", closed).off("error", failed);
  };
}

function streamInMemory(body: ReadableStream<Uint8Array> | null, sink: Sink): () => void {
  const reader = body?.getReader();
  let isStopped = false;
  const pull = async () => {
    while (!isStopped) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (isStopped) return;
      if (done) return sink.end();
      sink.piece(value);
    }
  };
  pull().catch(sink.fail);
  return () => {
    isStopped = true;
  };
}

function tooLarge(maxBytes: number): ApiError {
  return new ApiError(
    "PAYLOAD_TOO_LARGE",
    "BODY_TOO_LARGE",
    `the request body is larger than ${maxBytes} bytes; send less in one request`,
  );
}

function unstated(maxBytes: number): ApiError {
  return new ApiError(
    "PAYLOAD_TOO_LARGE",
    "BODY_TOO_LARGE",
    `the request body is larger than ${maxBytes} bytes and does not state its length; send it with Content-Length`,
  );
}

function tooManyPieces(): ApiError {
  return new ApiError(
    "INVALID_ARGUMENT",
    "BAD_REQUEST_BODY",
    "bad request body: it comes in too many small chunks; send it with Content-Length",
  );
}

function brokenOff(): ApiError {
  return new ApiError(
    "INVALID_ARGUMENT",
    "BAD_REQUEST_BODY",
    "bad request body: the connection ended before all of it had arrived",
  );
}
