import { encodeBase58 } from "../encoding/base58.ts";
import type { SolanaTransaction } from "./solana.ts";

const BUDGET = "ComputeBudget111111111111111111111111111111";

/** Programs of the runtime that verify signatures: the first byte of an instruction says how many. Each costs as one of its own. */
const VERIFIERS = [
  "Ed25519SigVerify111111111111111111111111111",
  "KeccakSecp256k11111111111111111111111111111",
  "Secp256r1SigVerify1111111111111111111111111",
];

/** `SetComputeUnitLimit` and `SetComputeUnitPrice`. */
const [LIMIT, PRICE] = [2, 3];

const LAMPORTS_OF_SIGNATURE = 5000n;
const UNITS_OF_INSTRUCTION = 200_000n;
const MOST_UNITS = 1_400_000n;

/** The most lamports that a transaction can cost. Its maker chooses the price of a unit, which can be all that the payer has. */
export function mostSolanaFee(
  transaction: Pick<SolanaTransaction, "accountKeys" | "instructions" | "requiredSignatures">,
): bigint {
  const { accountKeys, instructions, requiredSignatures } = transaction;
  const programs = accountKeys.map(encodeBase58);
  const budget = programs.indexOf(BUDGET);
  const limits = instructions.filter(({ programIndex }) => programIndex === budget);
  const given = (kind: number | undefined) =>
    limits.filter(({ data }) => data[0] === kind).map(({ data }) => numberIn(data.slice(1)));
  const usual = UNITS_OF_INSTRUCTION * BigInt(instructions.length - limits.length);
  const units = least(given(LIMIT)[0] ?? usual, MOST_UNITS);
  // In millionths of a lamport.
  const price = given(PRICE)[0] ?? 0n;
  const verified = instructions
    .filter(({ programIndex }) => VERIFIERS.includes(programs[programIndex] ?? ""))
    .reduce((sum, { data }) => sum + (data[0] ?? 0), 0);
  const signatures = BigInt(requiredSignatures + verified);
  return LAMPORTS_OF_SIGNATURE * signatures + (units * price + 999_999n) / 1_000_000n;
}

/** The first byte counts least. */
function numberIn(bytes: Uint8Array): bigint {
  return bytes.reduceRight((number, byte) => number * 256n + BigInt(byte), 0n);
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
