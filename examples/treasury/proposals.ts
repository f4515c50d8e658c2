import {
  type Activity,
  type RequestToReject,
  Unverified,
  type VerifiedRequest,
} from "@keyhearth/sdk";
import { verifyStampedRequest } from "@keyhearth/sdk/crypto";
import {
  type Address,
  formatEther,
  getAddress,
  type Hex,
  keccak256,
  parseGwei,
  parseTransaction,
  recoverTransactionAddress,
  serializeTransaction,
} from "viem";
import { type Treasury, UserError } from "./members.ts";
import { printable } from "./prompt.ts";

/** A payment, read from the bytes that a member stamped. */
export type Proposal = {
  to: Address;
  wei: bigint;
  chainId: number;
  nonce: number;
  maxFeeWei: bigint;
  /** The member whose key stamped it. */
  by: string;
};

const STATUS = {
  ACTIVITY_STATUS_CREATED: "in progress",
  ACTIVITY_STATUS_PENDING: "in progress",
  ACTIVITY_STATUS_CONSENSUS_NEEDED: "waiting",
  ACTIVITY_STATUS_COMPLETED: "signed",
  ACTIVITY_STATUS_REJECTED: "rejected",
  ACTIVITY_STATUS_FAILED: "failed",
} as const satisfies Record<Activity["status"], string>;

/** In words of this program: what the service answers is not printed. */
export function statusOf({ status }: Activity): (typeof STATUS)[Activity["status"]] | "unknown" {
  return Object.hasOwn(STATUS, status) ? STATUS[status] : "unknown";
}

const GAS = 21_000n;

/** The transaction of a payment, as `signTransaction` takes it. */
export function transactionOf(payment: {
  to: Address;
  wei: bigint;
  chainId: number;
  nonce: number;
}) {
  const { to, wei, chainId, nonce } = payment;
  return serializeTransaction({
    type: "eip1559",
    chainId,
    nonce,
    to,
    value: wei,
    gas: GAS,
    // A program that sends transactions asks its node for these two.
    maxFeePerGas: parseGwei("30"),
    maxPriorityFeePerGas: parseGwei("1"),
  });
}

/**
 * What a verified request would pay, or why it is not an ordinary payment of this treasury. Whatever this
 * cannot read completely must not be approved.
 */
export function proposalOf(request: VerifiedRequest, treasury: Treasury): Proposal | string {
  const { type, parameters, publicKey } = request;
  const by = Object.entries(treasury.members).find(([, key]) => key === publicKey)?.[0];
  if (!by) return `stamped by the key ${printable(publicKey)}, which is not a member's`;
  if (!/^ACTIVITY_TYPE_SIGN_TRANSACTION(_V2)?$/.test(type)) {
    return `not a payment, but ${printable(type)}`;
  }
  const { type: chain, signWith, unsignedTransaction } = parameters;
  if (chain !== "TRANSACTION_TYPE_ETHEREUM") return "a transaction of another chain";
  if (typeof signWith !== "string" || typeof unsignedTransaction !== "string") {
    return "without an account or a transaction";
  }
  if (signWith.toLowerCase() !== treasury.address.toLowerCase()) {
    return `signed with ${printable(signWith)}`;
  }
  return readTransaction(`0x${unsignedTransaction.replace(/^0x/, "")}`, by);
}

function readTransaction(hex: Hex, by: string): Proposal | string {
  try {
    const { type, to, value, chainId, nonce, data, gas, maxFeePerGas, ...rest } =
      parseTransaction(hex);
    if (type !== "eip1559" || !to || data || rest.accessList?.length) {
      return "more than a transfer of ether";
    }
    return {
      to: getAddress(to),
      wei: value ?? 0n,
      chainId,
      nonce: nonce ?? 0,
      maxFeeWei: (gas ?? 0n) * (maxFeePerGas ?? 0n),
      by,
    };
  } catch {
    return "a transaction that cannot be read";
  }
}

/** The same for an activity, whose request is verified first. */
export function proposalOfActivity(activity: Activity, treasury: Treasury): Proposal | string {
  try {
    return proposalOf(verifyStampedRequest(activity), treasury);
  } catch (error) {
    if (error instanceof Unverified) return printable(error.message);
    throw error;
  }
}

/** A chain executes transactions in the order of their nonces, so a gap holds up all later ones. */
export function freeNonce(activities: Activity[], treasury: Treasury): number {
  const used = new Set(
    activities
      .filter(({ status }) => !/_(REJECTED|FAILED)$/.test(status))
      .map((activity) => proposalOfActivity(activity, treasury))
      .map((proposal) => (typeof proposal === "string" ? undefined : proposal.nonce)),
  );
  let nonce = 0;
  while (used.has(nonce)) nonce++;
  return nonce;
}

export function describe({ to, wei, chainId, nonce, maxFeeWei, by }: Proposal): string {
  return [
    `  Pay       ${formatEther(wei)} ETH`,
    `  to        ${to}`,
    `  on        chain ${chainId}, nonce ${nonce}`,
    `  fee       at most ${formatEther(maxFeeWei)} ETH`,
    `  proposed  by ${by}`,
  ].join("\n");
}

/** What a rejection would end. Nothing is signed by it, so that whoever stamped the request may be anybody. */
export function whatIs(request: RequestToReject, treasury: Treasury): string {
  const { type, body } = request;
  const { signWith, unsignedTransaction } = request.parameters;
  if (
    typeof unsignedTransaction === "string" &&
    /^ACTIVITY_TYPE_SIGN_TRANSACTION(_V2)?$/.test(type)
  ) {
    const read = readTransaction(`0x${unsignedTransaction.replace(/^0x/, "")}`, "a member");
    const isOwn = String(signWith).toLowerCase() === treasury.address.toLowerCase();
    if (typeof read !== "string" && isOwn) return describe(read);
  }
  return `This is not a payment of the treasury:\n${printable(body)}`;
}

/**
 * The signed transaction of a completed activity. Throws if it is not the proposed one, signed by the treasury: what the
 * service answers is sent to a chain.
 */
export async function signedOf(
  activity: Activity,
  treasury: Treasury,
): Promise<{ signed: Hex; hash: Hex } | undefined> {
  const hex = activity.result?.signTransactionResult?.signedTransaction;
  if (!hex) return undefined;
  const proposal = proposalOfActivity(activity, treasury);
  if (typeof proposal === "string") return undefined;
  const signed: Hex = `0x${hex}`;
  if (await isSigned(signed, activity, treasury)) return { signed, hash: keccak256(signed) };
  throw new UserError(
    "The service answered with a transaction that is not the proposed one, signed by the treasury. Don't send it, and ask your operator.",
  );
}

async function isSigned(signed: Hex, activity: Activity, { address }: Treasury): Promise<boolean> {
  if (!/^0x02[0-9a-f]+$/.test(signed)) return false;
  try {
    const { unsignedTransaction } = verifyStampedRequest(activity).parameters;
    // The pattern says that it is one of this type.
    const serializedTransaction = signed as `0x02${string}`;
    const parsed = parseTransaction(serializedTransaction);
    const { r, s, yParity, v, ...transaction } = parsed;
    const unsigned = serializeTransaction(transaction);
    const signer = await recoverTransactionAddress({ serializedTransaction });
    const isProposed = unsigned === `0x${String(unsignedTransaction).replace(/^0x/, "")}`;
    // Nothing is behind it.
    const isWhole = serializeTransaction(parsed) === signed;
    return isProposed && isWhole && signer === getAddress(address);
  } catch {
    return false;
  }
}
