import { pageOf } from "./answers.ts";
import { Unavailable } from "./errors.ts";
import type { Activity } from "./generated/types.ts";
import { sleep } from "./request.ts";

/** How to wait for an activity that the service finishes after its answer. */
export type PollOptions = { intervalMs: number; timeoutMs: number };

/** Reads an activity until it is no longer pending, and returns it. */
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
    await sleep(intervalMs, { baseUrl, signal });
    activity = await read();
  }
  return activity;
}

function isInProgress({ status }: Activity): boolean {
  return status === "ACTIVITY_STATUS_CREATED" || status === "ACTIVITY_STATUS_PENDING";
}
