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
  cut(): void;
  mend(): void;
  close(): Promise<void>;
};

/** What the relay says once it listens. */
export type Listening = { ports: number[] };

/** How many connections the system makes that the relay does not take. */
const BACKLOG = 16;

/**
 * The relay is a process of its own, which is stopped to cut the line: then the system drops what begins a connection, as
 * soon as so many others wait to be taken.
 */
export async function drawLine(...targets: string[]): Promise<Line> {
  const program = fileURLToPath(new URL("line-process.ts", import.meta.url));
  const relay = fork(program, [String(BACKLOG), ...targets], { execArgv: [] });
  const [{ ports }] = (await once(relay, "message")) as [Listening];
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

  return {
    ports,
    url: `http://127.0.0.1:${ports[0]}`,
    cut() {
      if (isCut) return;
      isCut = true;
      relay.kill("SIGSTOP");
      ports.forEach(fill);
    },
    mend() {
      isCut = false;
      for (const socket of waiting) socket.destroy();
      waiting.clear();
      relay.kill("SIGCONT");
    },
    async close() {
      for (const socket of waiting) socket.destroy();
      relay.kill("SIGKILL");
      await ended;
    },
  };
}
