import type { Expression } from "../../ast.ts";
import { isOfPattern } from "../../chains/facts.ts";
import { chains } from "../../chains/index.ts";
import { quote } from "../../errors.ts";
import { lowerCase } from "../../values.ts";
import { findErrors, findMixedRoots, readsWithin } from "./errors.ts";
import { findCases } from "./letters.ts";
import { type Literal, saidBy, valuesTold } from "./literals.ts";
import {
  conditionOf,
  type Finding,
  isPossible,
  type LintCode,
  type Linted,
  type LintedClause,
  RAW_SIGNING,
  rootsRead,
  statementOf,
} from "./subject.ts";

// Lints of what one condition says about requests.

/** Hazards in what a condition says about a request, as far as one policy shows them. */
export function findInCondition({ condition, policy }: Linted): Finding[] {
  if (!condition) return [];
  const isAllow = policy.effect === "EFFECT_ALLOW";
  const mixed = findMixedRoots(condition.inventory);
  // A condition that always errs has no other fault worth reporting.
  if (mixed) return [mixed];
  const ofBoth = [
    ...findErrors(condition, !isAllow),
    ...findFirstOnly(condition, isAllow),
    ...findUnits(condition),
    ...findCases(condition),
  ];
  if (!isAllow) return ofBoth;
  return [
    ...ofBoth,
    ...findVacuousAll(condition),
    ...findUnscopedSigning(condition),
    ...findLooseTypedData(condition),
    ...findLooseArguments(condition),
    ...findMissingInterfaces(condition),
  ];
}

function finding(code: LintCode, message: string, node: Expression): Finding {
  return { code, message, clause: "condition", node };
}

/** Lists whose elements are the separate things that a request does. */
function isBatch(path: string): boolean {
  return /^(wallets|activity\.params\.\w+)$/.test(path) || isOfPattern("batches", path);
}

/** An element is tested by its position, and further elements may be anything. */
function findFirstOnly(clause: LintedClause, isAllow: boolean): Finding[] {
  const { cases = [], logic } = clause;
  for (const literals of cases) {
    for (const [of, { list, node, most }] of listsByPosition(literals, clause)) {
      // A quantifier over the same list covers the rest.
      const isOfAll = literals.some(({ key, node: { kind } }) => {
        return kind === "quantifier" && key.startsWith(of);
      });
      const hasRest = statementOf(compareCount(list, ">", most), clause);
      if (isOfAll || !isPossible([...literals.map(saidBy), hasRest], logic)) continue;
      const mend = isAllow ? "use `all`, or add a test of `count()`" : "use `any`";
      const message = `${quote(of)} may have more elements than the ${most} tested by position: ${mend}`;
      return [finding("first-only", message, node)];
    }
  }
  return [];
}

/** The batches with elements that are tested by their position, and the most elements tested. */
function listsByPosition(literals: readonly Literal[], { inventory }: LintedClause) {
  const lists = new Map<string, { list: Expression; node: Expression; most: bigint }>();
  for (const literal of literals) {
    for (const read of readsWithin(inventory.reads, literal)) {
      const { path, length, isInside, node } = read;
      if (read.kind !== "index" || node.kind !== "index" || isInside || length < 1n) continue;
      if (!isBatch(path.replace(/\[\]$/, ""))) continue;
      const before = lists.get(read.of);
      const most = before && before.most > length ? before.most : length;
      lists.set(read.of, { list: node.object, node: before?.node ?? node, most });
    }
  }
  return lists;
}

/** A comparison that a list has more elements than the value, or exactly as many. */
function compareCount(list: Expression, operator: ">" | "==", value: bigint): Expression {
  const { start, end } = list;
  const span = { start, end };
  const left: Expression = {
    ...{ kind: "method", name: "count", nameSpan: span, ...span },
    object: list,
    arguments: [],
  };
  return { kind: "compare", operator, left, right: { kind: "int", value, ...span }, ...span };
}

/** Lists that are never empty, or that do nothing if they are empty. */
function isFilled(path: string): boolean {
  if (/^wallet_account\.path_\w+$/.test(path)) return true;
  return isOfPattern("neverEmpty", path) || isOfPattern("idleIfEmpty", path);
}

/** `all` is true of an empty list, so the condition does not guarantee what it seems to. */
function findVacuousAll(clause: LintedClause): Finding[] {
  const { cases = [], checked, logic } = clause;
  for (const literals of cases) {
    const seen = new Set<string>();
    for (const { node, isTrue } of literals) {
      if (node.kind !== "quantifier" || node.name !== "all" || !isTrue) continue;
      const { object } = node;
      const path = checked.source.slice(object.start, object.end);
      if (isFilled(patternOf(path)) || object.kind === "list" || seen.has(path)) continue;
      seen.add(path);
      if (isIndexed(path, literals, clause) || isCountedWithFilled(literals, path)) continue;
      const isEmpty = statementOf(compareCount(object, "==", 0n), clause);
      if (!isPossible([...literals.map(saidBy), isEmpty], logic)) continue;
      const message = `\`all\` is true of an empty list: add \`${path}.count() > 0\``;
      return [finding("vacuous-all", message, node)];
    }
  }
  return [];
}

/** Whether an element of the list is read by its position. */
function isIndexed(path: string, literals: readonly Literal[], { inventory }: LintedClause) {
  return literals.some((literal) => {
    const reads = readsWithin(inventory.reads, literal);
    return reads.some(({ kind, of, isInside }) => kind === "index" && of === path && !isInside);
  });
}

