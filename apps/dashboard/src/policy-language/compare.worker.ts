import { activityKinds } from "@keyhearth/policy/activity-kinds";
import { type Comparison, comparePolicies } from "@keyhearth/policy/advice/comparison";
import { type Decided, decideOn, type Situation } from "./decide.ts";
import type { NamedText } from "./draft.ts";

// Compares two sets of policies away from the page, because it can take seconds.

export type Compare = {
  before: readonly NamedText[];
  after: readonly NamedText[];
  situations: readonly Situation[];
  organization: Pick<Situation, "users" | "rootQuorum">;
};

export type Compared =
  | {
      /** What both sets decide about each situation. */
      decided: { before: Decided["outcome"]; after: Decided["outcome"] }[];
      /** Whether the second set allows anything at all that the first does not. */
      comparison: Comparison;
    }
  | { problem: string };

addEventListener("message", ({ data }: MessageEvent<Compare>) => {
  postMessage(compared(data));
});

function compared({ before, after, situations, organization }: Compare): Compared {
  try {
    const decided = situations.map((situation) => ({
      before: decideOn(before, situation).outcome,
      after: decideOn(after, situation).outcome,
    }));
    const known = { ...organization, activities: activityKinds };
    return { decided, comparison: comparePolicies(before, after, known) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : "the policies cannot be compared" };
  }
}
