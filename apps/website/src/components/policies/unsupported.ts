import activities from "@generated/api-reference/default/activities.json";
import type { Need } from "./examples.ts";
import { UNSUPPORTED_CHAINS } from "./unsupported-chains.ts";

/** The kinds of activities in the contract. */
const KINDS = new Set(activities.flatMap(({ kinds }) => kinds));

export function isSupported(need: Need): boolean {
  return "kind" in need ? KINDS.has(need.kind) : !UNSUPPORTED_CHAINS.includes(need.chain);
}
