import { createConnection } from "node:net";
import type { SignerAddress } from "../config/signer-addresses.ts";
import type { Link } from "./link.ts";

/** Whether a signer on another machine is there: a machine without power says nothing. */
export type Heartbeat = { stop(): void };

/** `gone`: its machine does not answer. `hangs`: its machine does, and the signer does not. */
export type Silence = "gone" | "hangs";

const TICK_MS = 250;

/** With a tick and the time of a packet, less than two seconds. */
const GONE_MS = 1700;

/** A signer that works may be busy for a second, and on a busy machine longer. */
const PROBE_MS = 1000;
const HANGS_MS = 5000;

/** This process was busy itself, and has not read what came meanwhile. */
const LATE_MS = 500;

type Listener = {
  /** Nothing has come for a second, which may mean nothing. Called again and again. */
  onPause(): void;
  /** Once it has lasted too long. */
  onSilence(silence: Silence): void;
};

/**
 * Asks for a sign of life whenever nothing has come for a moment. After a second of silence it also asks the machine
 * whether it takes connections, which the system answers even while the signer is busy.
 */
export function watchLink(
  link: Link,
  address: SignerAddress,
  { onPause, onSilence }: Listener,
): Heartbeat {
  let tickedAt = performance.now();
  /** When a sign of the machine came, or this process could not have noticed one. */
  let machineAt = tickedAt;
  let excusedAt = tickedAt;
  let probe: ReturnType<typeof createConnection> | null = null;

  function ask({ host, port }: { host: string; port: number }) {
    const socket = createConnection({ host, port });
    probe = socket;
    socket.once("connect", () => {
      machineAt = performance.now();
      socket.destroy();
    });
    socket.once("error", () => socket.destroy());
    socket.once("close", () => {
      if (probe === socket) probe = null;
    });
  }

  const timer = setInterval(() => {
    const now = performance.now();
    if (now - tickedAt > TICK_MS + LATE_MS) excusedAt = now;
    tickedAt = now;
    const heardAt = Math.max(link.heardAt(), excusedAt);
    const silentMs = now - heardAt;
    if (silentMs < TICK_MS) return;
    link.ping();
    if (silentMs >= HANGS_MS) return onSilence("hangs");
    if (silentMs < PROBE_MS) return;
    onPause();
    if (address.kind === "unix") return;
    if (now - Math.max(heardAt, machineAt) >= GONE_MS) return onSilence("gone");
    if (!probe) ask(address);
  }, TICK_MS);
  timer.unref();
  return {
    stop() {
      clearInterval(timer);
      probe?.destroy();
    },
  };
}
