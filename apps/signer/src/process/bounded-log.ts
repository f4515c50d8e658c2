import type { Request } from "@keyhearth/engine/core/protocol";

export type LogEvent = {
  event: string;
  cause?: unknown;
  call?: unknown;
  reason?: unknown;
  [member: string]: unknown;
};

type Log = (event: LogEvent) => void;

/** Lines of one kind in a minute. */
const MAX_LINES = 100;

/** A hostile host can make up names of calls. After so many kinds, what has such a name is counted as one. */
const MAX_KINDS = 100;

const CALLS: Record<Request["call"], true> = {
  submit: true,
  confirm: true,
  attest: true,
  renew: true,
  "sign-webhooks": true,
  describe: true,
  ping: true,
};

const MINUTE_MS = 60_000;

/**
 * A host that sends nonsense fills neither the disk, on which the marks are, nor the log, in which an operator looks for
 * alarms: of each kind of event, the log has so many in a minute and then how many more there were.
 */
export function boundLog(write: Log): { log: Log; close(): void } {
  const counts = new Map<string, number>();

  function endMinute() {
    for (const [kind, count] of counts) {
      if (count > MAX_LINES)
        write({ event: "left out of the log", kind, lines: count - MAX_LINES });
    }
    counts.clear();
  }

  function log(event: Parameters<Log>[0]) {
    if (counts.size === 0) setTimeout(endMinute, MINUTE_MS).unref();
    const named = [event.event, event.call, event.reason]
      .filter((each) => each !== undefined)
      .join(" ");
    const isOwn = !isMadeUp(event.call) || counts.has(named) || counts.size < MAX_KINDS;
    const kind = isOwn ? named : "all other kinds";
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    if (count <= MAX_LINES) write(event);
  }

  // The minute of the stop has no other end.
  return { log, close: endMinute };
}

function isMadeUp(call: unknown): boolean {
  return call !== undefined && !(typeof call === "string" && Object.hasOwn(CALLS, call));
}
