import { signedRoots } from "../../chains/index.ts";
import { bit, firstBits } from "../../logic/bits.ts";
import { type Constraint, within } from "../../logic/solve.ts";

// Which parts a request can have together.

/**
 * Which roots a request has. It signs with an account or a private key, exports one or a whole
 * wallet, or touches no key at all; it signs at most one thing that policies can read.
 */
export const SITUATION = [
  { name: "key", values: ["none", "wallet", "wallet_account", "private_key"] },
  {
    name: "signed",
    values: ["nothing signed", ...signedRoots.keys()],
  },
  { name: "wallets", values: ["none", "wallets"] },
  { name: "secret", values: ["none", "secret"] },
] as const;

const [KEY, SIGNED] = [0, 1];

/** The values of the situation's variables before anything is asked. */
export function anySituation(): bigint[] {
  return SITUATION.map(({ values }) => firstBits(values.length));
}

/** What holds for all requests: signing takes a key. */
export const POSSIBLE: Constraint = {
  kind: "or",
  operands: [within(SIGNED, bit(0)), within(KEY, bit(2) | bit(3))],
};

/** A constraint that the request has a root; undefined for roots that all requests have. */
export function hasRoot(root: string): Constraint | undefined {
  if (root === "wallet") return within(KEY, bit(1) | bit(2));
  for (const [variable, { values }] of SITUATION.entries()) {
    const index = (values as readonly string[]).indexOf(root);
    if (index >= 0) return within(variable, bit(index));
  }
  return undefined;
}

/** The roots of a situation, given by the index of each variable's value. */
export function rootsIn(indexes: readonly number[]): string[] {
  const names = SITUATION.map(({ values }, i) => values[indexes[i] ?? 0] ?? "none");
  const roots: string[] = names.filter((name) => {
    return name !== "none" && name !== "nothing signed";
  });
  if (roots.includes("wallet_account")) roots.unshift("wallet");
  return ["activity", ...roots];
}
