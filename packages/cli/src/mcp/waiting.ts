import { setTimeout as delay } from "node:timers/promises";
import type { Activity } from "@keyhearth/sdk";
import type { Agent } from "./agent.ts";
import { readOwn, statusOf, type Which } from "./own-requests.ts";

/** Waits until a request has been signed, rejected or failed, at most until the time is over. */
export async function waitFor(
  agent: Agent,
  which: Which,
  {
    timeoutSeconds,
    signal,
    report,
  }: {
    timeoutSeconds: number;
    signal: AbortSignal;
    report: (elapsedSeconds: number, message: string) => Promise<void>;
  },
): Promise<Activity> {
  const startMs = performance.now();
  const elapsedMs = () => performance.now() - startMs;
  for (let last = Number.NEGATIVE_INFINITY; ; ) {
    const activity = await readOwn(agent, which, signal);
    const status = statusOf(activity);
    const leftMs = timeoutSeconds * 1000 - elapsedMs();
    if ((status !== "running" && status !== "waiting") || leftMs <= 0) return activity;
    if (elapsedMs() - last >= REPORT_MS) {
      last = elapsedMs();
      const approvals = activity.votes.length === 1 ? "1 vote" : `${activity.votes.length} votes`;
      await report(Math.floor(last / 1000), `the request waits for approvals: ${approvals} so far`);
    }
    await delay(Math.min(POLL_MS, leftMs), undefined, { signal });
  }
}

const POLL_MS = 1000;
const REPORT_MS = 5000;
