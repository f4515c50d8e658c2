import { rootsSaidBy } from "../../chains/facts.ts";
import { quote } from "../../errors.ts";
import type { Statement } from "../../logic/terms.ts";
import { canOneUserApprove } from "./consensus.ts";
import { type Denial, denialOf, isDenied } from "./coverage.ts";
import { type Literal, saidBy } from "./literals.ts";
import type { Comparison } from "./reads.ts";
import {
  conditionOf,
  type Finding,
  isPossible,
  type LintCode,
  type Linted,
  type LintedClause,
  RAW_SIGNING,
  rootsRead,
} from "./subject.ts";

// Lints of how policies affect each other.

/** What lints of one policy ask about all of them. */
export type Survey = {
  readonly denials: readonly Denial[];
  /** Policies that allow transactions by what is in them. */
  readonly transactionRules: readonly Linted[];
  /** Addresses that own something, as far as policies say so. */
  readonly owners: ReadonlySet<string>;
  readonly hasLookupDeny: boolean;
};

export function surveyOf(all: readonly Linted[]): Survey {
  const denies = all.filter(({ policy }) => policy.effect === "EFFECT_DENY");
  let owners: ReadonlySet<string> | undefined;
  return {
    denials: denies.flatMap(denialOf),
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

/** Hazards in how policies affect each other, and in who may change them. */
export function findBetweenPolicies(linted: Linted, survey: Survey): Finding[] {
  const isAllow = linted.policy.effect === "EFFECT_ALLOW";
  const ofEffect = isAllow
    ? [
        ...findShadow(linted, survey),
        ...findPolicyWriter(linted, survey),
        ...findRawBypass(linted, survey),
      ]
    : findDenyEverything(linted);
  return [...ofEffect, ...findTokenOwners(linted, survey), ...findLookups(linted, survey)];
}

/** A finding about the whole condition. */
function finding(code: LintCode, message: string, { condition }: Linted): Finding {
  return { code, message, clause: "condition", node: condition?.checked.expression };
}

/** What holds for all requests that the policy is about. */
function holdsOf({ condition }: Linted): readonly Statement[] {
  return condition ? [condition.holds] : [];
}

function findShadow(linted: Linted, { denials }: Survey): Finding[] {
  if (denials.length === 0) return [];
  const { logic } = linted;
  const holds = holdsOf(linted);
  // Anything covers a condition that is never true, so a lint would say nothing.
  if (!isPossible(holds, logic)) return [];
  const deny = denials.find((each) => isDenied(each, holds, logic));
  if (!deny) return [];
  const message =
    `the DENY ${quote(deny.policyId)} covers everything that this allows, and it wins: ` +
    "narrow the DENY, or delete this policy";
  return [finding("allow-shadowed", message, linted)];
}

const POLICY_CHANGE =
  "activity.resource == 'POLICY' && activity.action in ['CREATE', 'UPDATE'] && " +
  "activity.kind in ['CREATE_POLICY', 'CREATE_POLICIES', 'UPDATE_POLICY']";

function findPolicyWriter(linted: Linted, { denials }: Survey): Finding[] {
  const { condition, consensus, logic } = linted;
  const statements = [...holdsOf(linted), conditionOf(POLICY_CHANGE, logic)];
  if (rootsRead(condition).length > 0 || !isPossible(statements, logic)) return [];
  if (!canOneUserApprove(consensus, logic)) return [];
  if (denials.some((deny) => isDenied(deny, statements, logic))) return [];
  const message =
    "this lets one user alone write policies, and so allow anything: ask for two approvals, " +
    "or leave out `POLICY`";
  return [finding("policy-writer", message, linted)];
}

/** Bytes that no policy sees into. The hash function is present, but may be any. */
const RAW_BYTES =
  `${RAW_SIGNING} && activity.params.encoding == 'PAYLOAD_ENCODING_HEXADECIMAL' && ` +
  "(activity.params.hash_function == '' || true)";

/** The same transaction can be signed as bytes, past the rules for it. */
function findRawBypass(linted: Linted, { denials, transactionRules }: Survey): Finding[] {
  const { condition, consensus, logic } = linted;
  if (!condition || transactionRules.length === 0) return [];
  const roots = rootsRead(condition);
  if (roots.some((root) => !isKey(root) && !root.startsWith("activity.params"))) return [];
  const statements = [condition.holds, conditionOf(RAW_BYTES, logic)];
  if (!isPossible(statements, logic)) return [];
  if (denials.some((deny) => isDenied(deny, statements, logic))) return [];
  const isForOne = canOneUserApprove(consensus, logic);
  const rule = transactionRules.find((each) => {
    // An author who asks for more approvals of bytes knows that policies cannot see into them.
    const isAsFree = isForOne || each.policy.consensus === linted.policy.consensus;
    return isAsFree && each.condition && isSameKey(condition, each.condition, statements);
  });
  if (!rule) return [];
  const message =
    `policy ${quote(rule.policy.policyId)} restricts transactions, but this allows signing their ` +
    "bytes without that test: test `activity.params.encoding`, or use other keys";
  return [finding("raw-payload-bypass", message, linted)];
}

function isSameKey(
  raw: LintedClause,
  rule: LintedClause,
  statements: readonly Statement[],
): boolean {
  const { logic } = raw;
  const [rawKeys, ruleKeys] = [keysRead(raw), keysRead(rule)];
  const hasKey = (keys: readonly string[]) => keys.includes("private_key");
  const isOfBoth = rawKeys.length > 0 && ruleKeys.length > 0;
  if (isOfBoth && hasKey(rawKeys) !== hasKey(ruleKeys)) return false;
  // A rule for any key does not mean a key whose own policy lets it sign everything.
  const isForAny = rawKeys.length > 0 && ruleKeys.length === 0;
  if (isForAny && isPossible([raw.holds, conditionOf(TRANSACTION, logic)], logic)) return false;
  const cases = rule.cases ?? [[]];
  return cases.some((literals) => {
    return isPossible([...statements, ...literals.filter(isOfKey).map(saidBy)], logic);
  });
}

const TRANSACTIONS: ReadonlySet<string> = new Set(rootsSaidBy("type").values());
const TRANSACTION = "activity.kind == 'SIGN_TRANSACTION'";

function keysRead(clause: LintedClause): readonly string[] {
  return rootsRead(clause).filter(isKey);
}

function isKey(root: string) {
  return /^(wallet|wallet_account|private_key)$/.test(root);
}

function isOfKey({ key }: Literal) {
  return /^(wallet|wallet_account|private_key)\./.test(key);
}

function isTransaction(root: string) {
  return TRANSACTIONS.has(root);
}

function findDenyEverything(linted: Linted): Finding[] {
  const { logic } = linted;
  const [denial] = denialOf(linted);
  if (!denial) return [];
  const deniesPolicy = (action: string) => {
    const change = `activity.resource == 'POLICY' && activity.action == '${action}'`;
    const statements = [conditionOf(change, logic)];
    // Anything covers what no activity does, so a lint would say nothing.
    return isPossible(statements, logic) && isDenied(denial, statements, logic);
  };
  // A DENY is undone by changing it or by deleting it.
  if (!deniesPolicy("UPDATE") || !deniesPolicy("DELETE")) return [];
  const isOfAll = isDenied(denial, [], logic);
  const message =
    `this denies ${isOfAll ? "everything" : "every change of policies"} to everyone, and only ` +
    "the root quorum can undo it: narrow the condition, or add a consensus";
  return [finding("deny-everything", message, linted)];
}

const OWNERS =
  /^(wallet_account\.address|solana\.tx\.transfers\[\]\.(from|to)|solana\.tx\.spl_transfers\[\]\.(owner|signers\[\]))$/;

function findTokenOwners({ condition }: Linted, survey: Survey): Finding[] {
  return comparisonsOf(condition).flatMap(({ path, values }): Finding[] => {
    if (!/^solana\.tx\.spl_transfers\[\]\.(from|to)$/.test(path)) return [];
    const owner = values.find(({ value }) => survey.owners.has(String(value)));
    if (!owner) return [];
    const message =
      `\`${path.slice(path.lastIndexOf(".") + 1)}\` of a token transfer is a token account, and ` +
      `${quote(String(owner.value))} is an owner's address elsewhere: write the token account's address`;
    return [{ code: "spl-owner", message, clause: "condition", node: owner }];
  });
}

const PLACEHOLDER = "ADDRESS_TABLE_LOOKUP";

const LOOKED_UP =
  /^solana\.tx\.((static_)?account_keys\[\]|(top_level_)?instructions\[\]\.accounts\[\]\.account_key|(spl_)?transfers\[\]\.(from|to|owner))$/;

/** Policies cannot see an address from a lookup table, so a test that excludes it has no effect. */
function findLookups({ policy, condition }: Linted, { hasLookupDeny }: Survey): Finding[] {
  if (hasLookupDeny || readsLookups(condition)) return [];
  const excludes = (each: Comparison) => each.isNegative === (policy.effect === "EFFECT_ALLOW");
  const found = comparisonsOf(condition).find((each) => {
    if (!LOOKED_UP.test(each.path)) return false;
    return excludes(each) !== each.values.some(({ value }) => value === PLACEHOLDER);
  });
  if (!found) return [];
  const message =
    `an address taken from a lookup table reads as \`${PLACEHOLDER}\`, whatever it is: ` +
    "test `solana.tx.address_table_lookups.count()` as well";
  return [{ code: "lookup-placeholder", message, clause: "condition", node: found.node }];
}

function readsLookups(condition: LintedClause | undefined): boolean {
  return [...(condition?.inventory.paths ?? [])].some((path) =>
    path.includes("address_table_lookup"),
  );
}

function comparisonsOf(condition: LintedClause | undefined): readonly Comparison[] {
  return condition?.inventory.comparisons ?? [];
}
