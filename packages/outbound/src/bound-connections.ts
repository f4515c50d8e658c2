import type { Server } from "node:net";
import { onceAMinute } from "./once-a-minute.ts";

/** A server closes what comes beyond this many connections. Node.js says nothing, so this does, once a minute at most. */
export function boundConnections(
  server: Server,
  most: number,
  log: (event: { event: string; most: number }) => void,
) {
  const isTime = onceAMinute();
  server.maxConnections = most;
  server.on("drop", () => {
    if (isTime()) log({ event: "too many connections", most });
  });
}
