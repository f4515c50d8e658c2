import activities from "@generated/api-reference/default/activities.json";
import { kindOf } from "@keyhearth/policy/kind-of";
import type { Need } from "./examples.ts";
import { UNSUPPORTED_CHAINS } from "./unsupported-chains.ts";

/** The kinds of activities in the contract, without prefix and version. */
const KINDS = new Set(activities.flatMap(({ types }) => types.map(kindOf)));

export function isSupported(need: Need): boolean {
  return "kind" in need ? KINDS.has(need.kind) : !UNSUPPORTED_CHAINS.includes(need.chain);
}
