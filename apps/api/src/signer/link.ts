import type { Socket } from "node:net";
import { createFrameReader, encodeFrame } from "@keyhearth/engine/core/protocol";

/** An open connection to a signer. */
export type Link = {
  write(frame: Uint8Array): void;
  /** Asks for a sign of life, which no call waits for. */
  ping(): void;
  destroy(): void;
  /** When its last bytes came. */
  heardAt(): number;
  /** Who gets its frames from now on, and hears of its end. */
  handTo(receiver: Receiver): void;
};

export type Receiver = { onFrame(frame: Uint8Array): void; onClose(): void };

/** Calls are numbered from one. */
export const NO_CALL = 0;

export function createLink(socket: Socket, receiver: Receiver): Link {
  let to = receiver;
  let heardAt = performance.now();
  const frames = createFrameReader((frame) => {
    if (!socket.destroyed) to.onFrame(frame);
  });
  socket.on("data", (chunk) => {
    heardAt = performance.now();
    try {
      if (!frames(chunk)) socket.destroy();
    } catch {
      // A frame that no signer sends.
      socket.destroy();
    }
  });
  socket.on("error", () => socket.destroy());
  socket.on("close", () => to.onClose());
  return {
    write: (frame) => void socket.write(frame),
    ping: () => void socket.write(encodeFrame([{ id: NO_CALL, message: { call: "ping" } }])),
    destroy: () => void socket.destroy(),
    heardAt: () => heardAt,
    handTo(next) {
      to = next;
      if (socket.closed) to.onClose();
    },
  };
}
