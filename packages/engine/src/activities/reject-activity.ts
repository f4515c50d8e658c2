import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { Fingerprint } from "../fields/schemas.ts";

/** Rejects an activity that waits for consensus. submission/vote.ts handles the vote itself. */
export const rejectActivity = defineActivity({
  name: "reject_activity",
  tag: "Consensus",
  summary: "Reject activity",
  description:
    "Reject an activity that needs consensus. A single rejection by a user whose vote counts ends it.",
  policy: { resource: "ACTIVITY", action: "UPDATE" },
  vote: "VOTE_SELECTION_REJECTED",
  defaultType: "ACTIVITY_TYPE_REJECT_ACTIVITY",
  versions: {
    ACTIVITY_TYPE_REJECT_ACTIVITY: {
      intentKey: "rejectActivityIntent",
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
