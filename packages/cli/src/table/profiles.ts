import type { CommandGroup } from "../command.ts";

const KEY_TEXT = `
A key is the path of a key file: root-api-key.json, which the first start of a service writes, or the
NAME.private of a key that \`keyhearth generate api-key\` or the released command made. A key in the folder
of keys can be given by its name. Only the path is kept. A key itself is never given on the command line,
where other users of the machine and the history of the shell would see it.`;

/** Which service, and as whom. */
export const profileCommands: CommandGroup = {
  heading: "Connection:",
  words: { profile: "keep services and keys under names" },
  entries: [
    {
      name: "init",
      summary: "connect to a service, and keep it as a profile",
      options: [
        ["--url <address>", "address of the service (http://localhost:3000)"],
        ["--key <file>", "key file (data/root-api-key.json)"],
        [
          "--organization <id>",
          "the organization, if neither the key file nor the current profile names it",
        ],
        ["--name <profile>", "name of the profile (default)"],
        ["--template <name>", "also make an app that runs: next, vite or server"],
        ["--directory <folder>", "where the app goes, if not in a new folder of its name"],
      ],
      examples: [
        "keyhearth init",
        "keyhearth init --template vite",
        "keyhearth init --url https://keys.example.com --key ops --organization 5b2a9f04-…",
      ],
      help: `
Asks the service who you are, keeps the profile and makes it the current one. On a terminal, it asks
for what was not given.

--template makes one of the sample apps of the pages, with its .env filled in: next and vite are wallets that open
with a passkey, server signs payouts by policy. The app comes from the service, with the SDK that fits it, and no file is
replaced. If there is a profile of that name already, it is used as it is.
${KEY_TEXT}`,
      run: async (given, surroundings) => {
        const { init } = await import("../commands/init.ts");
        return init(given, surroundings);
      },
    },
    {
      name: "whoami",
      summary: "show the organization and the user that the key belongs to",
      connects: true,
      examples: ["keyhearth whoami", "keyhearth whoami --profile production --json"],
      run: async (given, surroundings) => {
        const { whoami } = await import("../commands/whoami.ts");
        return whoami(given, surroundings);
      },
    },
    {
      name: "profile add",
      summary: "keep a service and a key under a name",
      args: [["<name>", "letters, digits, dots, dashes and underscores"]],
      options: [
        ["--url <address>", "address of the service, if not that of the current profile"],
        ["--key <file>", "key file (data/root-api-key.json)"],
        [
          "--organization <id>",
          "the organization, if neither the key file nor the current profile names it",
        ],
        ["--offline", "do not ask the service"],
      ],
      examples: [
        "keyhearth profile add local",
        "keyhearth profile add production --url https://keys.example.com --key ops --organization 5b2a9f04-…",
      ],
      help: `
Asks the service for its public keys and for your name, and refuses a profile that does not work. The
service must answer with the same keys later. The first profile becomes the current one.
${KEY_TEXT}`,
      run: async (given, surroundings) => {
        const { profileAdd } = await import("../commands/profile-add.ts");
        return profileAdd(given, surroundings);
      },
    },
    {
      name: "profile list",
      summary: "list the profiles",
      examples: ["keyhearth profile list"],
      run: async (_given, surroundings) => {
        const { profileList } = await import("../commands/profile-list.ts");
        return profileList(surroundings);
      },
    },
    {
      name: "profile use",
      summary: "make a profile the current one",
      args: [["<name>", "a profile of `keyhearth profile list`"]],
      examples: ["keyhearth profile use production"],
      run: async (given, surroundings) => {
        const { profileUse } = await import("../commands/profile-use.ts");
        return profileUse(given, surroundings);
      },
    },
    {
      name: "profile remove",
      summary: "forget a profile; its key file stays",
      args: [["<name>", "a profile of `keyhearth profile list`"]],
      examples: ["keyhearth profile remove local"],
      run: async (given, surroundings) => {
        const { profileRemove } = await import("../commands/profile-remove.ts");
        return profileRemove(given, surroundings);
      },
    },
  ],
};
