import type { AddressFormat, Curve, WalletAccountParams } from "@keyhearth/sdk";

// What people choose when they make an account: a chain, which decides the format of the address, the curve and the usual path.

export type Chain = {
  format: AddressFormat;
  label: string;
  /** The curves that have such an address. The first one is usual. */
  curves: readonly [Curve, ...Curve[]];
  /** The path that other wallets use. `{n}` is the number of the account, from 0. */
  path: string;
  /** Whether its coins are only for tests. */
  isTest?: boolean;
};

const secp256k1 = ["CURVE_SECP256K1"] as const;
const ed25519 = ["CURVE_ED25519"] as const;

const bitcoinTypes = [
  { name: "P2WPKH", label: "SegWit", purpose: "84'" },
  { name: "P2TR", label: "Taproot", purpose: "86'" },
  { name: "P2SH", label: "SegWit inside P2SH", purpose: "49'" },
  { name: "P2PKH", label: "legacy", purpose: "44'" },
  { name: "P2WSH", label: "SegWit script", purpose: "48'" },
] as const;

const bitcoinNetworks = [
  { name: "MAINNET", label: "Bitcoin", coin: "0'" },
  { name: "TESTNET", label: "Bitcoin testnet", coin: "1'" },
  { name: "SIGNET", label: "Bitcoin signet", coin: "1'" },
  { name: "REGTEST", label: "Bitcoin regtest", coin: "1'" },
] as const;

const bitcoin = bitcoinNetworks.flatMap((network) =>
  bitcoinTypes.map((type): Chain => {
    const script = type.name === "P2WSH" ? "/2'" : "";
    return {
      format: `ADDRESS_FORMAT_BITCOIN_${network.name}_${type.name}`,
      label: `${network.label}, ${type.label}`,
      curves: secp256k1,
      path: `m/${type.purpose}/${network.coin}/0'${script}/0/{n}`,
      ...(network.name !== "MAINNET" && { isTest: true }),
    };
  }),
);

/** Every format of an address, the ones that people ask for most first. */
export const chains: readonly Chain[] = [
  {
    format: "ADDRESS_FORMAT_ETHEREUM",
    label: "Ethereum and other EVM chains",
    curves: secp256k1,
    path: "m/44'/60'/0'/0/{n}",
  },
  {
    format: "ADDRESS_FORMAT_SOLANA",
    label: "Solana",
    curves: ed25519,
    path: "m/44'/501'/{n}'/0'",
  },
  ...bitcoin.slice(0, bitcoinTypes.length),
  {
    format: "ADDRESS_FORMAT_TRON",
    label: "Tron",
    curves: secp256k1,
    path: "m/44'/195'/0'/0/{n}",
  },
  {
    format: "ADDRESS_FORMAT_XRP",
    label: "XRP Ledger",
    curves: secp256k1,
    path: "m/44'/144'/0'/0/{n}",
  },
  {
    format: "ADDRESS_FORMAT_COSMOS",
    label: "Cosmos",
    curves: secp256k1,
    path: "m/44'/118'/0'/0/{n}",
  },
  { format: "ADDRESS_FORMAT_SEI", label: "Sei", curves: secp256k1, path: "m/44'/118'/0'/0/{n}" },
  { format: "ADDRESS_FORMAT_SUI", label: "Sui", curves: ed25519, path: "m/44'/784'/{n}'/0'/0'" },
  {
    format: "ADDRESS_FORMAT_APTOS",
    label: "Aptos",
    curves: ed25519,
    path: "m/44'/637'/{n}'/0'/0'",
  },
  { format: "ADDRESS_FORMAT_XLM", label: "Stellar", curves: ed25519, path: "m/44'/148'/{n}'" },
  {
    format: "ADDRESS_FORMAT_TON_V5R1",
    label: "TON, wallet v5",
    curves: ed25519,
    path: "m/44'/607'/{n}'/0'/0'",
  },
  {
    format: "ADDRESS_FORMAT_TON_V4R2",
    label: "TON, wallet v4",
    curves: ed25519,
    path: "m/44'/607'/{n}'/0'/0'",
  },
  {
    format: "ADDRESS_FORMAT_TON_V3R2",
    label: "TON, wallet v3",
    curves: ed25519,
    path: "m/44'/607'/{n}'/0'/0'",
  },
  {
    format: "ADDRESS_FORMAT_DOGE_MAINNET",
    label: "Dogecoin",
    curves: secp256k1,
    path: "m/44'/3'/0'/0/{n}",
  },
  {
    format: "ADDRESS_FORMAT_DOGE_TESTNET",
    label: "Dogecoin testnet",
    curves: secp256k1,
    path: "m/44'/1'/0'/0/{n}",
    isTest: true,
  },
  ...bitcoin.slice(bitcoinTypes.length),
  {
    format: "ADDRESS_FORMAT_COMPRESSED",
    label: "Any chain: the public key",
    curves: ["CURVE_SECP256K1", "CURVE_ED25519", "CURVE_P256"],
    path: "m/44'/1'/{n}'",
  },
  {
    format: "ADDRESS_FORMAT_UNCOMPRESSED",
    label: "Any chain: the uncompressed public key",
    curves: ["CURVE_SECP256K1", "CURVE_P256"],
    path: "m/44'/1'/{n}'",
  },
];

