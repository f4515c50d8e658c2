import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { Fingerprint } from "../fields/schemas.ts";

/** Approves an activity that waits for consensus. submission/vote.ts handles the vote itself. */
export const approveActivity = defineActivity({
  name: "approve_activity",
  tag: "Consensus",
  summary: "Approve activity",
  description:
    "Approve an activity that needs consensus. Returns the approved activity, with its result after the last approval.",
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
