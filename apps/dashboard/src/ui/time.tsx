import type { Timestamp } from "@keyhearth/sdk";
import { useEffect, useState } from "react";
import { inWords, msOf } from "./words-of-time.ts";

const absolute = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "long" });

/** When something was or will be, in words; its title says it exactly. */
export function Time({ at }: { at: Timestamp | number }) {
  const atMs = typeof at === "number" ? at : msOf(at);
  // The time that is kept is older than what has happened since.
  const now = Math.max(useNow(30_000), Date.now());
  const date = new Date(atMs);
  if (Number.isNaN(date.getTime())) return null;
  return (
    <time dateTime={date.toISOString()} title={absolute.format(date)}>
      {inWords(atMs, now)}
    </time>
  );
}

/** The time, again each time that so much of it has passed. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