function patternOf(path: string) {
  return path.replace(/\[[^\]]*\]/g, "[]");
}

/** Whether a test says that the list is as long as a list that is never empty. */
function isCountedWithFilled(literals: readonly Literal[], list: string): boolean {
  return literals.some(({ node, isTrue }) => {
    if (node.kind !== "compare" || node.operator !== "==" || !isTrue) return false;
    const lists = [node.left, node.right].flatMap((side) => {
      const isOfCount = (side.kind === "method" || side.kind === "field") && side.name === "count";
      return isOfCount && side.object.kind === "field" ? textOfPath(side.object) : [];
    });
    return lists.includes(list) && lists.some((each) => each !== list && isFilled(each));
  });
}

function textOfPath(node: Expression): string {
  if (node.kind === "name") return node.name;
  return node.kind === "field" ? `${textOfPath(node.object)}.${node.name}` : "?";
}

/** Signing is allowed, but nothing says with which key or for what. */
function findUnscopedSigning(clause: LintedClause): Finding[] {
  const { inventory, holds, checked, logic } = clause;
  const isScoped = [...inventory.paths].some((path) => SCOPES.test(path));
  if (isScoped || rootsRead(clause).length > 0) return [];
  // If everything is allowed, signing is not the point.
  if (holds.kind === "constant") return [];
  if (!isPossible([holds, conditionOf(RAW_SIGNING, logic)], logic)) return [];
  const message =
    "this allows signing with every key, raw payloads included: add a test of `wallet.id`, " +
    "`private_key.id`, the transaction or `activity.params.encoding`";
  return [finding("sign-unscoped", message, checked.expression)];
}

const SCOPES = new RegExp(
  `^(wallet|private_key|${chains.map(({ name }) => name).join("|")}|secret|activity\\.params)\\b`,
);

function findLooseTypedData({ inventory, checked }: LintedClause): Finding[] {
  const { paths, comparisons } = inventory;
  const content = ["eth.eip_712.message", "eth.eip_712.primary_type"];
  if (!content.some((path) => paths.has(path))) return [];
  const missing = ["eth.eip_712.domain.chain_id", "eth.eip_712.domain.verifying_contract"].filter(
    (path) => !comparisons.some((each) => each.path === path && !each.isNegative),
  );
  if (missing.length === 0) return [];
  const message =
    "typed data of the same form may be meant for another contract or chain: add a test of " +
    missing.map((path) => `\`${path}\``).join(" and ");
  return [finding("eip712-domain", message, checked.expression)];
}

const CALL = /^eth\.tx\.(contract_call_args\b|function_name$)/;

/** Reads a call by the contract's interface; only calls without one have no name. */
function isOfCall(literal: Literal): boolean {
  return CALL.test(literal.key) && valuesTold(literal)?.includes("") !== true;
}

/** The meaning of a call depends on the contract, and any contract is allowed. */
function findLooseArguments({ inventory, cases = [] }: LintedClause): Finding[] {
  if (![...inventory.paths].some((path) => CALL.test(path))) return [];
  for (const literals of cases) {
    const call = literals.find((literal) => !literal.isNegative && isOfCall(literal));
    const isOfContract = literals.some(({ key, isNegative }) => !isNegative && key === "eth.tx.to");
    if (!call || isOfContract) continue;
    const message =
      "any contract with an interface may have a function like this: add a test of `eth.tx.to`";
    return [finding("args-without-address", message, call.node)];
  }
  return [];
}

function findMissingInterfaces({ inventory, cases = [], logic }: LintedClause): Finding[] {
  const { interfaces } = logic.organization;
  if (!interfaces) return [];
  const has = (kind: string, address?: string) => {
    const same = interfaces.filter(({ type }) => type.endsWith(kind));
    return same.some((each) => !address || lowerCase(each.address) === lowerCase(address));
  };
  const missing = (problem: string, node: Expression) => {
    const message = `${problem}: create it with \`create_smart_contract_interface\``;
    return [finding("interface-missing", message, node)];
  };
  const parsed = inventory.reads.find(({ path }) => path.endsWith(".parsed_instruction_data"));
  if (parsed && !has("SOLANA")) {
    return missing("no interface of a Solana program is stored, so this errs", parsed.node);
  }
  const contracts = cases.filter((literals) => literals.some(isOfCall)).flat();
  for (const literal of contracts) {
    const told = literal.key === "eth.tx.to" ? (valuesTold(literal) ?? []) : [];
    const strange = told.find((value) => !has("ETHEREUM", String(value)));
    if (strange === undefined) continue;
    const problem = `no interface is stored for ${quote(String(strange))}, so its calls cannot be read`;
    return missing(problem, literal.node);
  }
  return [];
}

/** Amounts below one billionth of an ether are probably a mistake. */
function findUnits({ inventory }: LintedClause): Finding[] {
  return inventory.comparisons.flatMap(({ path, operator, values }) => {
    if (path !== "eth.tx.value") return [];
    const small = values.find((value) => {
      if (value.kind !== "int" || value.value < 1n || value.value >= 1_000_000_000n) return false;
      // `< 1` and `>= 1` only test for zero.
      return value.value > 1n || (operator !== "<" && operator !== ">=");
    });
    if (!small) return [];
    const message =
      `\`eth.tx.value\` counts wei, and \`${small.value}\` wei is next to nothing: ` +
      "write an amount in ether with 18 more digits";
    return [finding("wei-unit", message, small)];
  });
}
