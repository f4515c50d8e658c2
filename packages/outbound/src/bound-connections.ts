import type { Server } from "node:net";

const LOG_AGAIN_MS = 60_000;

/** A server closes what comes beyond this many connections. Node.js says nothing, so this does, once a minute at most. */
export function boundConnections(
  server: Server,
  most: number,
  log: (event: { event: string; most: number }) => void,
) {
  let loggedAt = Number.NEGATIVE_INFINITY;
  server.maxConnections = most;
  server.on("drop", () => {
    if (performance.now() - loggedAt < LOG_AGAIN_MS) return;
    loggedAt = performance.now();
    log({ event: "too many connections", most });
  });
}
