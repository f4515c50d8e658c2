import { parseArgs } from "node:util";
import { Cancelled, type KeyhearthClient, type VerifiedRequest } from "@keyhearth/sdk";
import { formatEther, getAddress, type Hex, parseTransaction } from "viem";
import { main } from "./explain.ts";
import { type ApproverFile, approverFile, clientOf, read } from "./files.ts";
import { confirm, printable } from "./prompt.ts";

// The approver's side: shows what a waiting payout would sign, and approves or rejects it.

const usage = "Usage: npm run approve -- ID [--reject] [--fingerprint FINGERPRINT [--yes]]";

const { values, positionals } = parse();
const [id] = positionals;
if (values.help || id === undefined || positionals.length > 1) {
  console.log(usage);
  process.exit(values.help ? 0 : 2);
}
const { yes = false, fingerprint } = values;
if (yes && fingerprint === undefined) {
  console.error(
    `--yes needs --fingerprint FINGERPRINT, because the service says which request has the id: take the fingerprint from the requester, whose command or program printed it, or leave --yes out to read the request and be asked\n${usage}`,
  );
  process.exit(2);
}
// Nothing else than the request that has it is voted on, whatever the service shows under the id.
const expected = fingerprint === undefined ? {} : { fingerprint };

await main(async () => {
  const own = await read<ApproverFile>(approverFile);
  const approver = clientOf(own);
  return values.reject ? reject(approver, own, id) : approve(approver, own, id);
});

function parse() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        yes: { type: "boolean", short: "y" },
        fingerprint: { type: "string" },
        reject: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${usage}`);
    return process.exit(2);
  }
}

async function approve(
  approver: KeyhearthClient,
  own: ApproverFile,
  activityId: string,
): Promise<void> {
  try {
    // The client has verified these bytes: they are what the server's key stamped.
    const decide = async (request: VerifiedRequest) => {
      const payout = describe(request, own);
      console.log(payout ?? `This is not a payout of the server:\n${printable(request.body)}`);
      if (!payout) return false;
      return yes || (await confirm("Approve? [y/N] "));
    };
    const { activity } = await approver.approve(activityId, decide, expected);
    const isSigned = activity.status === "ACTIVITY_STATUS_COMPLETED";
    console.log(
      isSigned
        ? `Signed: GET /payouts/${activityId} returns the signed transaction`
        : `Approved: GET /payouts/${activityId} says what became of it`,
    );
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    console.log(`Not approved. To end it: npm run approve -- ${activityId} --reject`);
    process.exitCode = 1;
  }
}

/** Nobody can approve the payout afterwards, so it is shown first: the service says which one has the id. */
async function reject(
  approver: KeyhearthClient,
  own: ApproverFile,
  activityId: string,
): Promise<void> {
  try {
    await approver.reject(activityId, {
      ...expected,
      decide: async (request) => {
        // No matter who stamped it: a rejection signs nothing.
        const payout = describe({ ...request, publicKey: own.serverPublicKey }, own);
        console.log(payout ?? `This is not a payout of the server:\n${printable(request.body)}`);
        return yes || (await confirm("Reject? [y/N] "));
      },
    });
    console.log(`Rejected ${activityId}`);
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    console.log("Not rejected.");
    process.exitCode = 1;
  }
}

/** What a payout does. Undefined for everything that is more, or by somebody else than the server. */
function describe(
  { type, parameters, publicKey, fingerprint }: VerifiedRequest,
  own: ApproverFile,
): string | undefined {
  const { type: chain, unsignedTransaction, signWith } = parameters;
  if (publicKey !== own.serverPublicKey || signWith !== own.largeAccount) return undefined;
  if (!/^ACTIVITY_TYPE_SIGN_TRANSACTION(_V2)?$/.test(type)) return undefined;
  if (chain !== "TRANSACTION_TYPE_ETHEREUM" || typeof unsignedTransaction !== "string") {
    return undefined;
  }
  const hex: Hex = `0x${unsignedTransaction.replace(/^0x/, "")}`;
  const transaction = parseTransaction(hex);
  const { to, value = 0n, chainId, nonce = 0, gas = 0n, maxFeePerGas = 0n } = transaction;
  // Data calls a contract, which can move more than the value.
  const isTransfer = to && !transaction.data && !transaction.accessList?.length;
  if (transaction.type !== "eip1559" || !isTransfer) return undefined;
  return [
    `Pay ${formatEther(value)} ETH`,
    `  to    ${getAddress(to)}`,
    `  from  ${signWith}`,
    `  on    chain ${chainId}, nonce ${nonce}`,
    `  fee   at most ${formatEther(gas * maxFeePerGas)} ETH`,
    `  fingerprint  ${fingerprint}`,
  ].join("\n");
}
