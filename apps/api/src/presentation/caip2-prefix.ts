import { type AddressEncoding, addressEncodings } from "@keyhearth/crypto/addresses/formats";

/**
 * The CAIP-2 namespace of the chains that know an address format. Undefined for a public key in hex,
 * which belongs to no chain.
 */
export function caip2PrefixOf(addressFormat: string): string | undefined {
  return formats.get(addressFormat)?.namespace;
}

const formats: ReadonlyMap<string, AddressEncoding> = new Map(Object.entries(addressEncodings));
