import { checksumAddress } from "@keyhearth/crypto/addresses/ethereum";
import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import {
  decodeEthereumTransaction,
  ethereumSigningDigest,
} from "@keyhearth/crypto/transactions/ethereum";
import { mostEthereumFee } from "@keyhearth/crypto/transactions/ethereum-fee";
import type { KitTexts } from "../texts.ts";
import { decimal, type FactLine, isKind, type Read, type Warning } from "./lines.ts";

/** Networks with the name of their coin. All of them count it in 10^18. */
const networks: Record<string, [name: string, coin: string]> = {
  "1": ["Ethereum", "ETH"],
  "10": ["OP Mainnet", "ETH"],
  "56": ["BNB Smart Chain", "BNB"],
  "100": ["Gnosis", "xDAI"],
  "137": ["Polygon", "POL"],
  "8453": ["Base", "ETH"],
  "42161": ["Arbitrum One", "ETH"],
  "43114": ["Avalanche", "AVAX"],
  "84532": ["Base Sepolia", "ETH"],
  "11155111": ["Sepolia", "ETH"],
};

const TRANSFER = "a9059cbb";
const APPROVE = "095ea7b3";

export function readEthereum(bytes: Uint8Array): Read {
  const transaction = decodeEthereumTransaction(bytes);
  const { chainId, to, value, data } = transaction;
  const [name, coin] = networks[String(chainId)] ?? [`Chain ${chainId}`, "× 10^18"];
  const warnings: Warning[] = [];
  if (chainId === null) warnings.push({ text: "replayable" });
  if (transaction.type === "TYPE_4") {
    for (const { address } of transaction.authorizationList) {
      warnings.push({ text: "delegates", values: { address: addressOf(address) } });
    }
  }
  const call = callOf(to, data, warnings);
  const isSent = value > 0n || (to !== null && data.length === 0);
  const lines: FactLine[] = [
    ...call,
    ...(isSent
      ? [{ label: "amount", value: `${decimal(value, 18)} ${coin}`, isStrong: true } as const]
      : []),
    { label: "network", value: chainId === null ? "—" : name },
    {
      label: "fee",
      text: {
        name: "feeAtMost",
        values: { fee: `${decimal(mostEthereumFee(transaction), 18)} ${coin}` },
      },
    },
    { label: "digest", value: `0x${encodeHex(ethereumSigningDigest(transaction))}`, isMono: true },
  ];
  return { lines, warnings };
}

function addressOf(bytes: Uint8Array): string {
  return checksumAddress(encodeHex(bytes));
}

function callOf(to: Uint8Array | null, data: Uint8Array, warnings: Warning[]): FactLine[] {
  const size = {
    label: "data",
    text: { name: "bytes", values: { count: String(data.length) } },
  } as const;
  if (to === null) {
    warnings.push({ text: "unreadCall" });
    return [isKind("deployment"), size];
  }
  const recipient = addressOf(to);
  if (data.length === 0) {
    return [isKind("payment"), { label: "to", value: recipient, isMono: true }];
  }
  const hex = encodeHex(data);
  const token = tokenCall(hex);
  if (token) {
    const { isApproval, address, amount } = token;
    if (isApproval) warnings.push({ text: "tokenOrCollectible" });
    return [
      isKind(isApproval ? "tokenApproval" : "tokenPayment"),
      { label: isApproval ? "spender" : "to", value: address, isMono: true },
      {
        label: "amount",
        text: { name: amountText(isApproval, amount), values: { amount: amount.toString() } },
        isStrong: true,
      },
      { label: "token", value: recipient, isMono: true },
    ];
  }
  warnings.push({ text: "unreadCall" });
  return [
    isKind("contractCall"),
    { label: "contract", value: recipient, isMono: true },
    { label: "call", value: `0x${hex.slice(0, 8)}`, isMono: true },
    size,
  ];
}

/** What ERC-721 approves by the same call is one collectible, whose number is where ERC-20 has the amount. */
function amountText(isApproval: boolean, amount: bigint): keyof KitTexts {
  if (!isApproval) return "tokenUnits";
  return amount >= 1n << 255n ? "unlimitedOrCollectible" : "unitsOrCollectible";
}

/** A transfer or an approval as ERC-20 has them: the selector, and two words without a bit too many. */
function tokenCall(hex: string) {
  const selector = hex.slice(0, 8);
  const isApproval = selector === APPROVE;
  const [, address, amount] = /^.{8}0{24}(.{40})(.{64})$/.exec(hex) ?? [];
  if (!address || !amount || !(isApproval || selector === TRANSFER)) return undefined;
  return { isApproval, address: checksumAddress(address), amount: BigInt(`0x${amount}`) };
}
