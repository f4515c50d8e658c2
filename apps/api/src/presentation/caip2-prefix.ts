/**
 * The CAIP-2 namespace of the chains that know an address format. Undefined for a public key in hex,
 * which belongs to no chain.
 */
export function caip2PrefixOf(addressFormat: string): string | undefined {
  const [, chain = ""] = /^ADDRESS_FORMAT_([A-Z]+)/.exec(addressFormat) ?? [];
  return namespaces.get(chain);
}

/** By the first word of the format's name. */
const namespaces = new Map([
  ["ETHEREUM", "eip155"],
  ["SOLANA", "solana"],
  ["BITCOIN", "bip122"],
  ["DOGE", "bip122"],
  ["COSMOS", "cosmos"],
  ["SEI", "cosmos"],
  ["TRON", "tron"],
  ["SUI", "sui"],
  ["APTOS", "aptos"],
  ["XLM", "stellar"],
  ["TON", "tvm"],
  ["XRP", "xrpl"],
]);
