import { rootOfKind, rootsSaidBy } from "../../chains/facts.ts";
import { bit, firstBits, leastOf } from "../../logic/bits.ts";
import { type Constraint, implies, within } from "../../logic/solve.ts";
import { holds, type Term } from "../../logic/terms.ts";
import { hasRoot, SITUATION } from "./roots.ts";

// Limits requests to the activities that the service knows.

/** An activity that the service knows, as conditions see it. */
export type KnownActivity = {
  readonly type: string;
  readonly kind: string;
  readonly resource: string;
  readonly action: string;
};

/** The variable that says which of the known activities a request is. */
export const ACTIVITY = SITUATION.length;

const FIELDS = ["type", "kind", "resource", "action"] as const;

/** Constraints: a request is one of these activities, and has the roots that go with it. */
export function isActivity(
  activities: readonly KnownActivity[],
  terms: readonly Term[],
): Constraint[] {
  return [
    ...FIELDS.flatMap((field) => {
      const term = terms.find(({ source }) => {
        return source.kind === "path" && source.steps.join(".") === `activity.${field}`;
      });
      return term
        ? agreesWith(
            term,
            activities.map((activity) => activity[field]),
          )
        : [];
    }),
    ...activities.flatMap((activity, i) => {
      return rootsOf(activity).map((roots) => {
        const operands = roots.flatMap((root) => hasRoot(root) ?? []);
        return implies(within(ACTIVITY, bit(i)), { kind: "or", operands });
      });
    }),
  ];
}

/** The term has the value that the activity's field has, or one like it. */
function agreesWith(term: Term, texts: readonly string[]): Constraint[] {
  const activitiesBy = new Map<number, bigint>();
  for (const [i, text] of texts.entries()) {
    let alike = firstBits(term.values.length);
    for (const atom of term.atoms) {
      alike &= holds(atom, text) === true ? atom.trueValues : ~atom.trueValues;
    }
    const value = leastOf(alike);
    activitiesBy.set(value, (activitiesBy.get(value) ?? 0n) | bit(i));
  }
  return term.values.map((_, value) => ({
    kind: "same",
    left: within(term.variable, bit(value)),
    right: within(ACTIVITY, activitiesBy.get(value) ?? 0n),
  }));
}

const TRANSACTIONS = [...rootsSaidBy("type").values()];
const TYPED = [...rootsSaidBy("encoding").values()];
const KEYS = ["wallet_account", "private_key"];

/** One root of each list is present. `nothing signed` means nothing that policies can read. */
function rootsOf({ kind, action }: KnownActivity): string[][] {
  const known = Object.hasOwn(ROOTS, kind) ? ROOTS[kind] : undefined;
  if (known) return known;
  const always = rootOfKind.get(kind);
  if (always) return [KEYS, [always]];
  // Every activity that signs has this action. An activity that is not listed may sign anything.
  if (action === "SIGN") return [KEYS, [...TRANSACTIONS, ...TYPED, NOTHING]];
  return [[NOTHING]];
}

const NOTHING = "nothing signed";

const ROOTS: Readonly<Record<string, string[][]>> = {
  SIGN_TRANSACTION: [KEYS, TRANSACTIONS],
  SIGN_RAW_PAYLOAD: [KEYS, [...TYPED, NOTHING]],
  EXPORT_WALLET: [["wallet"], [NOTHING]],
  EXPORT_WALLET_ACCOUNT: [["wallet_account"], [NOTHING]],
  EXPORT_PRIVATE_KEY: [["private_key"], [NOTHING]],
  DELETE_WALLETS: [["wallets"], [NOTHING]],
  EXPORT_SECRETS: [["secret"], [NOTHING]],
};
