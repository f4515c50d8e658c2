import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { list, UserId } from "../fields/schemas.ts";
import { checkQuorum } from "../people/root-quorum.ts";

/** Replaces the root users and the number of them that must agree. */
export const updateRootQuorum = defineActivity({
  name: "update_root_quorum",
  tag: "Organizations",
  summary: "Update root quorum",
  description:
    "Set the threshold and members of the root quorum. Only the root quorum can do this.",
  policy: { resource: "ORGANIZATION", action: "UPDATE" },
  rootQuorumOnly: true,
  defaultType: "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM",
  versions: {
    ACTIVITY_TYPE_UPDATE_ROOT_QUORUM: {
      intentKey: "updateRootQuorumIntent",
      resultKey: "updateRootQuorumResult",
      intent: z.strictObject({
        threshold: z
          .int("quorum threshold must be non-zero integer")
          .describe("Approvals needed, from 1 to the number of root users.")
          .meta({ format: "int32" }),
        userIds: list(UserId, "Ids of all root users."),
      }),
      result: z.strictObject({}),
    },
  },
  example: { threshold: 1, userIds: ["6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e"] },

  check({ document }, { threshold, userIds }) {
    const known = document.users.map(({ userId }) => userId);
    const distinct = [...new Set(userIds)];
    checkQuorum({ threshold, userIds: distinct }, known, "parameters.threshold");
  },

  execute(context, { threshold, userIds }) {
    context.update().rootQuorum = { threshold, userIds: [...new Set(userIds)] };
    return {};
  },
});
