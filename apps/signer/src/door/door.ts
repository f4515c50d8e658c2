import type { Socket } from "node:net";
import { createFrameReader, encodeFrame, MAX_FRAME_BYTES } from "@keyhearth/engine/core/protocol";
import { createFairQueue, type FairQueueOptions } from "../turns/fair-queue.ts";
import { type Announcer, serveConnection } from "./serve.ts";

/** What all connections together may hold: frames that have not come to their end, and answers that nobody reads. */
const MAX_HELD_BYTES = 4 * MAX_FRAME_BYTES;

/** Of frames that one turn of the event loop decodes, or one that is larger: of the largest size, in a third of a second. */
const TURN_BYTES = 1024 * 1024;

export type Log = (event: { event: string; [member: string]: unknown }) => void;

/** All connections of hosts, over whichever listener they came: their calls take turns. */
export type Door = {
  /** Takes the calls of a connection until it is closed. One that sends a malformed frame is cut. */
  serve(socket: Socket): void;
  /** Cuts all connections. */
  close(): void;
};

export function createDoor(
  handle: FairQueueOptions["handle"],
  log: Log,
  { workers, workerFor }: Pick<FairQueueOptions, "workers" | "workerFor"> = {},
): Door {
  /** The bytes of the unfinished frame of each connection. */
  const sockets = new Map<Socket, number>();
  const turns = createFairQueue({ handle, ...(workers && workerFor && { workers, workerFor }) });
  const inTurns = createTurns();
  function serve(socket: Socket) {
    const send = (frame: Uint8Array) => {
      socket.write(frame);
      cutIfCrowded();
    };
    const connection = serveConnection(turns, send, announcerOf(socket));
    sockets.set(socket, 0);
    socket.on("close", () => {
      sockets.delete(socket);
      connection.close();
    });
    socket.on("error", () => socket.destroy());
    const cut = (reason: string, detail?: string) => {
      log({ event: "connection cut", reason, detail });
      socket.destroy();
    };
    const cutIfCrowded = () => {
      if (!socket.destroyed && heldBytes(sockets) > MAX_HELD_BYTES) {
        cut("too many bytes wait on all connections");
      }
    };
    const take = (frame: Uint8Array) => {
      // The rest of a chunk is ignored after a malformed frame.
      if (socket.destroyed) return;
      sockets.set(socket, (sockets.get(socket) ?? 0) - frame.length);
      try {
        connection.receive(frame);
      } catch (error) {
        cut("malformed frame", error instanceof Error ? error.message : String(error));
      }
    };
    const frames = createFrameReader((frame) => inTurns(frame.length, () => take(frame)));
    socket.on("data", (chunk) => {
      sockets.set(socket, (sockets.get(socket) ?? 0) + chunk.length);
      if (frames(chunk)) cutIfCrowded();
      else cut("frame too large");
    });
  }
  return {
    serve,
    close() {
      turns.stop();
      for (const socket of sockets.keys()) socket.destroy();
    },
  };
}

/**
 * Does work at once, until it was enough for one turn of the event loop, and the rest in the following ones. Frames that end
 * at once on many connections would otherwise be decoded before anything else, such as the sign of life for other signers
 * (decision 30).
 */
function createTurns(): (bytes: number, work: () => void) => void {
  const waiting: { bytes: number; work: () => void }[] = [];
  let taken = 0;
  let isPlanned = false;
  const hasRoom = (bytes: number) => taken === 0 || taken + bytes <= TURN_BYTES;

  function take(bytes: number, work: () => void) {
    taken += bytes;
    if (!isPlanned) setImmediate(beginTurn);
    isPlanned = true;
    work();
  }

  function beginTurn() {
    isPlanned = false;
    taken = 0;
    for (let [first] = waiting; first && hasRoom(first.bytes); [first] = waiting) {
      waiting.shift();
      take(first.bytes, first.work);
    }
  }

  return (bytes, work) => {
    if (waiting.length === 0 && hasRoom(bytes)) take(bytes, work);
    else waiting.push({ bytes, work });
  };
}

function heldBytes(sockets: ReadonlyMap<Socket, number>): number {
  let bytes = 0;
  for (const [{ writableLength }, unfinished] of sockets) bytes += writableLength + unfinished;
  return bytes;
}

/**
 * Tells the host whose call is handled next: if this process dies, the host knows who caused it. The
 * bytes leave before the call begins. Once answers have left, the next call is announced again, whosever it is: otherwise a
 * machine that dies while nothing is under way would be blamed on whoever was served last.
 */
function announcerOf(socket: Socket): Announcer {
  let announced = "";
  const announce = (id: number, organizationId: string, worker?: number) => {
    // Workers have calls at the same time, and announce only those that take long.
    if (worker !== undefined) {
      return void socket.write(encodeFrame([{ id, message: { kind: "begun", worker } }]));
    }
    if (organizationId === announced) return;
    announced = organizationId;
    socket.write(encodeFrame([{ id, message: { kind: "begun" } }]));
  };
  return {
    begin: ({ id, organizationId }, worker) => announce(id, organizationId, worker),
    // No call has this id.
    rest: (worker) => announce(0, "", worker),
    answered() {
      announced = "";
    },
  };
}
