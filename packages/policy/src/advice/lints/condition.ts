import type { Expression } from "../../ast.ts";
import { quote } from "../../errors.ts";
import { lowerCase } from "../../values.ts";
import { findErrors, findMixedRoots, readsWithin } from "./errors.ts";
import { type Formula, type Literal, NO_SCOPE } from "./formula.ts";
import type { Comparison } from "./reads.ts";
import { type Budget, canHold, type World } from "./solve.ts";
import {
  type Finding,
  type Linted,
  type LintedClause,
  type Organization,
  RAW_SIGNING,
  rootsRead,
} from "./subject.ts";

/** Hazards of what a condition says about a request, as far as one policy tells them. */
export function findInCondition(
  linted: Linted,
  budget: Budget,
  organization: Organization,
): ConditionFinding[] {
  const { condition, policy } = linted;
  if (!condition) return [];
  const isAllow = policy.effect === "EFFECT_ALLOW";
  const { inventory, terms, checked } = condition;
  const mixed = findMixedRoots(inventory);
  // What always errs has no other fault worth telling.
  if (mixed) return [mixed];
  return [
    ...findErrors(policy.effect, checked.source, inventory, terms ?? [], budget),
    ...findFirstOnly(condition, isAllow, budget),
    ...findUnits(condition),
    ...findCases(condition),
    ...(isAllow
      ? [
          ...findVacuousAll(condition, budget),
          ...findUnscopedSigning(condition, budget, organization),
          ...findLooseTypedData(condition),
          ...findLooseArguments(condition),
          ...findMissingInterfaces(condition, organization),
        ]
      : []),
  ];
}

export type ConditionFinding = Finding<
  | NonNullable<ReturnType<typeof findMixedRoots>>["code"]
  | ReturnType<typeof findErrors>[number]["code"]
  | "first-only"
  | "wei-unit"
  | "account-case"
  | "address-case"
  | "vacuous-all"
  | "sign-unscoped"
  | "eip712-domain"
  | "args-without-address"
  | "interface-missing"
>;

/** Lists whose elements stand for what a request does, one beside the other. */
const BATCHES =
  /^(solana\.tx\.((top_level_)?instructions|transfers|spl_transfers)|bitcoin\.tx\.(inputs|outputs)|tempo\.tx\.calls|wallets|eth\.eip_712\.message\[\].*|activity\.params\.\w+)$/;

/** An element is tested by its position, and further elements may be anything. */
function findFirstOnly(
  { inventory, terms = [], checked, translation }: LintedClause,
  isAllow: boolean,
  budget: Budget,
): Finding<"first-only">[] {
  const { expression } = checked;
  for (const term of terms) {
    const lists = new Map<string, { list: Expression; node: Expression; most: bigint }>();
    for (const literal of term) {
      for (const read of readsWithin(inventory.reads, literal)) {
        const { path, length, isInside, node } = read;
        if (read.kind !== "index" || node.kind !== "index" || isInside || length < 1n) continue;
        if (!BATCHES.test(path.replace(/\[\]$/, ""))) continue;
        const before = lists.get(read.of);
        const most = before && before.most > length ? before.most : length;
        lists.set(read.of, { list: node.object, node: before?.node ?? node, most });
      }
    }
    for (const [of, { list, node, most }] of lists) {
      const hasRest = [
        ...term,
        countAtLeast(translation.key(list, NO_SCOPE), most + 1n, expression),
      ];
      // A quantifier over the same list speaks of the rest.
      const isOfAll = term.some(
        (literal) => literal.node.kind === "quantifier" && literal.subject.key.startsWith(of),
      );
      if (isOfAll || !canHold(hasRest, budget)) continue;
      const mend = isAllow ? "use `all`, or add a test of `count()`" : "use `any`";
      return [
        {
          code: "first-only",
          message: `${quote(of)} may have more elements than the ${most} tested by position: ${mend}`,
          clause: "condition",
          node,
        },
      ];
    }
  }
  return [];
}

/** Lists that are never empty, or whose being empty means that nothing is done. */
const FILLED =
  /^(bitcoin\.tx\.(inputs|outputs)|tempo\.tx\.calls|tron\.tx\.contract(\[\].*)?|solana\.tx\.(\w*account_keys|\w*program_keys|(top_level_)?instructions(\[\].*)?|\w*lookup\w*|\w+\[\].*)|wallet_account\.path_\w+)$/;

/** `all` holds of an empty list, so what it was to vouch for is open. */
function findVacuousAll(
  { inventory, terms = [], checked, translation }: LintedClause,
  budget: Budget,
): Finding<"vacuous-all">[] {
  for (const term of terms) {
    const seen = new Set<string>();
    for (const { node, test } of term) {
      const isAll = node.kind === "quantifier" && node.name === "all" && test.kind === "range";
      if (!isAll || test.high === undefined) continue;
      const { object } = node;
      const path = checked.source.slice(object.start, object.end);
      if (FILLED.test(patternOf(path)) || object.kind === "list") continue;
      const list = translation.key(object, NO_SCOPE);
      if (seen.has(list)) continue;
      seen.add(list);
      const isEmpty = countAtMost(list, 0n, node);
      const isIndexed = term.some((literal) => {
        const reads = readsWithin(inventory.reads, literal);
        return reads.some(({ kind, of, isInside }) => kind === "index" && of === path && !isInside);
      });
      if (isIndexed || isCountedWithFilled(term, list) || !canHold([...term, isEmpty], budget))
        continue;
      return [
        {
          code: "vacuous-all",
          message: `\`all\` is true of an empty list: add \`${path}.count() > 0\``,
          clause: "condition",
          node,
        },
      ];
    }
  }
  return [];
}

