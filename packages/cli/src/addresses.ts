import { nearest } from "@keyhearth/policy/errors";
import type { AddressFormat, Curve } from "@keyhearth/sdk";
import { InputError } from "./errors.ts";
import { plain } from "./output.ts";

/** A form of addresses: the curve of its keys, and where wallets usually derive them. */
export type AddressEntry = {
  readonly format: AddressFormat;
  /** What a command line may say instead: `ethereum`, `bitcoin_mainnet_p2tr`. */
  readonly name: string;
  /** The first is that of a new account. */
  readonly curves: readonly [Curve, ...Curve[]];
  /** The path of the account with this number, counted from 0. */
  readonly path: (index: number) => string;
};

/** What comes before the number of an address, with the coin type of the network. */
const BITCOIN_PATHS = {
  P2PKH: (coin: number) => `m/44'/${coin}'/0'/0`,
  P2SH: (coin: number) => `m/49'/${coin}'/0'/0`,
  P2WPKH: (coin: number) => `m/84'/${coin}'/0'/0`,
  P2WSH: (coin: number) => `m/48'/${coin}'/0'/2'/0`,
  P2TR: (coin: number) => `m/86'/${coin}'/0'/0`,
};

/** Every address format of the contract, in its order. */
export const addressEntries: readonly AddressEntry[] = [
  { ...entry("ADDRESS_FORMAT_UNCOMPRESSED", 60), curves: ["CURVE_SECP256K1", "CURVE_P256"] },
  {
    ...entry("ADDRESS_FORMAT_COMPRESSED", 60),
    curves: ["CURVE_SECP256K1", "CURVE_P256", "CURVE_ED25519"],
  },
  entry("ADDRESS_FORMAT_ETHEREUM", 60),
  hardened("ADDRESS_FORMAT_SOLANA", (index) => `m/44'/501'/${index}'/0'`),
  entry("ADDRESS_FORMAT_COSMOS", 118),
  entry("ADDRESS_FORMAT_TRON", 195),
  hardened("ADDRESS_FORMAT_SUI", (index) => `m/44'/784'/${index}'/0'/0'`),
  hardened("ADDRESS_FORMAT_APTOS", (index) => `m/44'/637'/${index}'/0'/0'`),
  ...(["MAINNET", "TESTNET", "SIGNET", "REGTEST"] as const).flatMap((network) =>
    (["P2PKH", "P2SH", "P2WPKH", "P2WSH", "P2TR"] as const).map((kind) => {
      const before = BITCOIN_PATHS[kind](network === "MAINNET" ? 0 : 1);
      return {
        ...entry(`ADDRESS_FORMAT_BITCOIN_${network}_${kind}`, 0),
        path: (index: number) => `${before}/${index}`,
      };
    }),
  ),
  entry("ADDRESS_FORMAT_SEI", 118),
  hardened("ADDRESS_FORMAT_XLM", (index) => `m/44'/148'/${index}'`),
  entry("ADDRESS_FORMAT_DOGE_MAINNET", 3),
  // All test networks usually have this coin type.
  entry("ADDRESS_FORMAT_DOGE_TESTNET", 1),
  hardened("ADDRESS_FORMAT_TON_V3R2", ton),
  hardened("ADDRESS_FORMAT_TON_V4R2", ton),
  entry("ADDRESS_FORMAT_XRP", 144),
  hardened("ADDRESS_FORMAT_TON_V5R1", ton),
];

/** The format of that name, in the contract's form or in the short one. */
export function findAddressFormat(given: string): AddressEntry {
  const name = given
    .replace(/^ADDRESS_FORMAT_/i, "")
    .toLowerCase()
    .replaceAll("-", "_");
  const found = addressEntries.find((each) => each.name === name);
  if (found) return found;
  const near = nearest(
    name,
    addressEntries.map((each) => each.name),
  );
  const hint = near ? `did you mean ${near}?` : "`keyhearth address-formats` lists them";
  throw new InputError(`there is no address format ${plain(given.slice(0, 60))}: ${hint}`);
}

/** The path after those that are taken, in the form that wallets use for this format. */
export function nextPath({ path }: AddressEntry, taken: readonly string[]): string {
  const known = new Set(taken);
  for (let index = 0; ; index++) if (!known.has(path(index))) return path(index);
}

/** What a request for accounts says of one. */
export function accountParams(
  entryOf: AddressEntry,
  { path, curve }: { path: string; curve?: Curve | undefined },
) {
  const [usual] = entryOf.curves;
  return {
    curve: curve ?? usual,
    pathFormat: "PATH_FORMAT_BIP32" as const,
    path,
    addressFormat: entryOf.format,
  };
}

function entry(format: AddressFormat, coin: number): AddressEntry {
  return {
    ...{ format, name: nameOf(format), curves: ["CURVE_SECP256K1"] },
    path: (index) => `m/44'/${coin}'/0'/0/${index}`,
  };
}

/** Ed25519 has no other steps than hardened ones, so wallets count accounts. */
function hardened(format: AddressFormat, path: (index: number) => string): AddressEntry {
  return { format, name: nameOf(format), curves: ["CURVE_ED25519"], path };
}

function ton(index: number): string {
  return `m/44'/607'/${index}'/0'/0'`;
}

function nameOf(format: AddressFormat): string {
  return format.replace("ADDRESS_FORMAT_", "").toLowerCase();
}
