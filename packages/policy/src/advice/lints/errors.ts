import type { Expression } from "../../ast.ts";
import { isOfPattern } from "../../chains/facts.ts";
import { isOfSomeRequests, signedRoots } from "../../chains/index.ts";
import { quote } from "../../errors.ts";
import { isImplied } from "./implied.ts";
import { isAtLeast, isCount, type Literal, valuesTold } from "./literals.ts";
import type { Inventory, Read } from "./reads.ts";
import type { Finding, LintCode, LintedClause } from "./subject.ts";

// Lints of errors where a condition was meant to hold.

/** Groups of roots. A request has at most one root of each group. */
const EXCLUSIVE: readonly (readonly string[])[] = [
  ["wallet", "private_key", "secret"],
  ["wallet_account", "private_key", "secret"],
  [...signedRoots.keys(), "secret"],
];

/** Two parts that the condition reads, although no request has both. */
export function findMixedRoots({ reads }: Inventory): Finding | undefined {
  const roots = reads.filter(({ kind, isInside }) => kind === "root" && !isInside);
  for (const group of EXCLUSIVE) {
    const [first, ...others] = roots.filter(({ path }) => group.includes(path));
    const second = others.find(({ path }) => path !== first?.path);
    if (!first || !second) continue;
    return {
      code: "mixed-key-roots",
      clause: "condition",
      node: second.node,
      message:
        `\`${first.path}\` and \`${second.path}\` are never part of one request and both sides of ` +
        "`&&` and `||` are always read, so this always errs: write a policy for each",
    };
  }
  return undefined;
}

/**
 * Errors where the condition was meant to hold. An author expects a comparison with nothing to
 * compare to be false, and `!=` or `!` of it to be true. If the condition would hold in that
 * reading, the error is a surprise. In an ALLOW, this is an alternative that never gets its turn.
 * A DENY is skipped there if what it reads is absent; any other error denies, so a comparison inside
 * the case itself may deny more than it says. An error elsewhere changes nothing, since the
 * condition would be false without it.
 */
export function findErrors(clause: LintedClause, isDeny: boolean): Finding[] {
  const { checked, inventory, cases = [] } = clause;
  const findings = new Map<LintCode, Finding>();
  const search: Search = { reads: inventory.reads, cases, isDeny };
  for (const one of cases) {
    const read = surpriseIn(one, search);
    if (!read) continue;
    const { start, end } = read.node;
    const finding = describe(read, quote(checked.source.slice(start, end)), isDeny);
    if (!findings.has(finding.code)) findings.set(finding.code, finding);
  }
  return [...findings.values()];
}

/** A search for errors in the cases in which a condition holds. */
type Search = {
  readonly reads: readonly Read[];
  readonly cases: readonly (readonly Literal[])[];
  readonly isDeny: boolean;
  /** The tests that identify the function or type of message that something is read from. */
  calls?: ReadonlyMap<Read, ReadonlySet<Expression>>;
};

/**
 * What the literals of a case read without a surprise, with its length, and which literal reads it.
 */
function readsOfCase(literals: readonly Literal[], { reads, isDeny }: Search) {
  const sure = new Map<string, bigint>();
  const sides = new Map<Read, Literal>();
  for (const literal of literals) {
    for (const read of readsWithin(reads, literal)) {
      sides.set(read, literal);
      if (read.isInside || (literal.isNegative && (isDeny || isOfForm(read)))) continue;
      const key = keyOf(read);
      const length = sure.get(key);
      if (length === undefined || read.length > length) sure.set(key, read.length);
    }
  }
  return { sure, sides };
}

function surpriseIn(literals: readonly Literal[], search: Search): Read | undefined {
  const { reads, isDeny } = search;
  const { sure, sides } = readsOfCase(literals, search);
  return reads.find((read) => {
    const side = sides.get(read);
    if (read.isInside) return isDeny && isSurpriseInside(read, side);
    if (read.kind !== "root" && isDeny && side && !side.isNegative) {
      return !isHarmless(read, literals) && !isGuarded(read, literals);
    }
    const known = sure.get(keyOf(read));
    const isLongEnough = known !== undefined && known >= read.length;
    if (isLongEnough || (known !== undefined && !isDeny && isSelector(read, known))) return false;
    if (read.kind === "key") return !isOfSameCall(read, literals, search);
    return read.kind === "root" ? !isImplied(read, literals) : !isGuarded(read, literals);
  });
}

/** Whether a case reads it from the same function or type of message, which then has it. */
function isOfSameCall(read: Read, literals: readonly Literal[], search: Search): boolean {
  search.calls ??= callsOf(search);
  const readOf = search.calls.get(read);
  return literals.some(({ node }) => readOf?.has(node) === true);
}

/** What identifies the arguments of a call or the fields of a message. */
const CALL = /^eth\.(tx\.(function_(name|signature)$|data\[0\.\.)|eip_712\.primary_type$)/;

/** For each read, the tests that identify its function or type of message. */
function callsOf({ reads, cases }: Search) {
  const calls = new Map<Read, Set<Expression>>();
  for (const literals of cases) {
    const told = literals.filter(({ key, isNegative }) => !isNegative && CALL.test(key));
    if (told.length === 0) continue;
    for (const literal of literals) {
      for (const read of readsWithin(reads, literal)) {
        const readOf = calls.get(read) ?? new Set();
        // More tests of one call say nothing new.
        for (const { node } of told.slice(0, 4)) readOf.add(node);
        calls.set(read, readOf);
      }
    }
  }
  return calls;
}

/** What a literal reads. The reads are sorted by their position. */
export function readsWithin(reads: readonly Read[], { node }: Literal): readonly Read[] {
  let low = 0;
  let high = reads.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((reads[middle] as Read).node.start < node.start) low = middle + 1;
    else high = middle;
  }
  const within: Read[] = [];
  for (let i = low; i < reads.length; i++) {
    const read = reads[i] as Read;
    if (read.node.start >= node.end) break;
    if (read.node.end <= node.end) within.push(read);
  }
  return within;
}

