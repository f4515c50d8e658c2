import { checkMove } from "./options.ts";

/** Real time, until a test moves it forward. Host and signer have the same. */
export type EmulatorClock = {
  now(): number;
  /** Returns the new time. */
  move(milliseconds: unknown): number;
  /** Real time again. Only a signer that has not worked yet accepts it. */
  restart(): void;
};

export function createEmulatorClock(): EmulatorClock {
  let offsetMs = 0;
  const now = () => Date.now() + offsetMs;
  return {
    now,
    move(milliseconds) {
      offsetMs += checkMove(milliseconds);
      return now();
    },
    restart() {
      offsetMs = 0;
    },
  };
}
