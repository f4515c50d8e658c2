import type { CallToolResult, ServerContext, ToolAnnotations } from "@modelcontextprotocol/server";
import * as z from "zod";
import { outcomeReasons } from "../denials.ts";
import { byWhom } from "../outcomes.ts";
import { timeOf } from "../tables.ts";
import type { Agent } from "./agent.ts";
import { answer, data, dataIn } from "./answers.ts";
import { type Bound, LONGEST_MESSAGE, LONGEST_TRANSACTION } from "./bounds.ts";
import type { LostAnswers } from "./lost-answers.ts";
import { factsOf, isOwn, readOwn, SIGN_TYPES, shownActivity } from "./own-requests.ts";
import { requestOf } from "./requests.ts";
import { sign } from "./signing.ts";
import { waitFor } from "./waiting.ts";

/** What a tool works with. */
export type Work = {
  readonly agent: Agent;
  readonly lost: LostAnswers;
  readonly waits: Bound;
};

export type Call = { readonly context: ServerContext; readonly signal: AbortSignal };

/** A tool: all that a program can do with the key. `tools` has all of them. */
export type Tool = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  readonly run: (work: Work, given: unknown, call: Call) => Promise<CallToolResult>;
};

/** Keeps the type of what the schema has parsed within the tool. */
function tool<Input extends z.ZodObject>(
  each: Omit<Tool, "input" | "run"> & {
    input: Input;
    run: (work: Work, given: z.output<Input>, call: Call) => Promise<CallToolResult>;
  },
): Tool {
  // The server calls a tool with what its own schema has parsed.
  return { ...each, run: (work, given, call) => each.run(work, given as z.output<Input>, call) };
}

const reads = { readOnlyHint: true, destructiveHint: false, openWorldHint: false };
const signs = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: true,
};

const Uuid = z
  .string()
  .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, "must be a UUID in lower case");
const ActivityId = Uuid.describe("Id of the activity, as the call that asked for it answered.");
const Fingerprint = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/, "must be sha256: and 64 hexadecimal digits")
  .optional()
  .describe(
    "The fingerprint that the call for the signature answered. Another request is refused. Leave it out for what this server sent since its start: it remembers it.",
  );
const Limit = z.int().min(1).max(100).default(50).describe("The most entries to return.");
const SignWith = z
  .string()
  .min(1)
  .max(256)
  .describe("Address of an account, as list_accounts shows it.");
const Chain = z
  .enum(["ethereum", "solana", "tron", "bitcoin"])
  .describe("Chain of the transaction. Every EVM chain is ethereum.");
const Transaction = z
  .string()
  .max(LONGEST_TRANSACTION)
  .regex(/^(0x)?([0-9a-fA-F]{2})+$/, "must be an even number of hexadecimal digits")
  .describe(
    "The unsigned transaction in hexadecimal digits. Ethereum: its unsigned serialization. Solana: with empty signature slots. Tron: raw_data_hex. Bitcoin: a PSBT.",
  );
const Message = z
  .string()
  .min(1)
  .max(LONGEST_MESSAGE)
  .refine((text) => text.isWellFormed(), "must be text without halves of characters")
  .describe("The text. Ethereum accounts sign it as EIP-191, others its bytes or SHA-256.");
const TimestampMs = z
  .string()
  .regex(/^\d{13}$/, "must be milliseconds since 1970 as 13 digits in a string")
  .optional()
  .describe(
    "Identifies the request: the same request with the same timestampMs signs once. Give it to repeat a call whose answer was lost, at most an hour later. Otherwise leave it out.",
  );

const Request = z.strictObject({
  activityId: z.string(),
  kind: z.enum(["transaction", "message"]),
  status: z.enum(["signed", "waiting", "rejected", "failed", "running"]),
  fingerprint: z.string(),
  timestampMs: z.string().optional(),
  signWith: z.string(),
  createdAt: z.string(),
  votes: z.array(
    z.strictObject({ userId: z.string(), userName: z.string(), selection: z.string() }),
  ),
  signedTransaction: z.string().optional(),
  signature: z.string().optional(),
  scheme: z.string().optional(),
  failure: z.string().optional(),
  neededApprovals: z.array(z.array(z.string())).optional(),
});

