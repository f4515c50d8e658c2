import { checksumAddress } from "./ethereum.ts";

const ETHEREUM = /^0x([0-9a-f]{40}|[0-9A-F]{40})$/;

/**
 * The one text that keys have as their address, if the given text is another way to write it. Clients of
 * Ethereum also send addresses without the checksum of EIP-55: in lower case, or with upper-case digits. Every
 * other text stands for itself, so a wrong checksum, or another case of any other format, is nobody's address.
 */
export function canonicalAddress(given: string): string {
  return ETHEREUM.test(given) ? checksumAddress(given.slice(2).toLowerCase()) : given;
}
