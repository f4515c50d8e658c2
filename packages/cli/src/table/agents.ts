import type { CommandGroup } from "../command.ts";

const MCP_HELP = `
A server of the Model Context Protocol, for one program and with one key. Its tools list wallets and accounts,
simulate, sign messages and transactions, and wait for approvals. None of them adds keys, users or
policies, imports, exports, or sends a transaction to a chain. The policies of the service decide about each
signature, so a root user's key is refused: make a user with \`keyhearth agent create\`.

  keyhearth mcp --profile trader
    serves the program that starts it, over standard input and output
  keyhearth mcp --profile trader --http 3200
    serves programs of this machine at http://127.0.0.1:3200/mcp

Over HTTP, every request needs the token that is printed at the start, or that of --token-file, in the header
Authorization: Bearer TOKEN. Standard error is the log.

Exit code: 0 the program went away or a signal came, 2 an option or the key is wrong, 6 no service.`;

/** Programs that act by themselves, within policies. */
export const agentCommands: CommandGroup = {
  heading: "Agents:",
  words: {},
  entries: [
    {
      name: "mcp",
      summary: "serve wallets to an agent over the Model Context Protocol",
      options: [
        [
          "--http [port]",
          "serve over HTTP on 127.0.0.1, instead of standard input; 0 takes a free port (3200)",
        ],
        ["--token-file <file>", "a file with the token of --http, which only you can read"],
      ],
      connects: true,
      examples: [
        "keyhearth mcp --profile trader",
        "keyhearth mcp --profile trader --http 3200 --token-file token",
      ],
      help: MCP_HELP,
      run: async (given, surroundings) => {
        const { mcp } = await import("../commands/mcp.ts");
        return mcp(given, surroundings);
      },
    },
  ],
};