function patternOf(path: string) {
  return path.replace(/\[[^\]]*\]/g, "[]");
}

/** As long as a list that is never empty. */
function isCountedWithFilled(term: readonly Literal[], list: string): boolean {
  return term.some(({ node, test }) => {
    if (node.kind !== "compare" || node.operator !== "==" || test.kind !== "among" || !test.is) {
      return false;
    }
    const lists = [node.left, node.right].flatMap((side) => {
      const isCount = (side.kind === "method" || side.kind === "field") && side.name === "count";
      return isCount && side.object.kind === "field" ? textOfPath(side.object) : [];
    });
    return lists.includes(list) && lists.some((each) => each !== list && FILLED.test(each));
  });
}

function textOfPath(node: Expression): string {
  if (node.kind === "name") return node.name;
  return node.kind === "field" ? `${textOfPath(node.object)}.${node.name}` : "?";
}

/** Signing is allowed, and nothing says with what or for what. */
function findUnscopedSigning(
  clause: LintedClause,
  budget: Budget,
  world: World,
): Finding<"sign-unscoped">[] {
  const { inventory, holds, checked } = clause;
  const tests = /^(wallet|private_key|eth|solana|tron|bitcoin|tempo|secret|activity\.params)\b/;
  if ([...inventory.paths].some((path) => tests.test(path)) || rootsRead(clause).length > 0)
    return [];
  // Of what is allowed to do everything, signing is not the point.
  if (holds.kind === "constant" || !canHold([holds, ...RAW_SIGNING], budget, world)) return [];
  return [
    {
      code: "sign-unscoped",
      message:
        "this allows signing with every key, raw payloads included: add a test of `wallet.id`, " +
        "`private_key.id`, the transaction or `activity.params.encoding`",
      clause: "condition",
      node: checked.expression,
    },
  ];
}

function findLooseTypedData({ inventory, checked }: LintedClause): Finding<"eip712-domain">[] {
  const { paths, comparisons } = inventory;
  const content = ["eth.eip_712.message", "eth.eip_712.primary_type"];
  if (!content.some((path) => paths.has(path))) return [];
  const missing = ["eth.eip_712.domain.chain_id", "eth.eip_712.domain.verifying_contract"].filter(
    (path) => !comparisons.some((each) => each.path === path && !each.isNegative),
  );
  if (missing.length === 0) return [];
  return [
    {
      code: "eip712-domain",
      message:
        "typed data of the same form may be meant for another contract or chain: add a test of " +
        missing.map((path) => `\`${path}\``).join(" and "),
      clause: "condition",
      node: checked.expression,
    },
  ];
}

const CALL = /^eth\.tx\.(contract_call_args\b|function_name$)/;

/** Reads a call by the contract's interface; only calls without one have no name. */
function isOfCall({ subject, test }: Literal): boolean {
  const isNameless = test.kind === "among" && test.is && test.values.has("");
  return CALL.test(subject.key) && !isNameless;
}

/** What a call is said to do depends on the contract, which may be any. */
function findLooseArguments({
  inventory,
  terms = [],
}: LintedClause): Finding<"args-without-address">[] {
  if (![...inventory.paths].some((path) => CALL.test(path))) return [];
  for (const term of terms) {
    const call = term.find((literal) => !literal.isNegative && isOfCall(literal));
    const isOfContract = term.some(({ subject, isNegative }) => {
      return !isNegative && subject.key === "eth.tx.to";
    });
    if (!call || isOfContract) continue;
    return [
      {
        code: "args-without-address",
        message:
          "any contract with an interface may have a function like this: " +
          "add a test of `eth.tx.to`",
        clause: "condition",
        node: call.node,
      },
    ];
  }
  return [];
}

function findMissingInterfaces(
  { inventory, terms = [], checked }: LintedClause,
  { interfaces }: Organization,
): Finding<"interface-missing">[] {
  if (!interfaces) return [];
  const has = (kind: string, address?: string) =>
    interfaces.some((each) => {
      const isOfKind = each.type.endsWith(kind);
      return isOfKind && (address === undefined || lowerCase(each.address) === lowerCase(address));
    });
  const parsed = inventory.reads.find(({ path }) => path.endsWith(".parsed_instruction_data"));
  if (parsed && !has("SOLANA")) {
    return [missing("no interface of a Solana program is stored, so this errs", parsed.node)];
  }
  for (const term of terms) {
    if (!term.some(isOfCall)) continue;
    for (const { subject, test, node } of term) {
      if (subject.key !== "eth.tx.to" || test.kind !== "among" || !test.is) continue;
      const strange = [...test.values].find((value) => !has("ETHEREUM", String(value)));
      if (strange === undefined) continue;
      const what = quote(valueIn(checked.source, node, String(strange)));
      return [missing(`no interface is stored for ${what}, so its calls cannot be read`, node)];
    }
  }
  return [];

  function missing(problem: string, node: Expression): Finding<"interface-missing"> {
    const message = `${problem}: create it with \`create_smart_contract_interface\``;
    return { code: "interface-missing", message, clause: "condition", node };
  }
}

