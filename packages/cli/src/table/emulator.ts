import type { CommandGroup } from "../command.ts";

const DEV_HELP = `
The real API, with the same core and the same SQL. Only this machine reaches it, and it keeps nothing: use
it for tests, never for keys that matter.

  keyhearth dev
  keyhearth dev --port 0 --json
  keyhearth dev --key-file emulator-key.json
    KEYHEARTH_URL=http://localhost:3100 KEYHEARTH_ROOT_KEY=emulator-key.json node app.ts

With --key-file, organization and key stay the same at the next start. What is written to standard output
comes as soon as it answers, and with --json it is an object.

  POST /emulator/organizations  makes another organization, for a test of its own
  POST /emulator/clock          moves the clock forward: { "forwardMs": 3600000 }
  POST /emulator/reset          begins again
  GET  /mailbox/messages?to=    reads the mail and SMS that were sent

Exit code: 0 stopped by a signal, 2 an option is wrong.`;

/** What tests can talk to instead of a service. */
export const emulatorCommands: CommandGroup = {
  heading: "Tests:",
  words: {},
  entries: [
    {
      name: "dev",
      summary: "run an emulator of the service for tests, in memory",
      options: [
        ["--port <number>", "the port on 127.0.0.1; 0 takes a free one (default: 3100)"],
        ["--organization-id <id>", "id of its organization, a UUID"],
        ["--api-public-key <key>", "public key of the organization's API key, P-256 in hex"],
        ["--key-file <file>", "write the organization's key there, or go on with the key in it"],
      ],
      examples: [
        "keyhearth dev",
        "keyhearth dev --port 0 --json",
        "keyhearth dev --key-file emulator-key.json",
      ],
      help: DEV_HELP,
      run: async (given, { show }) => {
        const { dev } = await import("../commands/dev.ts");
        const options = {
          port: given.option("port"),
          organizationId: given.option("organization-id"),
          apiPublicKey: given.option("api-public-key"),
          keyFile: given.option("key-file"),
        };
        await dev(options, show);
        return null;
      },
    },
  ],
};
