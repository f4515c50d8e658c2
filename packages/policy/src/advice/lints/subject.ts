import type { Clause, Expression, Span } from "../../ast.ts";
import { type Checked, check } from "../../check.ts";
import type { Credential } from "../../consensus.ts";
import type { PolicyText } from "../../decide.ts";
import { PolicyError } from "../../errors.ts";
import { newDenialReading, newReading, readPart } from "../../logic/clause-formulas.ts";
import { constant } from "../../logic/formula.ts";
import { type Allowance, newVocabulary, type Vocabulary } from "../../logic/reading-context.ts";
import { isSatisfiable, type Other, type World } from "../../logic/satisfiability.ts";
import type { Statement } from "../../logic/terms.ts";
import { parse } from "../../parse.ts";
import { casesOf, type Literal, saidBy } from "./literals.ts";
import { type Inventory, inventoryOf } from "./reads.ts";

// What lints look at: parsed policies, and what is known about the organization.

/** What an organization and its service have. Lints say nothing about what is absent here. */
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
  /**
   * All activity types of the service that policies can see; `newest` marks the newest of a kind.
   */
  readonly activities?: readonly (NonNullable<World["activities"]>[number] & {
    readonly newest: boolean;
  })[];
};

export type LintCode =
  | "account-case"
  | "address-case"
  | "allow-shadowed"
  | "always-matches"
  | "args-without-address"
  | "consensus-any"
  | "consensus-unreachable"
  | "count-field"
  | "deny-can-error"
  | "deny-counts-votes"
  | "deny-everything"
  | "eip712-domain"
  | "first-only"
  | "hidden-name"
  | "index-unguarded"
  | "interface-missing"
  | "lookup-placeholder"
  | "mixed-key-roots"
  | "never-matches"
  | "no-short-circuit"
  | "policy-writer"
  | "raw-payload-bypass"
  | "secret-key-missing"
  | "sign-unscoped"
  | "slice-may-overflow"
  | "spl-owner"
  | "type-pinned"
  | "unknown-activity"
  | "unknown-credential"
  | "unknown-private-key"
  | "unknown-tag"
  | "unknown-user"
  | "unknown-wallet"
  | "vacuous-all"
  | "wei-unit";

/** A lint before it is known which policy it is about. */
export type Finding = {
  readonly code: LintCode;
  readonly message: string;
  readonly clause: Clause;
  /** The start of the clause if the lint is about the whole policy. */
  readonly node?: Span;
};

/** What all policies of one run share: what is known, and the work that is left. */
export type Logic = {
  readonly organization: Organization;
  readonly budget: Allowance;
  readonly vocabulary: Vocabulary;
  /** Statements about requests that lints ask about, by their text. */
  readonly questions: Map<string, Statement>;
};

export function newLogic(organization: Organization, budget: Allowance): Logic {
  const vocabulary = newVocabulary({
    budget,
    isSatisfiable(statement) {
      const left = { steps: Math.min(MAX_INNER, budget.steps) };
      budget.steps -= left.steps;
      const isPossible = isSatisfiable([statement], left);
      budget.steps += left.steps;
      return isPossible;
    },
  });
  return { organization, budget, vocabulary, questions: new Map() };
}

/** Work of finding out whether a predicate can hold. */
const MAX_INNER = 100;

/**
 * Whether some request makes all of these true without an error in any part, while some other
 * clauses of ALLOWs are false or err.
 */
export function isPossible(
  statements: readonly Statement[],
  { organization, budget }: Logic,
  others: readonly Statement[] = [],
): boolean {
  const allows = others.map((clause): Other => ({ clause, isDenial: false }));
  return isSatisfiable(statements, budget, organization, allows);
}

/** Like `isPossible`, while the condition of a DENY does not deny. */
export function isPossibleBeside(
  denial: Statement,
  statements: readonly Statement[],
  { organization, budget }: Logic,
): boolean {
  return isSatisfiable(statements, budget, organization, [{ clause: denial, isDenial: true }]);
}

