import type { CommandGroup } from "../command.ts";

/** Requests of any kind. */
export const requestCommands: CommandGroup = {
  heading: "Any request:",
  words: {},
  entries: [
    {
      name: "call",
      summary: "call an operation of the API by its name",
      args: [
        ["[name]", "an operation, such as create_wallet"],
        ["[field...]", "fields, such as walletName=treasury; a list or an object is JSON"],
      ],
      options: [
        ["--parameters <file>", "a file with the fields as JSON; `-` reads standard input"],
        ["--type <type>", "the version of the activity, if not the usual one"],
        ["--timestamp-ms <ms>", "time of the request: with the same one, it is the same activity"],
        ["--no-post", "print the bytes, the stamp and a curl command, and send nothing"],
        ["--list", "list the operations, or those with the given word"],
        ["--fields", "describe the fields of the operation"],
      ],
      connects: true,
      examples: [
        "keyhearth call list_wallets",
        "keyhearth call create_user_tag userTagName=ops userIds=[]",
        "keyhearth call create_policy --parameters policy.json",
        "keyhearth call create_policy --fields",
        "keyhearth call --list policy",
      ],
      help: `
The contract of the API checks the fields before anything is sent. organizationId, timestampMs and the
type are completed.

Exit code: 0 done, 2 a field is wrong, 4 refused, 5 waits for approvals, 6 no service.`,
      run: async (given, surroundings) => {
        const { call } = await import("../commands/call.ts");
        return call(given, surroundings);
      },
    },
    {
      name: "request",
      summary: "stamp a body and send it as it is",
      args: [
        ["<path>", "the path of the API, or the name of the operation"],
        ["[file]", "a file with the body; without it or with `-`, standard input"],
      ],
      options: [["--no-post", "print the bytes, the stamp and a curl command, and send nothing"]],
      connects: true,
      examples: [
        "keyhearth request /public/v1/query/whoami body.json",
        "keyhearth request create_wallet body.json --no-post",
      ],
      help: `
The stamp covers exactly the characters of the file, without a line feed at its end. Nothing is completed
and nothing is checked: sending the same bytes again is the same activity.`,
      run: async (given, surroundings) => {
        const { request } = await import("../commands/request.ts");
        return request(given, surroundings);
      },
    },
  ],
};
