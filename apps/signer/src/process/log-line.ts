import { visible } from "@keyhearth/engine/errors";
import type { LogEvent } from "./bounded-log.ts";

/** What belongs to a signer that works. Anything else is for its operator to look at. */
const NORMAL: readonly string[] = [
  ...["signer started", "listening", "stopped", "API connected"],
  ...["connections are accepted again", "left out of the log"],
];

const LONGEST_TEXT = 2000;

/**
 * An event as a line of JSON, with its time and level. A hostile host may have sent what is in it, so texts are cut, and
 * characters that a terminal acts on are shown.
 */
export function logLine({ cause, ...event }: LogEvent, now = new Date()): string {
  const detail = cause instanceof Error ? cause.message : undefined;
  const level = levelOf({ cause, ...event });
  return JSON.stringify(
    { time: now.toISOString(), level, ...event, detail },
    (_, value: unknown) =>
      typeof value === "string" ? visible(value.slice(0, LONGEST_TEXT)) : value,
  );
}

function levelOf({ event, cause }: LogEvent): "info" | "warn" | "error" {
  if (NORMAL.includes(event)) return "info";
  return event === "refused" || cause !== undefined ? "error" : "warn";
}
