import type { CommandGroup } from "../command.ts";
import { LIMIT_OPTION } from "../pages.ts";

/** Requests, and the approvals that they wait for. */
export const activityCommands: CommandGroup = {
  heading: "Approvals:",
  words: { activities: "list, watch, approve and reject activities" },
  entries: [
    {
      name: "activities list",
      summary: "list the activities, newest first",
      options: [
        ["--status <status>", "all (default), waiting, completed, failed or rejected"],
        LIMIT_OPTION,
      ],
      connects: true,
      examples: ["keyhearth activities list --status waiting"],
      run: async (given, surroundings) => {
        const { activitiesList } = await import("../commands/activities-list.ts");
        return activitiesList(given, surroundings);
      },
    },
    {
      name: "activities get",
      summary: "show an activity: its votes, its result, and whose approvals are missing",
      args: [["<id>", "id of the activity"]],
      connects: true,
      examples: ["keyhearth activities get 019a9a51-7c3e-7d21-8a44-5b6c7d8e9f00"],
      run: async (given, surroundings) => {
        const { activitiesGet } = await import("../commands/activities-get.ts");
        return activitiesGet(given, surroundings);
      },
    },
    {
      name: "activities watch",
      summary: "wait until an activity has ended",
      args: [["<id>", "id of the activity"]],
      options: [["--timeout <seconds>", "how long to wait at most (600)"]],
      connects: true,
      examples: ["keyhearth activities watch 019a9a51-7c3e-7d21-8a44-5b6c7d8e9f00 --timeout 60"],
      help: `
Exit code: 0 completed, 4 rejected or failed, 5 still waiting.`,
      run: async (given, surroundings) => {
        const { activitiesWatch } = await import("../commands/activities-watch.ts");
        return activitiesWatch(given, surroundings);
      },
    },
    {
      name: "activities approve",
      summary: "approve an activity, after showing the request that was stamped",
      args: [["<id>", "id of the activity"]],
      options: [
        ["--fingerprint <fingerprint>", "refuse if the activity has another one"],
        ["--yes", "do not ask: needs --fingerprint"],
      ],
      connects: true,
      examples: ["keyhearth activities approve 019a9a51-7c3e-7d21-8a44-5b6c7d8e9f00"],
      help: `
The request is read from the bytes of the first vote, whose stamp and fingerprint this command verifies. It
ignores what the service shows of the intent. The requester has the fingerprint: their command printed it. The service
says which request has an id, so \`--yes\` takes only the one with the fingerprint.`,
      run: async (given, surroundings) => {
        const { activitiesApprove } = await import("../commands/activities-approve.ts");
        return activitiesApprove(given, surroundings);
      },
    },
    {
      name: "activities reject",
      summary: "reject an activity, so that it is never executed",
      args: [["<id>", "id of the activity"]],
      options: [
        ["--fingerprint <fingerprint>", "refuse if the activity has another one"],
        ["--yes", "do not ask: needs --fingerprint"],
      ],
      connects: true,
      examples: ["keyhearth activities reject 019a9a51-7c3e-7d21-8a44-5b6c7d8e9f00"],
      help: `
Nobody can approve the request afterwards. It is read from the bytes of the first vote, whose fingerprint this command
verifies. The service says which request has an id, so \`--yes\` takes only the one with the fingerprint, which the
requester's command printed.`,
      run: async (given, surroundings) => {
        const { activitiesReject } = await import("../commands/activities-reject.ts");
        return activitiesReject(given, surroundings);
      },
    },
  ],
};
