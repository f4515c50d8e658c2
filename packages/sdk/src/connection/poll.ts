import { Unavailable } from "../errors/errors.ts";
import type { Activity } from "../generated/types.ts";
import { isInProgress, pageOf } from "./answers.ts";
import { sleep } from "./request.ts";
import { notAsked } from "./unexpected-answers.ts";

// Waiting for an activity that the service had not finished when it answered. Loaded when there is one.

/** How to wait for an activity that the service finishes after its answer. */
export type PollOptions = { intervalMs: number; timeoutMs: number };

/** Reads an activity until it is no longer in progress, and returns it. */
export async function pollActivity(
  first: Activity,
  read: () => Promise<Activity>,
  {
    intervalMs,
    timeoutMs,
    signal,
    baseUrl,
  }: PollOptions & { signal?: AbortSignal | undefined; baseUrl: string },
): Promise<Activity> {
  const deadline = performance.now() + timeoutMs;
  let activity = first;
  while (isInProgress(activity)) {
    if (performance.now() + intervalMs > deadline) {
      throw new Unavailable(
        `Activity ${activity.id} did not finish within ${timeoutMs} ms. Read it again later with getActivity`,
        { code: "POLL_TIMEOUT", activity, docsUrl: pageOf(baseUrl, "POLL_TIMEOUT") },
      );
    }
    await sleep(intervalMs, { signal });
    activity = await read();
    if (activity.id !== first.id || activity.fingerprint !== first.fingerprint) {
      throw notAsked("another activity than the one that was read", baseUrl);
    }
  }
  return activity;
}