const byFormat = new Map(chains.map((chain) => [chain.format, chain]));

export function chainOf(format: AddressFormat): Chain | undefined {
  return byFormat.get(format);
}

/** How people call a format: "Solana". One that this page does not know yet is shown by its name in the API. */
export function nameOfFormat(format: AddressFormat): string {
  return chainOf(format)?.label ?? format.replace(/^ADDRESS_FORMAT_/, "");
}

const curveNames: Record<Curve, string> = {
  CURVE_SECP256K1: "secp256k1",
  CURVE_ED25519: "Ed25519",
  CURVE_P256: "P-256",
};

export function nameOfCurve(curve: Curve): string {
  return curveNames[curve] ?? curve;
}

export const curves = Object.keys(curveNames) as Curve[];

/** What a choice of a chain means, in a sentence. */
export function explain({ curves: [curve], format, path }: Chain): string {
  const form = format.replace(/^ADDRESS_FORMAT_/, "");
  return `Curve ${nameOfCurve(curve)}, address in the format ${form}. Other wallets look at ${pathAt(path, 0)}.`;
}

export function pathAt(template: string, number: number): string {
  return template.replace("{n}", String(number));
}

/** So many paths that follow each other, from the given one: the number that the chain counts with goes up. */
export function pathsFrom(path: string, format: AddressFormat, count: number): string[] {
  const parts = path.split("/");
  const counted =
    chainOf(format)
      ?.path.split("/")
      .findIndex((part) => part.includes("{n}")) ?? -1;
  const at = counted > 0 && counted < parts.length ? counted : parts.length - 1;
  const [, digits = "", mark = ""] = /^(\d+)('?)$/.exec(parts[at] ?? "") ?? [];
  // The service refuses other texts, in its own words.
  if (digits === "") return [path];
  return Array.from({ length: count }, (_, index) =>
    parts.with(at, `${Number(digits) + index}${mark}`).join("/"),
  );
}

export type AccountValues = { format: AddressFormat; curve: Curve; path: string; name: string };

export function newAccount(format: AddressFormat, number = 0): AccountValues {
  const chain = chainOf(format);
  const curve = chain?.curves[0] ?? "CURVE_SECP256K1";
  return { format, curve, path: pathAt(chain?.path ?? "m/{n}'", number), name: "" };
}

/** As the service takes it. */
export function paramsOf({ format, curve, path, name }: AccountValues): WalletAccountParams {
  return {
    ...{ curve, path: path.trim(), pathFormat: "PATH_FORMAT_BIP32", addressFormat: format },
    ...(name.trim() && { name: name.trim() }),
  };
}
