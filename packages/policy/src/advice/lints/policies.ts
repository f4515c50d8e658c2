import { quote } from "../../errors.ts";
import { canOneUserApprove } from "./consensus.ts";
import { type Denial, denialOf, isDenied, type Known, knownBy, NOTHING } from "./coverage.ts";
import { type Formula, isOneOf, type Literal } from "./formula.ts";
import type { Comparison } from "./reads.ts";
import { type Budget, canHold } from "./solve.ts";
import {
  type Finding,
  type Linted,
  type LintedClause,
  type Organization,
  RAW_SIGNING,
  rootsRead,
} from "./subject.ts";

export type PolicyCode =
  | "allow-shadowed"
  | "deny-everything"
  | "policy-writer"
  | "raw-payload-bypass"
  | "spl-owner"
  | "lookup-placeholder";

/** What lints of one policy ask about all of them. */
export type Survey = {
  readonly denials: readonly Denial[];
  /** Policies that allow transactions by what is in them. */
  readonly transactionRules: readonly Linted[];
  /** Addresses that own something, as far as policies say so. */
  readonly owners: ReadonlySet<string>;
  readonly hasLookupDeny: boolean;
};

export function surveyOf(all: readonly Linted[], budget: Budget, world: Organization): Survey {
  const denies = all.filter(({ policy }) => policy.effect === "EFFECT_DENY");
  let owners: ReadonlySet<string> | undefined;
  return {
    denials: denies.flatMap((deny) => denialOf(deny, budget, world)),
    transactionRules: all.filter(({ policy, condition }) => {
      const isRule = policy.effect === "EFFECT_ALLOW" && policy.condition?.includes("tx") === true;
      return isRule && rootsRead(condition).some(isTransaction);
    }),
    get owners() {
      owners ??= ownersOf(all);
      return owners;
    },
    hasLookupDeny: denies.some(({ condition }) => readsLookups(condition)),
  };
}

function ownersOf(all: readonly Linted[]): ReadonlySet<string> {
  const owners = new Set<string>();
  for (const { path, values } of all.flatMap(({ condition }) => comparisonsOf(condition))) {
    if (OWNERS.test(path)) for (const { value } of values) owners.add(String(value));
  }
  return owners;
}

/** Hazards that policies are to each other, or to whoever may change them. */
export function findBetweenPolicies(
  linted: Linted,
  survey: Survey,
  budget: Budget,
  organization: Organization,
): Finding<PolicyCode>[] {
  const isAllow = linted.policy.effect === "EFFECT_ALLOW";
  return [
    ...(isAllow
      ? [
          ...findShadow(linted, survey, budget, organization),
          ...findPolicyWriter(linted, survey, budget, organization),
          ...findRawBypass(linted, survey, budget, organization),
        ]
      : findDenyEverything(linted, budget, organization)),
    ...findTokenOwners(linted, survey),
    ...findLookups(linted, survey),
  ];
}

function findShadow(
  { condition }: Linted,
  { denials }: Survey,
  budget: Budget,
  world: Organization,
): Finding<"allow-shadowed">[] {
  if (denials.length === 0) return [];
  const holds = condition ? [condition.holds] : [];
  // What is never true is covered by anything, which would say nothing.
  if (!canHold(holds, budget, world)) return [];
  const known = knownBy(condition);
  const deny = denials.find((each) => isDenied(each, holds, known, budget, world));
  if (!deny) return [];
  return [
    {
      code: "allow-shadowed",
      message:
        `the DENY ${quote(deny.policyId)} covers everything that this allows, and it wins: ` +
        "narrow the DENY, or delete this policy",
      clause: "condition",
      node: condition?.checked.expression,
    },
  ];
}

const POLICY_CHANGE = [
  isOneOf("activity.resource", ["POLICY"]),
  isOneOf("activity.action", ["CREATE", "UPDATE"]),
  isOneOf("activity.kind", ["CREATE_POLICY", "CREATE_POLICIES", "UPDATE_POLICY"]),
];

function findPolicyWriter(
  { condition, consensus }: Linted,
  { denials }: Survey,
  budget: Budget,
  organization: Organization,
): Finding<"policy-writer">[] {
  const formulas = [...(condition ? [condition.holds] : []), ...POLICY_CHANGE];
  if (rootsRead(condition).length > 0 || !canHold(formulas, budget, organization)) return [];
  if (!canOneUserApprove(consensus, budget, organization)) return [];
  const known = knownBy(condition);
  if (denials.some((deny) => isDenied(deny, formulas, known, budget, organization))) return [];
  return [
    {
      code: "policy-writer",
      message:
        "one user alone can write policies by this, and so allow anything: ask for two approvals, " +
        "or leave out `POLICY`",
      clause: "condition",
      node: condition?.checked.expression,
    },
  ];
}

/** Bytes that no policy sees into; what is hashed, and how, is open. */
const RAW_BYTES: readonly Formula[] = [
  ...RAW_SIGNING,
  isOneOf("activity.params.encoding", ["PAYLOAD_ENCODING_HEXADECIMAL"]),
];

const RAW_KNOWN: Known = new Set([
  "activity.params.encoding",
  "activity.params.hash_function",
  "string: activity.params.encoding",
  "string: activity.params.hash_function",
]);

