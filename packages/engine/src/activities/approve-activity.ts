import * as z from "zod";
import { Fingerprint } from "../fields.ts";
import { defineActivity } from "../submission/define.ts";

/** Approves an activity that waits for consensus. The vote itself is handled by the submission. */
export const approveActivity = defineActivity({
  name: "approve_activity",
  tag: "Consensus",
  summary: "Approve activity",
  description:
    "Approve an activity that needs consensus. The answer is the approved activity, with its result once the last approval is in.",
  policy: { resource: "ACTIVITY", action: "UPDATE" },
  vote: "VOTE_SELECTION_APPROVED",
  defaultType: "ACTIVITY_TYPE_APPROVE_ACTIVITY",
  versions: {
    ACTIVITY_TYPE_APPROVE_ACTIVITY: {
      intentKey: "approveActivityIntent",
      resultKey: "*",
      intent: z.strictObject({ fingerprint: Fingerprint }),
      result: z.strictObject({}),
    },
  },
  example: {
    fingerprint: "sha256:143e777f907453d71c5a3213059d641f54b28737276c4bc6b405ef06831876cb",
  },
  wants: ({ fingerprint }) => [{ type: "activity", fingerprint }],
  execute: () => ({}),
});
