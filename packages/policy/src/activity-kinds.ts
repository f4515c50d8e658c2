import { decidableKinds } from "./generated/activity-kinds.ts";

/** One version of an activity as conditions see it, and whether it is the newest of its kind. */
export type ActivityKind = {
  type: string;
  kind: string;
  resource: string;
  action: string;
  newest: boolean;
};

/**
 * Every version of every activity that a policy can be about. Kinds that no endpoint serves yet are
 * here too: a policy may provide for them. What only the root quorum does is not, since no policy is
 * asked about it.
 */
export const activityKinds: readonly ActivityKind[] = decidableKinds.flatMap(
  ({ kind, resource, action, types }) =>
    types.map((type) => ({ type, kind, resource, action, newest: type === types.at(-1) })),
);