/** The same transaction can be signed as bytes, past the rules for it. */
function findRawBypass(
  linted: Linted,
  { denials, transactionRules }: Survey,
  budget: Budget,
  organization: Organization,
): Finding<"raw-payload-bypass">[] {
  const { condition, consensus } = linted;
  if (!condition || transactionRules.length === 0) return [];
  const roots = rootsRead(condition);
  if (roots.some((root) => !isKey(root) && !root.startsWith("activity.params"))) return [];
  const formulas = [condition.holds, ...RAW_BYTES];
  if (!canHold(formulas, budget, organization)) return [];
  const known = new Set([...knownBy(condition), ...RAW_KNOWN]);
  if (denials.some((deny) => isDenied(deny, formulas, known, budget, organization))) return [];
  const isForOne = canOneUserApprove(consensus, budget, organization);
  const rule = transactionRules.find((each) => {
    // Whoever asks for more approvals where nothing can be seen knows what it is about.
    const isAsFree = isForOne || each.policy.consensus === linted.policy.consensus;
    return isAsFree && each.condition && isSameKey(condition, each.condition, formulas, budget);
  });
  if (!rule) return [];
  return [
    {
      code: "raw-payload-bypass",
      message:
        `what policy ${quote(rule.policy.policyId)} asks of transactions does not hold for their ` +
        "bytes, which this lets be signed: test `activity.params.encoding`, or use other keys",
      clause: "condition",
      node: condition.checked.expression,
    },
  ];
}

function isSameKey(
  raw: LintedClause,
  rule: LintedClause,
  formulas: readonly Formula[],
  budget: Budget,
): boolean {
  const [rawKeys, ruleKeys] = [keysRead(raw), keysRead(rule)];
  const hasKey = (keys: readonly string[]) => keys.includes("private_key");
  if (rawKeys.length > 0 && ruleKeys.length > 0 && hasKey(rawKeys) !== hasKey(ruleKeys))
    return false;
  // A key that may sign all by its own policy is not meant by rules for any key.
  if (rawKeys.length > 0 && ruleKeys.length === 0 && canHold([raw.holds, TRANSACTION], budget)) {
    return false;
  }
  const terms = rule.terms ?? [[]];
  return terms.some((term) => canHold([...formulas, ...term.filter(isOfKey)], budget));
}

const TRANSACTION = isOneOf("activity.kind", ["SIGN_TRANSACTION"]);

function keysRead(clause: LintedClause): readonly string[] {
  return rootsRead(clause).filter(isKey);
}

function isKey(root: string) {
  return /^(wallet|wallet_account|private_key)$/.test(root);
}

function isOfKey({ subject }: Literal) {
  return /^(wallet|wallet_account|private_key)\./.test(subject.key);
}

function isTransaction(root: string) {
  return /^(eth|solana|tron|bitcoin|tempo)\.tx$/.test(root);
}

function findDenyEverything(
  linted: Linted,
  budget: Budget,
  world: Organization,
): Finding<"deny-everything">[] {
  const [denial] = denialOf(linted, budget, world);
  if (!denial) return [];
  const deniesPolicy = (action: string) => {
    const facts = [isOneOf("activity.resource", ["POLICY"]), isOneOf("activity.action", [action])];
    return isDenied(denial, facts, NOTHING, budget, world);
  };
  // A DENY is undone by changing it or by deleting it.
  if (!deniesPolicy("UPDATE") || !deniesPolicy("DELETE")) return [];
  const isOfAll = isDenied(denial, [], NOTHING, budget, world);
  return [
    {
      code: "deny-everything",
      message:
        `this denies ${isOfAll ? "everything" : "every change of policies"} to everyone, and only ` +
        "the root quorum can undo it: narrow the condition, or add a consensus",
      clause: "condition",
      node: linted.condition?.checked.expression,
    },
  ];
}

const OWNERS =
  /^(wallet_account\.address|solana\.tx\.transfers\[\]\.(from|to)|solana\.tx\.spl_transfers\[\]\.(owner|signers\[\]))$/;

function findTokenOwners({ condition }: Linted, survey: Survey): Finding<"spl-owner">[] {
  return comparisonsOf(condition).flatMap(({ path, values }): Finding<"spl-owner">[] => {
    if (!/^solana\.tx\.spl_transfers\[\]\.(from|to)$/.test(path)) return [];
    const owner = values.find(({ value }) => survey.owners.has(String(value)));
    if (!owner) return [];
    return [
      {
        code: "spl-owner",
        message:
          `\`${path.slice(path.lastIndexOf(".") + 1)}\` of a token transfer is a token account, and ` +
          `${quote(String(owner.value))} stands elsewhere for its owner: write the token account's address`,
        clause: "condition",
        node: owner,
      },
    ];
  });
}

const PLACEHOLDER = "ADDRESS_TABLE_LOOKUP";

const LOOKED_UP =
  /^solana\.tx\.((static_)?account_keys\[\]|(top_level_)?instructions\[\]\.accounts\[\]\.account_key|(spl_)?transfers\[\]\.(from|to|owner))$/;

/** An address from a lookup table is not to be seen, so what excludes it does not. */
function findLookups(
  { policy, condition }: Linted,
  { hasLookupDeny }: Survey,
): Finding<"lookup-placeholder">[] {
  if (hasLookupDeny || readsLookups(condition)) return [];
  const excludes = (each: Comparison) => each.isNegative === (policy.effect === "EFFECT_ALLOW");
  const found = comparisonsOf(condition).find((each) => {
    if (!LOOKED_UP.test(each.path)) return false;
    return excludes(each) !== each.values.some(({ value }) => value === PLACEHOLDER);
  });
  if (!found) return [];
  return [
    {
      code: "lookup-placeholder",
      message:
        `an address taken from a lookup table reads as \`${PLACEHOLDER}\`, whatever it is: ` +
        "test `solana.tx.address_table_lookups.count()` as well",
      clause: "condition",
      node: found.node,
    },
  ];
}

function readsLookups(condition: LintedClause | undefined): boolean {
  return [...(condition?.inventory.paths ?? [])].some((path) =>
    path.includes("address_table_lookup"),
  );
}

function comparisonsOf(condition: LintedClause | undefined): readonly Comparison[] {
  return condition?.inventory.comparisons ?? [];
}
