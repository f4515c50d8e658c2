import type { ShownActivity } from "./objects.ts";

/** The answer to a submission: the JSON of `{ activity }`. What the reader has made of a large one stays bytes. */
export type Answered = { organizationId: string; json: string | Uint8Array<ArrayBuffer> };

/** Of an activity whose request was answered before its end: what nobody knows is whether it takes effect. */
export type ShownPending = ShownActivity | typeof UNKNOWN;

export const UNKNOWN = "unknown";

export function answerWith(activity: ShownActivity): Answered {
  return { organizationId: activity.organizationId, json: textOf(activity) };
}

export function textOf(activity: ShownActivity): string {
  return JSON.stringify({ activity });
}

export function shownIn({ json }: Answered): ShownActivity {
  const text = typeof json === "string" ? json : new TextDecoder().decode(json);
  return (JSON.parse(text) as { activity: ShownActivity }).activity;
}
