import type { Clause, Span } from "../../ast.ts";
import { type Checked, check } from "../../check.ts";
import type { Credential } from "../../consensus.ts";
import type { PolicyText } from "../../decide.ts";
import { PolicyError } from "../../errors.ts";
import { parse } from "../../parse.ts";
import { type Formula, isOneOf, type Literal, termsOf } from "./formula.ts";
import { type Inventory, inventoryOf } from "./reads.ts";
import { type Budget, canHold, type World } from "./solve.ts";
import { type Translation, translation } from "./translate.ts";

/** What an organization and its service have. Nothing is said about what is absent here. */
export type Organization = {
  readonly users?: readonly {
    readonly id: string;
    /** Ids of the user's tags. */
    readonly tags: readonly string[];
    readonly email?: string;
    readonly alias?: string;
    readonly credentials?: readonly Credential[];
  }[];
  readonly userTagIds?: readonly string[];
  readonly privateKeyTagIds?: readonly string[];
  readonly walletIds?: readonly string[];
  readonly privateKeyIds?: readonly string[];
  /** Contract interfaces; the type ends in ETHEREUM or SOLANA. */
  readonly interfaces?: readonly { readonly address: string; readonly type: string }[];
  readonly rootQuorum?: { readonly threshold: number; readonly userIds: readonly string[] };
  /** All activity types of the service that policies can see; `newest` of those of one kind. */
  readonly activities?: readonly (NonNullable<World["activities"]>[number] & {
    readonly newest: boolean;
  })[];
};

/** A lint before it is known which policy it is about. */
export type Finding<Code extends string> = {
  readonly code: Code;
  readonly message: string;
  readonly clause: Clause;
  /** The start of the clause if it is about the whole policy. */
  readonly node?: Span;
};

export type LintedClause = {
  readonly checked: Checked;
  readonly translation: Translation;
  readonly inventory: Inventory;
  /** Holds whenever the clause is true. */
  readonly holds: Formula;
  /** Of which one holds whenever the clause is true; nothing if they are too many. */
  readonly terms: readonly (readonly Literal[])[] | undefined;
};

export type Linted = {
  readonly policy: PolicyText;
  readonly condition?: LintedClause;
  readonly consensus?: LintedClause;
  readonly time?: LintedClause;
};

/** Requests that sign bytes of which policies see nothing. */
export const RAW_SIGNING: readonly Formula[] = [
  isOneOf("activity.action", ["SIGN"]),
  isOneOf("activity.resource", ["PRIVATE_KEY"]),
  isOneOf("activity.kind", ["SIGN_RAW_PAYLOAD"]),
  isOneOf("activity.type", ["ACTIVITY_TYPE_SIGN_RAW_PAYLOAD", "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"]),
];

/** Terms that are looked at one by one. */
const MAX_TERMS = 64;

/** Reads a policy; nothing if a clause is no expression, which is reported where it is saved. */
export function prepareLints(
  policy: PolicyText,
  name: string,
  budget: Budget,
  world: World,
): Linted | undefined {
  try {
    const read = (clause: Clause, source: string | undefined) => {
      if (source === undefined || (clause === "time" && source === "")) return undefined;
      return lintedClause(check(clause, source, parse(source)), `${name} ${clause}`, budget, world);
    };
    return {
      policy,
      condition: read("condition", policy.condition),
      consensus: read("consensus", policy.consensus),
      time: read("time", policy.time),
    };
  } catch (error) {
    if (error instanceof PolicyError) return undefined;
    throw error;
  }
}

/** Of policies that are not reported on little is asked, so each part is made when it is. */
function lintedClause(checked: Checked, name: string, budget: Budget, world: World): LintedClause {
  const translated = translation(checked, { name, budget });
  let inventory: Inventory | undefined;
  let holds: Formula | undefined;
  let terms: { readonly consistent: LintedClause["terms"] } | undefined;
  return {
    checked,
    translation: translated,
    get inventory() {
      inventory ??= inventoryOf(checked);
      return inventory;
    },
    get holds() {
      holds ??= translated.formula(checked.expression, true);
      return holds;
    },
    get terms() {
      terms ??= {
        consistent: termsOf(this.holds, MAX_TERMS)?.filter((term) => canHold(term, budget, world)),
      };
      return terms.consistent;
    },
  };
}

/** Whether a clause that may be absent is true whenever it has a value. */
export function isAlwaysTrue(
  clause: LintedClause | undefined,
  budget: Budget,
  world: World,
): boolean {
  if (!clause) return true;
  const { checked, translation } = clause;
  return !canHold([translation.formula(checked.expression, false)], budget, world);
}

/** Roots, and parameters of activities, without which the clause errs. */
export function rootsRead(clause: LintedClause | undefined): readonly string[] {
  const reads = clause?.inventory.reads ?? [];
  return reads.flatMap(({ kind, path, isInside }) => (kind === "root" && !isInside ? path : []));
}