/** The value as it is written, since what compares without case is kept in lower case. */
function valueIn(source: string, { start, end }: Expression, value: string): string {
  const at = lowerCase(source.slice(start, end)).indexOf(value);
  return at < 0 ? value : source.slice(start + at, start + at + value.length);
}

/** Amounts below one billionth of an ether are hardly meant. */
function findUnits({ inventory }: LintedClause): Finding<"wei-unit">[] {
  return inventory.comparisons.flatMap(({ path, operator, values }): Finding<"wei-unit">[] => {
    if (path !== "eth.tx.value") return [];
    const small = values.find((value) => {
      if (value.kind !== "int" || value.value < 1n || value.value >= 1_000_000_000n) return false;
      // `< 1` and `>= 1` tell nothing from something.
      return value.value > 1n || (operator !== "<" && operator !== ">=");
    });
    if (small?.kind !== "int") return [];
    return [
      {
        code: "wei-unit",
        message:
          `\`eth.tx.value\` counts wei, and \`${small.value}\` of them are next to nothing: ` +
          "write an amount in ether with 18 more digits",
        clause: "condition",
        node: small,
      },
    ];
  });
}

type CaseCode = "account-case" | "address-case";

/** Texts in letters that what they are compared with never has. */
function findCases({ inventory }: LintedClause): Finding<CaseCode>[] {
  return inventory.comparisons.flatMap((comparison) => {
    return comparison.values.flatMap((value) => {
      const problem = value.kind === "string" ? caseProblem(comparison, value.value) : undefined;
      if (!problem) return [];
      return { ...problem, clause: "condition" as const, node: value };
    });
  });
}

function caseProblem(
  { path, isLowered, isPart, isAnyCase, isDynamic }: Comparison,
  text: string,
): { code: CaseCode; message: string } | undefined {
  const hasUpper = /[A-Z]/.test(text);
  if (isLowered) {
    if (!hasUpper) return undefined;
    return {
      code: "address-case",
      message: `${quote(text)} has capitals, which \`CaseInsensitiveString\` leaves out on the other side: wrap it as well`,
    };
  }
  if (path === "wallet_account.address" && !isPart) {
    const stored = storedForm(text);
    if (!stored) return undefined;
    return {
      code: "account-case",
      message: `addresses of accounts compare exactly, and ${quote(text)} is not how they are stored: ${stored}`,
    };
  }
  if (!hasUpper || isAnyCase || !/^(0x)?[0-9a-fA-F]+$/.test(text)) return undefined;
  if (path === "eth.tx.data") {
    return {
      code: "address-case",
      message: `calldata is in lower case, and ${quote(text)} has capitals: write it in lower case`,
    };
  }
  // Arguments and messages know by their declared types what is an address.
  const isTold = isDynamic && !path.startsWith("activity.params");
  if (isTold || !/^0x[0-9a-fA-F]{40}$/.test(text)) return undefined;
  return {
    code: "address-case",
    message: `\`${path}\` compares exactly, and ${quote(text)} may be written in other letters: wrap both sides in \`CaseInsensitiveString\``,
  };
}

/** What the address should look like, if it cannot be one in the form accounts have. */
function storedForm(text: string): string | undefined {
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) {
    const letters = text.slice(2).replace(/[0-9]/g, "");
    const isMixed = /[a-z]/.test(letters) && /[A-Z]/.test(letters);
    // By chance a checksum has letters of one case, but not many.
    if (isMixed || letters.length < 8) return undefined;
    return "write it with the capitals of its checksum (EIP-55), or wrap both sides in `CaseInsensitiveString`";
  }
  if (/^0x[0-9a-fA-F]{64}$/.test(text) && /[A-F]/.test(text)) return "write it in lower case";
  if (/^(bc|tb|bcrt|cosmos|sei|sp)1[0-9a-z]{20,}$/i.test(text) && /[A-Z]/.test(text)) {
    return "write it in lower case";
  }
  if (/^G[A-Z2-7]{55}$/i.test(text) && /[a-z]/.test(text)) return "write it in capitals";
  return undefined;
}

function countAtLeast(list: string, low: bigint, node: Expression): Formula {
  return countIn(list, { low }, node);
}

function countAtMost(list: string, high: bigint, node: Expression): Formula {
  return countIn(list, { high }, node);
}

function countIn(list: string, range: { low?: bigint; high?: bigint }, node: Expression): Formula {
  return {
    kind: "literal",
    subject: { key: `${list}.count()`, text: "exact", count: {} },
    test: { kind: "range", ...range },
    node,
    scope: NO_SCOPE,
    isNegative: false,
  };
}
