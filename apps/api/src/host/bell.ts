/** Tells delivery that a message was committed. Nobody waits for what is done about it. */
export type Bell = { ring(): void; onRing(listener: () => void): void };

export function createBell(): Bell {
  let listen = () => {};
  return {
    ring: () => void setImmediate(() => listen()),
    onRing(listener) {
      listen = listener;
    },
  };
}
