import {
  type Activity,
  ConsensusNeeded,
  type DecideOptions,
  type KeyhearthClient,
  type VerifiedRequest,
} from "@keyhearth/sdk";
import { type Address, formatEther, isAddress, parseEther } from "viem";
import { readTreasury, type Treasury, UserError } from "./members.ts";
import { confirm, printable } from "./prompt.ts";
import {
  describe,
  freeNonce,
  proposalOf,
  proposalOfActivity,
  signedOf,
  statusOf,
  transactionOf,
  whatIs,
} from "./proposals.ts";

// What the members can do. Each command returns the text that it shows.

export async function propose(
  client: KeyhearthClient,
  { to, amount }: { to: string | undefined; amount: string | undefined },
): Promise<string> {
  const treasury = await readTreasury();
  const payment = { to: parseAddress(to), wei: parseAmount(amount), chainId: 1 };
  const nonce = freeNonce(await activitiesOf(client), treasury);
  try {
    const { activity } = await client.signTransaction({
      signWith: treasury.address,
      type: "TRANSACTION_TYPE_ETHEREUM",
      unsignedTransaction: transactionOf({ ...payment, nonce }),
    });
    return outcome(activity, treasury);
  } catch (error) {
    // The proposer's stamp is the first of two approvals.
    if (error instanceof ConsensusNeeded) return outcome(error.activity, treasury);
    throw error;
  }
}

export async function list(client: KeyhearthClient): Promise<string> {
  const treasury = await readTreasury();
  const activities = await activitiesOf(client);
  if (activities.length === 0) return "No proposals yet. Make one with: propose";
  const rows = activities.map((activity) => {
    const proposal = proposalOfActivity(activity, treasury);
    const what =
      typeof proposal === "string"
        ? proposal
        : `${formatEther(proposal.wei)} ETH to ${proposal.to}, by ${proposal.by}`;
    return `${printable(activity.id)}  ${statusOf(activity).padEnd(11)}  ${what}`;
  });
  return rows.join("\n");
}

export async function status(client: KeyhearthClient, id: string): Promise<string> {
  const { activity } = await client.getActivity({ activityId: id });
  return outcome(activity, await readTreasury());
}

/** How a member votes: with or without being asked, and on the request with which fingerprint. */
export type Voting = {
  yes: boolean;
  fingerprint: string | undefined;
  show: (text: string) => void;
};

/** Shows what the bytes say, asks, and approves. The second approval signs. */
export async function approve(
  client: KeyhearthClient,
  id: string,
  { yes, fingerprint, show }: Voting,
): Promise<string> {
  const treasury = await readTreasury();
  const { canApprove } = await waiting(client, id);
  if (!canApprove) throw new UserError("Your approval counts already: ask another member.");
  const decide = async (request: VerifiedRequest) => {
    const proposal = proposalOf(request, treasury);
    if (typeof proposal === "string") {
      throw new UserError(`Not approved: the request is ${proposal}.\n${printable(request.body)}`);
    }
    show(describe(proposal));
    return yes || (await confirm("Approve? [y/N] "));
  };
  const { activity } = await client.approve(id, decide, expecting(fingerprint));
  return outcome(activity, treasury);
}

/** Shows what the bytes say, asks, and rejects: nobody can approve the proposal afterwards. */
export async function reject(
  client: KeyhearthClient,
  id: string,
  { yes, fingerprint, show }: Voting,
): Promise<string> {
  const treasury = await readTreasury();
  await waiting(client, id);
  const { activity } = await client.reject(id, {
    ...expecting(fingerprint),
    decide: async (request) => {
      show(whatIs(request, treasury));
      return yes || (await confirm("Reject? [y/N] "));
    },
  });
  return outcome(activity, treasury);
}

// Nothing else than the request that has it is voted on, whatever the service shows under the id.
function expecting(fingerprint: string | undefined): DecideOptions {
  return fingerprint === undefined ? {} : { fingerprint };
}

// A late decision should say what became of the proposal, not that it came too late.
async function waiting(client: KeyhearthClient, id: string): Promise<Activity> {
  const { activity } = await client.getActivity({ activityId: id });
  const status = statusOf(activity);
  if (status !== "waiting") throw new UserError(`Proposal ${id} is no longer waiting: ${status}.`);
  return activity;
}

async function activitiesOf(client: KeyhearthClient): Promise<Activity[]> {
  const { activities } = await client.listActivities({
    filterByType: ["ACTIVITY_TYPE_SIGN_TRANSACTION", "ACTIVITY_TYPE_SIGN_TRANSACTION_V2"],
    paginationOptions: { limit: "100" },
  });
  return activities;
}

async function outcome(activity: Activity, treasury: Treasury): Promise<string> {
  const { votes, failure } = activity;
  const [id, status] = [printable(activity.id), statusOf(activity)];
  const proposal = proposalOfActivity(activity, treasury);
  const signed = await signedOf(activity, treasury);
  const voters = (selection: string) =>
    votes
      .filter((vote) => vote.selection === selection)
      .map(({ user }) => printable(user.userName));
  const rejecters = voters("VOTE_SELECTION_REJECTED");
  // The proposal was read from bytes that have it.
  const expected = typeof proposal === "string" ? "" : ` --fingerprint ${activity.fingerprint}`;
  const lines = [
    `${id}: ${status}`,
    typeof proposal === "string" ? `  This is ${proposal}` : describe(proposal),
    `  approved  by ${voters("VOTE_SELECTION_APPROVED").join(" and ")}`,
    rejecters.length > 0 && `  rejected  by ${rejecters.join(" and ")}`,
    failure && `  failed    ${printable(failure.message ?? "")}`,
    signed && `  hash      ${signed.hash}\n  signed    ${signed.signed}`,
    status === "waiting" && `One more approval is needed: approve ${id} --as NAME${expected}`,
  ];
  return lines.filter(Boolean).join("\n");
}

function parseAddress(to: string | undefined): Address {
  if (to !== undefined && isAddress(to)) return to;
  throw new UserError(
    "--to must be an Ethereum address with 0x, in lower case or with its checksum",
  );
}

function parseAmount(amount: string | undefined): bigint {
  if (amount !== undefined && /^\d{1,9}(\.\d{1,18})?$/.test(amount)) return parseEther(amount);
  throw new UserError("--amount must be an amount of ether, such as 0.5, with at most 18 decimals");
}
