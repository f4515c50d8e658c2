import { encodeBase58Check } from "@keyhearth/crypto/addresses/base58check";
import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { decodeTronTransaction, tronSigningDigest } from "@keyhearth/crypto/transactions/tron";
import { mostTronFee } from "@keyhearth/crypto/transactions/tron-fee";
import { decimal, type FactLine, isKind, type Read, type Warning } from "./lines.ts";

function addressOf(bytes: Uint8Array): string {
  return encodeBase58Check(bytes[0] ?? 0, bytes.subarray(1));
}

export function readTron(bytes: Uint8Array): Read {
  const transaction = decodeTronTransaction(bytes);
  const { action, type } = transaction.contract;
  const warnings: Warning[] = [];
  const trx = (amount: bigint) => `${decimal(amount, 6)} TRX`;
  const lines: FactLine[] = [];
  if (action.kind === "transfer") {
    lines.push(
      isKind("payment"),
      { label: "to", value: addressOf(action.toAddress), isMono: true },
      { label: "amount", value: trx(action.amount), isStrong: true },
    );
  } else if (action.kind === "call") {
    warnings.push({ text: "unreadCall" });
    lines.push(
      isKind("contractCall"),
      { label: "contract", value: addressOf(action.contractAddress), isMono: true },
      { label: "call", value: encodeHex(action.data.subarray(0, 4)), isMono: true },
      { label: "amount", value: trx(action.callValue), isStrong: true },
    );
  } else {
    warnings.push({ text: "unreadTransaction" });
    lines.push(isKind("otherTransaction"), { label: "call", value: type, isMono: true });
  }
  const most = mostTronFee(transaction);
  const fee = trx(most.bytes);
  const energy = trx(most.energy);
  if (most.hasFixedFees) warnings.push({ text: "fixedFees" });
  lines.push(
    { label: "network", value: "Tron" },
    { label: "fee", text: { name: feeTexts[action.kind] ?? "feeAtMost", values: { fee, energy } } },
    { label: "digest", value: encodeHex(tronSigningDigest(transaction)), isMono: true },
  );
  return { lines, warnings };
}

/** An account that is new costs a fixed fee, and nothing in a payment says whether the receiver is. */
const feeTexts: { [kind: string]: "feeUnlessNew" | "feeAndEnergy" } = {
  transfer: "feeUnlessNew",
  call: "feeAndEnergy",
};
