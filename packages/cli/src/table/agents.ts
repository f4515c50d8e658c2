import type { CommandGroup } from "../command.ts";
import { LIMIT_OPTION } from "../pages.ts";

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

const CREATE_HELP = `
The file has policies as for \`policy create\`, in which {{agent}} stands for the agent: in a condition, a
consensus or a time for the id of its user, and in a name or in notes for its name. In the same way, {{person}}
stands for the user who runs the command, such as to approve larger payments:
approvers.any(user, user.id == '{{agent}}') && approvers.any(user, user.id == '{{person}}')

  [
    {
      "policyName": "{{agent}} pays up to 0.01 ETH",
      "effect": "EFFECT_ALLOW",
      "consensus": "approvers.any(user, user.id == '{{agent}}')",
      "condition": "activity.kind == 'SIGN_TRANSACTION' && eth.tx.value <= 10000000000000000"
    }
  ]

Shows what will be made and what it allows, and asks. Then it makes a user that nobody can act as, the
policies with a DENY of everything but signatures, and last the key, for you alone, with a profile of the
agent's name. If a step fails, the same command goes on. A policy that would let the agent change anything is
refused, and so is one that does not mention it, and one that the agent completes together with another agent, or
with any user who has no tag and is not named.

The ids that the policies name are proven by the quorum key that your profile pins, and kept in a file of yours.

Exit code: 0 made, 1 an id is not proven, 2 the file, the name or the profile is wrong, 4 refused, 5 a step waits for approvals, 6 no service.`;

/** Programs that act by themselves, within policies. */
export const agentCommands: CommandGroup = {
  heading: "Agents:",
  words: { agent: "make, list and remove users for programs that act by themselves" },
  entries: [
    {
      name: "agent create",
      summary: "make a user, policies and a key for an agent, after showing what they allow",
      args: [["<name>", "name of the agent, its key and its profile"]],
      options: [
        [
          "--policy <file>",
          "a file with its policies, in which {{agent}} and {{person}} stand for it and you",
        ],
        ["--allow-unrelated", "take policies that do not mention the agent"],
        ["--yes", "do not ask"],
      ],
      connects: true,
      examples: [
        "keyhearth agent create trader --policy trader.json",
        "keyhearth agent create trader --policy trader.json --yes --json",
      ],
      help: CREATE_HELP,
      run: async (given, surroundings) => {
        const { agentCreate } = await import("../commands/agent-create.ts");
        return agentCreate(given, surroundings);
      },
    },
    {
      name: "agent list",
      summary: "list the agents that `agent create` made",
      options: [LIMIT_OPTION],
      connects: true,
      examples: ["keyhearth agent list"],
      run: async (given, surroundings) => {
        const { agentList } = await import("../commands/agent-list.ts");
        return agentList(given, surroundings);
      },
    },
    {
      name: "agent remove",
      summary: "delete an agent: its user with every key, and then its policies",
      args: [["<name>", "name of the agent, or the id of its user"]],
      options: [["--yes", "do not ask; an agent that was not made here is then named by its id"]],
      connects: true,
      examples: ["keyhearth agent remove trader"],
      run: async (given, surroundings) => {
        const { agentRemove } = await import("../commands/agent-remove.ts");
        return agentRemove(given, surroundings);
      },
    },
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