const SIGNING =
  "The user's policies decide. The answer has status signed, or waiting if other users must approve first: then give the activity id and the fingerprint to a person, and call wait_for_approval. If policies deny it, the error says which one, and why.";

export const tools: readonly Tool[] = [
  tool({
    name: "list_wallets",
    title: "List wallets",
    description: "Lists the wallets of the organization. Names are data that people chose.",
    annotations: reads,
    input: z.strictObject({ limit: Limit }),
    output: z.strictObject({
      wallets: z.array(
        z.strictObject({ walletId: z.string(), walletName: z.string(), createdAt: z.string() }),
      ),
      hasMore: z.boolean(),
    }),
    async run({ agent }, { limit }, { signal }) {
      const found = await agent.client.listWallets({}, { signal });
      const wallets = found.wallets.slice(0, limit).map(({ walletId, walletName, createdAt }) => ({
        walletId: data(walletId),
        walletName: data(walletName, 100),
        createdAt: timeOf(createdAt),
      }));
      const lines = wallets.map(({ walletId, walletName }) => `${walletId}  ${walletName}`);
      return answer({ wallets, hasMore: found.wallets.length > limit }, listed(lines, "wallet"));
    },
  }),
  tool({
    name: "list_accounts",
    title: "List accounts",
    description:
      "Lists the accounts of a wallet with their addresses. sign_transaction and sign_message take an address.",
    annotations: reads,
    input: z.strictObject({
      walletId: Uuid.describe("Id of the wallet, as list_wallets shows it."),
      limit: Limit,
      after: Uuid.optional().describe("Go on after this walletAccountId."),
    }),
    output: z.strictObject({
      accounts: z.array(
        z.strictObject({
          walletAccountId: z.string(),
          address: z.string(),
          addressFormat: z.string(),
          curve: z.string(),
          path: z.string(),
        }),
      ),
      hasMore: z.boolean(),
    }),
    async run({ agent }, { walletId, limit, after }, { signal }) {
      const found = await agent.client.listWalletAccounts(
        { walletId, paginationOptions: { limit: String(limit), ...(after && { after }) } },
        { signal },
      );
      const accounts = found.accounts.slice(0, limit).map((each) => ({
        walletAccountId: data(each.walletAccountId),
        address: data(each.address),
        addressFormat: data(each.addressFormat),
        curve: data(each.curve),
        path: data(each.path),
      }));
      const lines = accounts.map(({ address, addressFormat }) => `${address}  ${addressFormat}`);
      const hasMore = found.accounts.length >= limit;
      return answer({ accounts, hasMore }, listed(lines, "account"));
    },
  }),
  tool({
    name: "simulate",
    title: "Simulate a signature",
    description:
      "Says what the policies would decide about a request for a signature, and why. It signs nothing, and makes no request.",
    annotations: reads,
    input: z.strictObject({
      request: z.discriminatedUnion("kind", [
        z.strictObject({
          kind: z.literal("transaction"),
          signWith: SignWith,
          chain: Chain,
          unsignedTransaction: Transaction,
        }),
        z.strictObject({ kind: z.literal("message"), signWith: SignWith, message: Message }),
      ]),
    }),
    output: z.strictObject({
      decision: z.enum(["allowed", "waits", "denied"]),
      outcome: z.string(),
      decidedBy: z.string(),
      neededApprovals: z.array(z.array(z.string())),
      policies: z.array(z.unknown()),
    }),
    async run({ agent }, { request }, { signal }) {
      const { type, parameters } = await requestOf(agent, request);
      const { outcome, reason, neededApprovals, evaluations } = await agent.client.simulateActivity(
        { activity: { type, parameters: { ...parameters } } },
        { signal },
      );
      const reasons =
        evaluations.length === 0 ? [] : await outcomeReasons(evaluations, agent.client);
      const decision =
        outcome === "OUTCOME_ALLOW"
          ? "allowed"
          : outcome === "OUTCOME_REQUIRES_CONSENSUS"
            ? "waits"
            : "denied";
      return answer(
        {
          decision,
          outcome: data(outcome),
          decidedBy: data(byWhom(reason)),
          neededApprovals: dataIn(neededApprovals),
          policies: dataIn(reasons.map(({ json }) => json)),
        },
        [
          `${decision}, decided by ${data(byWhom(reason))}`,
          ...reasons.map(({ line }) => data(line, 1000)),
          ...neededApprovals.map((ids) =>
            data(`approvals that would complete it: ${ids.join(", ")}`),
          ),
        ],
      );
    },
  }),
  tool({
    name: "sign_transaction",
    title: "Sign a transaction",
    description: `Signs a transaction, and sends it to no chain. ${SIGNING}`,
    annotations: signs,
    input: z.strictObject({
      signWith: SignWith,
      chain: Chain,
      unsignedTransaction: Transaction,
      timestampMs: TimestampMs,
    }),
    output: Request,
    run: ({ agent, lost }, { timestampMs, ...wanted }, { signal }) =>
      sign(agent, { kind: "transaction", ...wanted }, { lost, timestampMs, signal }),
  }),
  tool({
    name: "sign_message",
    title: "Sign a message",
    description: `Signs a text. ${SIGNING}`,
    annotations: signs,
    input: z.strictObject({ signWith: SignWith, message: Message, timestampMs: TimestampMs }),
    output: Request,
    run: ({ agent, lost }, { timestampMs, ...wanted }, { signal }) =>
      sign(agent, { kind: "message", ...wanted }, { lost, timestampMs, signal }),
  }),
  tool({
    name: "wait_for_approval",
    title: "Wait for approval",
    description:
      "Waits until a request of this agent has been signed, rejected or failed, and answers it then, with the signature if there is one. If the time ends first, the status is waiting: call again, or later.",
    annotations: { ...reads, idempotentHint: true },
    input: z.strictObject({
      activityId: ActivityId,
      fingerprint: Fingerprint,
      timeoutSeconds: z
        .int()
        .min(1)
        .max(600)
        .default(45)
        .describe("How long to wait at most. Many clients end a call after 60 seconds."),
    }),
    output: Request,
    async run({ agent, waits }, { timeoutSeconds, ...which }, { context, signal }) {
      const progressToken = context.mcpReq._meta?.progressToken;
      const report = async (progress: number, message: string) => {
        if (progressToken === undefined) return;
        await context.mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken, progress, total: timeoutSeconds, message },
        });
      };
      const activity = await waits.within(() =>
        waitFor(agent, which, { timeoutSeconds, signal, report }),
      );
      return shownActivity(agent, activity, which.fingerprint);
    },
  }),
  tool({
    name: "get_request",
    title: "Read a request",
    description:
      "Reads a request for a signature that this agent made: its status, its votes, its signature, and whose approvals are missing.",
    annotations: reads,
    input: z.strictObject({ activityId: ActivityId, fingerprint: Fingerprint }),
    output: Request,
    run: async ({ agent }, which, { signal }) =>
      shownActivity(agent, await readOwn(agent, which, signal), which.fingerprint),
  }),
  tool({
    name: "list_requests",
    title: "List requests",
    description:
      "Lists this agent's newest requests for signatures, such as one whose answer was lost. get_request reads the signature of one.",
    annotations: reads,
    input: z.strictObject({
      limit: z.int().min(1).max(50).default(10).describe("The most entries to return."),
    }),
    output: z.strictObject({ requests: z.array(Request) }),
    async run({ agent }, { limit }, { signal }) {
      const { activities } = await agent.client.listActivities(
        { filterByType: [...SIGN_TYPES], paginationOptions: { limit: "100" } },
        { signal },
      );
      const requests = activities
        .filter((each) => isOwn(each, agent))
        .slice(0, limit)
        .map((each) => factsOf(each, agent));
      const lines = requests.map(
        ({ activityId, status, kind, createdAt }) =>
          `${activityId}  ${status}  ${kind}  ${createdAt}`,
      );
      return answer({ requests }, listed(lines, "request"));
    },
  }),
];

function listed(lines: readonly string[], noun: string): readonly string[] {
  return lines.length === 0 ? [`there is no ${noun}`] : lines;
}
