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
 * Every version of every activity that a policy can be about. It includes kinds that no endpoint
 * serves yet, since a policy may provide for them. It leaves out what only the root quorum does,
 * since no policy is asked about that.
 */
export const activityKinds: readonly ActivityKind[] = decidableKinds.flatMap(
  ({ kind, resource, action, types }) =>
    types.map((type) => ({ type, kind, resource, action, newest: type === types.at(-1) })),
);
