import { decodeSolanaTransaction } from "@keyhearth/crypto/transactions/solana";
import { mostSolanaFee } from "@keyhearth/crypto/transactions/solana-fee";
import { describeSolanaTransaction } from "@keyhearth/crypto/transactions/solana-programs";
import { decimal, type FactLine, isKind, type Read } from "./lines.ts";

const BUDGET = "ComputeBudget111111111111111111111111111111";

/** Programs that move money as shown, or that only set the fee. */
const known = /* @__PURE__ */ new Set([
  "11111111111111111111111111111111",
  "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
  "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb",
  BUDGET,
]);

export function readSolana(bytes: Uint8Array): Read {
  const transaction = decodeSolanaTransaction(bytes);
  const { transfers, splTransfers, instructions, programKeys, accountKeys } =
    describeSolanaTransaction(transaction);
  // The maker of the transaction chooses the price of a unit, which can be all that the payer has.
  const fee = `${decimal(mostSolanaFee(transaction), 9)} SOL`;
  const payments = transfers.flatMap(({ to, amount }): FactLine[] => [
    isKind("payment"),
    { label: "to", value: to, isMono: true },
    { label: "amount", value: `${decimal(amount, 9)} SOL`, isStrong: true },
  ]);
  const tokens = splTransfers.flatMap(({ to, amount, tokenMint }): FactLine[] => [
    isKind("tokenPayment"),
    { label: "to", value: to, isMono: true },
    {
      label: "amount",
      text: { name: "tokenUnits", values: { amount: amount.toString() } },
      isStrong: true,
    },
    ...(tokenMint ? [{ label: "token", value: tokenMint, isMono: true } as const] : []),
  ]);
  const lines: FactLine[] = [
    ...payments,
    ...tokens,
    ...(payments.length + tokens.length === 0 ? [isKind("otherTransaction")] : []),
    { label: "network", value: "Solana" },
    { label: "fee", text: { name: "paidBy", values: { fee, address: accountKeys[0] ?? "" } } },
  ];
  // Other instructions of a known program are not shown above.
  const others = instructions.filter(({ programKey }) => programKey !== BUDGET);
  const isAllShown = others.length === transfers.length + splTransfers.length;
  const unread = programKeys.filter((key) => !known.has(key));
  const programs = (unread.length > 0 ? unread : programKeys.filter((key) => key !== BUDGET)).join(
    ", ",
  );
  return {
    lines,
    warnings: isAllShown ? [] : [{ text: "unreadProgram", values: { programs } }],
  };
}
