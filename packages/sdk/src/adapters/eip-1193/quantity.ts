import type { Hex } from "../evm/key.ts";

// Integers and bytes as JSON-RPC writes them.

export function isQuantity(value: unknown): value is Hex {
  return typeof value === "string" && /^0x[0-9a-f]{1,64}$/i.test(value);
}

export function isBytes(value: unknown): value is Hex {
  return typeof value === "string" && /^0x([0-9a-f]{2})*$/i.test(value);
}

export function toQuantity(value: bigint | number | Hex): Hex {
  return `0x${BigInt(value).toString(16)}`;
}
