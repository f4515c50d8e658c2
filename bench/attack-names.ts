import type { RootKey } from "../tests/start/process.ts";

/**
 * What one organization, or nobody in particular, can do to the others: a separate process controlled
 * by messages. `prepare` makes what the attacks need, and each attack then runs for some seconds.
 */
export type AttackTask =
  | { prepare: { url: string; root: RootKey } }
  | { attack: AttackName; url: string; seconds: number };

/** How many requests had which status. */
export type AttackResult = { statuses: Record<string, number> };

export const attackNames = ["policies", "slow changes", "unknown keys", "filling"] as const;
export type AttackName = (typeof attackNames)[number];
