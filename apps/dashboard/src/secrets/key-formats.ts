import type { AddressFormat, Curve } from "@keyhearth/sdk";
import type { KeyFormat } from "@keyhearth/sdk/crypto";
import type { Option } from "../ui/fields.tsx";

const hex = { id: "HEXADECIMAL", label: "Hexadecimal", hint: "64 digits" } as const;
const solana = { id: "SOLANA", label: "Solana", hint: "a key pair in base58" } as const;
const sui = { id: "SUI_BECH32", label: "Sui", hint: "begins with suiprivkey" } as const;
const wif = {
  id: "BITCOIN_MAINNET_WIF",
  label: "Bitcoin WIF",
  hint: "begins with K or L",
} as const;
const testnetWif = {
  id: "BITCOIN_TESTNET_WIF",
  label: "Bitcoin WIF of the test networks",
  hint: "begins with c",
} as const;

export type KeyFormatOption = Option & { id: KeyFormat };

const byCurve: Record<Curve, readonly [KeyFormatOption, ...KeyFormatOption[]]> = {
  CURVE_SECP256K1: [hex, wif, testnetWif],
  CURVE_ED25519: [hex, solana, sui],
  CURVE_P256: [hex],
};

/** The texts that a key of this curve can have. */
export function keyFormatsOf(curve: Curve): readonly [KeyFormatOption, ...KeyFormatOption[]] {
  return byCurve[curve] ?? [hex];
}

/** The text that wallets of the chain take. */
export function usualFormat(format: AddressFormat | undefined): KeyFormat {
  if (format === "ADDRESS_FORMAT_SOLANA") return "SOLANA";
  if (format === "ADDRESS_FORMAT_SUI") return "SUI_BECH32";
  if (format?.startsWith("ADDRESS_FORMAT_BITCOIN_MAINNET")) return "BITCOIN_MAINNET_WIF";
  if (format?.startsWith("ADDRESS_FORMAT_BITCOIN_")) return "BITCOIN_TESTNET_WIF";
  return "HEXADECIMAL";
}