/** Reads with the same key can replace each other, as far as their lengths reach. */
function keyOf({ kind, path, of }: Read): string {
  return kind === "root" || kind === "unset" ? `${kind} ${path}` : `${kind} ${of}`;
}

/** Whether an ALLOW that says `!=` was meant for values of any form, but errs for some. */
function isOfForm({ kind, path }: Read) {
  return kind === "slice" || kind === "index" || path.startsWith("secret.static_properties[]");
}

/** A call identified by its selector has its arguments, or does nothing. */
function isSelector({ kind }: Read, known: bigint) {
  return kind === "slice" && known >= 10n;
}

/** One element that errs makes the whole test err, even if another decides. */
function isSurpriseInside({ kind, path }: Read, side: Literal | undefined): boolean {
  // Objects and tuples of one array have the same fields.
  if (/^eth\.(eip_712\.message|tx\.contract_call_args)/.test(path)) return false;
  if (kind === "root") return side === undefined || side.isNegative;
  const isAll = side?.node.kind === "quantifier" && side.node.name === "all";
  return !isAll || side.isNegative;
}

/** A text that is too short does not begin as it should. Another test narrows what that denies. */
function isHarmless({ kind, node }: Read, literals: readonly Literal[]): boolean {
  if (kind !== "slice" || node.kind !== "slice" || literals.length < 2) return false;
  return node.from.kind === "int" && node.from.value === 0n;
}

/** Whether it is an element of a list that has at least one. */
function isOfNeverEmpty(path: string): boolean {
  if (!path.endsWith("[]")) return false;
  const list = path.slice(0, -2);
  return /^wallet_account\.path_\w+$/.test(list) || isOfPattern("neverEmpty", list);
}

/** Whether the rest of the case guarantees the read. */
function isGuarded({ kind, path, of, length }: Read, literals: readonly Literal[]): boolean {
  if (/^eth\.(tx\.contract_call_args|eip_712\.message)/.test(path)) {
    const object = path.startsWith("eth.tx") ? "eth.tx." : "eth.eip_712.";
    return literals.some(({ key, isNegative }) => {
      return !isNegative && key.startsWith(object) && CALL.test(key);
    });
  }
  if (kind === "index") {
    if (length <= 1n && isOfNeverEmpty(path)) return true;
    return literals.some((literal) => {
      return literal.key.startsWith(of) && isCount(literal) && isAtLeast(literal, length);
    });
  }
  if (kind !== "slice") return false;
  return literals.some((literal) => {
    const texts = literal.key === of ? valuesTold(literal) : undefined;
    return texts?.every((text) => typeof text === "string" && text.length >= length);
  });
}

function describe(read: Read, what: string, isDeny: boolean): Finding {
  const { kind, node, path, of, length } = read;
  const finding = (code: LintCode, message: string): Finding => {
    return { code, message, clause: "condition", node };
  };
  if (isDeny) {
    const consequence = isAbsent(read)
      ? "a DENY that depends on what is absent is skipped"
      : "a DENY that errs denies";
    return finding("deny-can-error", `${what} ${CAUSES[kind]}, and ${consequence}: ${mend(read)}`);
  }
  if (kind === "slice") {
    const message =
      `${quote(of)} may have fewer than ${length} characters, which errs whatever else is ` +
      "tested: write a separate policy for those, without the slice";
    return finding("slice-may-overflow", message);
  }
  if (kind === "index") {
    const message =
      `${quote(of)} may have fewer than ${length} elements, which errs whatever else is ` +
      "tested: use `any` or `all` with `count()`";
    return finding("index-unguarded", message);
  }
  if (path.startsWith("secret.static_properties[]")) {
    const message =
      `${what} errs for secrets without that key, whatever else is tested: ` +
      "write a policy for each key, and name the values it allows";
    return finding("secret-key-missing", message);
  }
  const message =
    `${what} is also read where another side of \`||\` holds, and errs in requests without it: ` +
    "write a policy for each side";
  return finding("no-short-circuit", message);
}

const CAUSES = {
  root: "is not in every request this should match",
  slice: "errs where the text is shorter",
  index: "errs where the list is shorter",
  key: "has no value where that key is missing",
  unset: "has no value where no interface fits",
} as const;

/** Whether the DENY is skipped without it. Parameters may be absent, or left out, which denies. */
function isAbsent({ kind, path, isInside }: Read): boolean {
  return kind === "root" || (!isInside && isOfSomeRequests(path, "[]"));
}

const NARROW = "test as well which requests it is about, with `&&`";

function mend({ kind, isInside, path }: Read): string {
  if (kind === "root") return "write a policy for each kind of request";
  if (isInside) return `one element is enough for that, so ${NARROW}`;
  if (kind === "index") return "use `any` or `all`";
  if (path.startsWith("eth.eip_712.message")) return "test `eth.eip_712.primary_type` as well";
  if (path.startsWith("eth.tx.contract_call_args")) return "test `eth.tx.function_name` as well";
  return NARROW;
}
