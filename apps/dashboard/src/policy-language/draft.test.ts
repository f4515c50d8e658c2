import type { Policy } from "@keyhearth/sdk";
import { expect, test } from "vitest";
import { changesOf, draftOf } from "./draft.ts";

const at = { seconds: "0", nanos: "0" };
const policy: Policy = {
  policyId: "2a1f0c3e-0000-4000-8000-00000000abcd",
  policyName: "Payments",
  effect: "EFFECT_ALLOW",
  condition: "activity.action == 'SIGN'",
  consensus: "approvers.count() >= 2",
  notes: "",
  createdAt: at,
  updatedAt: at,
};

test("an update says what was changed, and nothing of the rest", () => {
  const { policyId } = policy;
  expect(changesOf(policy, { ...draftOf(policy), policyName: "Small payments" })).toEqual({
    policyId,
    policyName: "Small payments",
  });
  const draft = { ...draftOf(policy), effect: "EFFECT_DENY", consensus: "", notes: "now" } as const;
  expect(changesOf(policy, draft)).toEqual({
    policyId,
    policyEffect: "EFFECT_DENY",
    policyConsensus: "",
    policyNotes: "now",
  });
});
