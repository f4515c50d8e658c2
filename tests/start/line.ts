import { fork } from "node:child_process";
import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import { fileURLToPath } from "node:url";

/**
 * The network between two machines, which can be cut. Then what is sent arrives nowhere, no connection ends, none begins,
 * and nobody learns of it. What the systems send again arrives once it is back, as it does in a real network.
 */
export type Line = {
  /** As ports of this machine, in the order of the targets. */
  ports: number[];
  /** The first of them, for what is asked by HTTP. */
  url: string;
  /** Cuts what goes this way. No connection begins without both ways. */
  cut(way?: Way): void;
  mend(): void;
  close(): Promise<void>;
};

/** What is cut: all, what goes to the targets, or what comes from them. */
export type Way = "both" | "there" | "back";

/** What the relay says once it listens. */
export type Listening = { ports: number[]; door: number };

/** What the relay is told: which bytes it keeps. */
export type Kept = { keep: Way | null };

/** How many connections the system makes that nobody takes. */
const BACKLOG = 16;

/**
 * The relay is a process of its own, which is stopped to cut both ways. Another one takes its connections, and is stopped
 * whenever something is cut: then the system drops what begins a connection, as soon as so many others wait to be taken.
 */
export async function drawLine(...targets: string[]): Promise<Line> {
  const program = fileURLToPath(new URL("line-process.ts", import.meta.url));
  const relay = fork(program, [String(BACKLOG), ...targets], { execArgv: [] });
  const [{ ports, door }] = (await once(relay, "message")) as [Listening];
  const ended = once(relay, "exit");
  const waiting = new Set<Socket>();
  let isCut = false;

  function fill(port: number) {
    for (let i = 0; i <= BACKLOG; i++) {
      const socket = createConnection(port, "127.0.0.1");
      socket.on("error", () => {});
      waiting.add(socket);
    }
  }

  const keep = (way: Way | null) => void relay.send({ keep: way } satisfies Kept);

  function signalDoor(signal: NodeJS.Signals) {
    try {
      process.kill(door, signal);
    } catch {
      // It has ended with the relay.
    }
  }

  return {
    ports,
    url: `http://127.0.0.1:${ports[0]}`,
    cut(way = "both") {
      if (isCut) return;
      isCut = true;
      signalDoor("SIGSTOP");
      if (way === "both") relay.kill("SIGSTOP");
      else keep(way);
      ports.forEach(fill);
    },
    mend() {
      if (!isCut) return;
      isCut = false;
      for (const socket of waiting) socket.destroy();
      waiting.clear();
      relay.kill("SIGCONT");
      signalDoor("SIGCONT");
      keep(null);
    },
    async close() {
      for (const socket of waiting) socket.destroy();
      signalDoor("SIGKILL");
      relay.kill("SIGKILL");
      await ended;
    },
  };
}