export type LintedClause = {
  readonly checked: Checked;
  readonly logic: Logic;
  readonly isDenial: boolean;
  readonly inventory: Inventory;
  readonly holds: Statement;
  /**
   * At least one of these cases applies whenever the clause is true; undefined if they are too
   * many.
   */
  readonly cases: readonly (readonly Literal[])[] | undefined;
};

export type Linted = {
  readonly policy: PolicyText;
  readonly logic: Logic;
  readonly condition?: LintedClause;
  readonly consensus?: LintedClause;
  readonly time?: LintedClause;
};

/** Requests that sign bytes that policies cannot see into. */
export const RAW_SIGNING =
  "activity.action == 'SIGN' && activity.resource == 'PRIVATE_KEY' && " +
  "activity.kind == 'SIGN_RAW_PAYLOAD' && activity.type in " +
  "['ACTIVITY_TYPE_SIGN_RAW_PAYLOAD', 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2']";

/** What a condition says about requests, to ask whether others can hold with it. */
export function conditionOf(source: string, { vocabulary, questions }: Logic): Statement {
  const known = questions.get(source);
  if (known) return known;
  const checked = check("condition", source, parse(source));
  const statement = readPart(checked.expression, newReading(checked, vocabulary));
  questions.set(source, statement);
  return statement;
}

/** The most cases to look at one by one. */
const MAX_CASES = 64;

/**
 * Reads a policy; undefined if a clause is not an expression, which is reported when the policy is
 * saved.
 */
export function prepareLints(policy: PolicyText, logic: Logic): Linted | undefined {
  try {
    const prepared = (clause: Clause, source: string | undefined) => {
      if (source === undefined || (clause === "time" && source === "")) return undefined;
      const isDenial = policy.effect === "EFFECT_DENY";
      return lintedClause(check(clause, source, parse(source)), logic, isDenial);
    };
    return {
      policy,
      logic,
      condition: prepared("condition", policy.condition),
      consensus: prepared("consensus", policy.consensus),
      time: prepared("time", policy.time),
    };
  } catch (error) {
    if (error instanceof PolicyError) return undefined;
    throw error;
  }
}

/** Lints ask little about policies they do not report on, so each part is made on first use. */
function lintedClause(checked: Checked, logic: Logic, isDenial: boolean): LintedClause {
  let inventory: Inventory | undefined;
  let holds: Statement | undefined;
  let cases: { readonly possible: LintedClause["cases"] } | undefined;
  return {
    checked,
    logic,
    isDenial,
    get inventory() {
      inventory ??= inventoryOf(checked);
      return inventory;
    },
    get holds() {
      holds ??= statementOf(checked.expression, this);
      return holds;
    },
    get cases() {
      const { budget } = logic;
      const all = cases ? undefined : casesOf(this.holds, true, { most: MAX_CASES, budget });
      cases ??= { possible: all?.filter((one) => isPossible(one.map(saidBy), logic)) };
      return cases.possible;
    },
  };
}

/** A statement that a part of the clause is true, about what it reads outside of quantifiers. */
export function statementOf(node: Expression, clause: LintedClause): Statement {
  const { checked, logic, isDenial } = clause;
  // If no work is left, nothing is concluded from it.
  if (logic.budget.steps <= 0) return constant(true);
  const reading = (isDenial ? newDenialReading : newReading)(checked, logic.vocabulary);
  const statement = readPart(node, reading);
  return reading.fault.errs && !isDenial ? constant(false) : statement;
}

/** Roots, and parameters of activities, without which the clause errs. */
export function rootsRead(clause: LintedClause | undefined): readonly string[] {
  const reads = clause?.inventory.reads ?? [];
  return reads.flatMap(({ kind, path, isInside }) => (kind === "root" && !isInside ? path : []));
}
