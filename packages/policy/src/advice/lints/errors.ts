import type { Expression } from "../../ast.ts";
import type { Effect } from "../../decide.ts";
import { quote } from "../../errors.ts";
import { ACTIVITY_PARAMS } from "../../schema.ts";
import type { Literal } from "./formula.ts";
import type { Inventory, Read } from "./reads.ts";
import { type Budget, canHold, kindOf } from "./solve.ts";
import type { Finding } from "./subject.ts";

type ErrorCode =
  | "mixed-key-roots"
  | "no-short-circuit"
  | "slice-may-overflow"
  | "index-unguarded"
  | "secret-key-missing"
  | "deny-can-error";

/** Groups of which a request has one at most. */
const EXCLUSIVE: readonly (readonly string[])[] = [
  ["wallet", "private_key", "secret"],
  ["wallet_account", "private_key", "secret"],
  [
    "eth.tx",
    "eth.eip_712",
    "eth.eip_7702_authorization",
    "solana.tx",
    "tron.tx",
    "bitcoin.tx",
    "tempo.tx",
    "secret",
  ],
];

/** Two things that the condition reads and that no request has both. */
export function findMixedRoots({ reads }: Inventory): Finding<"mixed-key-roots"> | undefined {
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
 * Errors where the condition was meant to hold. Read as its author would, a comparison that has
 * nothing to compare is false, and `!=` or `!` of it true; where the condition would hold in that
 * reading, the error is a surprise. In an ALLOW that is an alternative that never gets its turn;
 * in a DENY, whose errors let the request pass, also what is compared inside the very term.
 * An error elsewhere changes nothing: without it the condition would be false.
 */
export function findErrors(
  effect: Effect,
  source: string,
  { reads }: Inventory,
  terms: readonly (readonly Literal[])[],
  budget: Budget,
): Finding<ErrorCode>[] {
  const findings = new Map<ErrorCode, Finding<ErrorCode>>();
  const isDeny = effect === "EFFECT_DENY";
  let calls: ReturnType<typeof callsOf> | undefined;
  for (const term of terms) {
    const read = surprise(term);
    if (!read || !canHold(term, budget)) continue;
    const finding = describe(read, quote(source.slice(read.node.start, read.node.end)), isDeny);
    if (!findings.has(finding.code)) findings.set(finding.code, finding);
  }
  return [...findings.values()];

  /** A term reads it of the same function or type of message, which so has it. */
  function isOfSameCall(read: Read, term: readonly Literal[]): boolean {
    calls ??= callsOf(reads, terms);
    const readOf = calls.get(read);
    return term.some(({ node }) => readOf?.has(node) === true);
  }

  function surprise(term: readonly Literal[]): Read | undefined {
    const sure = new Map<string, bigint>();
    const sides = new Map<Read, Literal>();
    for (const literal of term) {
      for (const read of readsWithin(reads, literal)) {
        sides.set(read, literal);
        if (read.isInside || (literal.isNegative && (isDeny || isOfForm(read)))) continue;
        const key = keyOf(read);
        const length = sure.get(key);
        if (length === undefined || read.length > length) sure.set(key, read.length);
      }
    }
    return reads.find((read) => {
      if (read.kind === "number") return isDeny && sides.has(read);
      const side = sides.get(read);
      if (read.isInside) return isDeny && isSurpriseInside(read, side);
      if (read.kind !== "root" && isDeny && side && !side.isNegative) {
        return !isHarmless(read) && !isGuarded(read, term);
      }
      const known = sure.get(keyOf(read));
      if (known !== undefined && (known >= read.length || (!isDeny && isSelector(read, known))))
        return false;
      if (read.kind === "key") return !isOfSameCall(read, term);
      return read.kind === "root" ? !isImplied(read, term) : !isGuarded(read, term);
    });
  }
}

/** What tells which arguments a call has, and which fields a message. */
const CALL = /^eth\.(tx\.(function_(name|signature)$|data\[0\.\.)|eip_712\.primary_type$)/;

/** The tests that tell the function or type of message for which something is read. */
function callsOf(reads: readonly Read[], terms: readonly (readonly Literal[])[]) {
  const calls = new Map<Read, Set<Expression>>();
  for (const term of terms) {
    const told = term.filter(({ subject, isNegative }) => !isNegative && CALL.test(subject.key));
    if (told.length === 0) continue;
    for (const literal of term) {
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

/** What a literal reads: the reads are sorted by their position. */
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

/** Reads with the same key stand for each other, as far as their lengths reach. */
function keyOf({ kind, path, of }: Read): string {
  return kind === "root" || kind === "unset" ? `${kind} ${path}` : `${kind} ${of}`;
}

/** Where an ALLOW that says `!=` was meant for values of any form, and errs for some. */
function isOfForm({ kind, path }: Read) {
  return kind === "slice" || kind === "index" || path.startsWith("secret.static_properties[]");
}

/** A call that was told by its selector has its arguments, or does nothing. */
function isSelector({ kind }: Read, known: bigint) {
  return kind === "slice" && known >= 10n;
}

/** One element that errs spoils what another decides. */
function isSurpriseInside({ kind, path }: Read, side: Literal | undefined): boolean {
  // Objects and tuples of one array have the same fields.
  if (/^eth\.(eip_712\.message|tx\.contract_call_args)/.test(path)) return false;
  if (kind === "root") return side === undefined || side.isNegative;
  const isAll = side?.node.kind === "quantifier" && side.node.name === "all";
  return !isAll || side.isNegative;
}

/** Text that is too short does not begin as it should: false in either way. */
function isHarmless({ kind, node }: Read): boolean {
  if (kind !== "slice" || node.kind !== "slice") return false;
  return node.from.kind === "int" && node.from.value === 0n;
}

/** Elements of lists that have one at least. */
const NEVER_EMPTY =
  /^(wallet_account\.path_\w+|solana\.tx\.(static_)?account_keys|bitcoin\.tx\.(inputs|outputs)|tempo\.tx\.calls|tron\.tx\.contract)\[\]$/;

/** Whether what else the term says makes sure of the read. */
function isGuarded({ kind, path, of, length }: Read, term: readonly Literal[]): boolean {
  if (/^eth\.(tx\.contract_call_args|eip_712\.message)/.test(path)) {
    const object = path.startsWith("eth.tx") ? "eth.tx." : "eth.eip_712.";
    return term.some(({ subject: { key }, isNegative }) => {
      return !isNegative && key.startsWith(object) && CALL.test(key);
    });
  }
  if (kind === "index") {
    if (length <= 1n && NEVER_EMPTY.test(path)) return true;
    return term.some(({ subject, test }) => {
      const isOfList = subject.key.startsWith(of) && subject.count !== undefined;
      if (!isOfList) return false;
      if (test.kind === "range") return (test.low ?? 0n) >= length;
      return test.is && [...test.values].every((n) => typeof n === "bigint" && n >= length);
    });
  }
  if (kind !== "slice") return false;
  return term.some(({ subject, test }) => {
    if (subject.key !== of || test.kind !== "among" || !test.is) return false;
    return [...test.values].every((text) => typeof text === "string" && text.length >= length);
  });
}

/** What the activities that a term names always have. */
function isImplied({ path }: Read, term: readonly Literal[]): boolean {
  const told = (key: string) => {
    const literal = term.find(({ subject, test }) => {
      return subject.key === key && test.kind === "among" && test.is;
    });
    return literal?.test.kind === "among" ? [...literal.test.values].map(String) : undefined;
  };
  const kinds = told("activity.kind") ?? told("activity.type")?.map(kindOf);
  const param = /^activity\.params\.(\w+)$/.exec(path)?.[1];
  if (param !== undefined) {
    // Which parameters the activities have that are not listed is not known here.
    if (kinds) return kinds.every((kind) => hasParam(kind, param) !== false);
    return term.some(({ subject, isNegative }) => {
      const other = /^activity\.params\.(\w+)/.exec(subject.key)?.[1];
      return other !== undefined && !isNegative && isBesides(param, other);
    });
  }
  if (kinds?.every((kind) => ALWAYS.get(kind)?.includes(path))) return true;
  const types = told("activity.params.type");
  if (types?.every((type) => TRANSACTION_TYPES.get(type) === path)) return true;
  const encodings = told("activity.params.encoding");
  if (encodings?.every((encoding) => ENCODINGS.get(encoding) === path)) return true;
  return path === "wallet" && term.some(({ subject }) => subject.key.startsWith("wallet_account."));
}

/** Whether activities that have one parameter have the other. */
function isBesides(param: string, other: string): boolean {
  const kinds = Object.keys(ACTIVITY_PARAMS).filter((kind) => hasParam(kind, other));
  return kinds.length > 0 && kinds.every((kind) => hasParam(kind, param));
}

function hasParam(kind: string, param: string): boolean | undefined {
  const params = Object.hasOwn(ACTIVITY_PARAMS, kind) ? ACTIVITY_PARAMS[kind] : undefined;
  return params && Object.hasOwn(params, param);
}

const ALWAYS: ReadonlyMap<string, readonly string[]> = new Map([
  ["ETH_SEND_TRANSACTION", ["eth.tx"]],
  ["SOL_SEND_TRANSACTION", ["solana.tx"]],
  ["EXPORT_WALLET", ["wallet"]],
  [
    "EXPORT_WALLET_ACCOUNT",
    ["wallet", "wallet_account", "wallet_account.path_indexes", "wallet_account.path_hardened"],
  ],
  ["EXPORT_PRIVATE_KEY", ["private_key"]],
  ["EXPORT_SECRETS", ["secret"]],
  ["DELETE_WALLETS", ["wallets"]],
]);

const TRANSACTION_TYPES: ReadonlyMap<string, string> = new Map([
  ["TRANSACTION_TYPE_ETHEREUM", "eth.tx"],
  ["TRANSACTION_TYPE_SOLANA", "solana.tx"],
  ["TRANSACTION_TYPE_TRON", "tron.tx"],
  ["TRANSACTION_TYPE_BITCOIN", "bitcoin.tx"],
  ["TRANSACTION_TYPE_TEMPO", "tempo.tx"],
]);

const ENCODINGS: ReadonlyMap<string, string> = new Map([
  ["PAYLOAD_ENCODING_EIP712", "eth.eip_712"],
  ["PAYLOAD_ENCODING_EIP7702_AUTHORIZATION", "eth.eip_7702_authorization"],
]);

function describe(read: Read, what: string, isDeny: boolean): Finding<ErrorCode> {
  const { kind, node, path, of, length } = read;
  const clause = "condition";
  if (isDeny) {
    return {
      code: "deny-can-error",
      clause,
      node,
      message: `${what} ${CAUSES[kind]}, and a DENY that errs denies nothing: ${mend(read)}`,
    };
  }
  if (kind === "slice") {
    return {
      code: "slice-may-overflow",
      clause,
      node,
      message:
        `${quote(of)} may have fewer than ${length} characters, which errs whatever else is ` +
        "tested: write a policy of its own for those, without the slice",
    };
  }
  if (kind === "index") {
    return {
      code: "index-unguarded",
      clause,
      node,
      message:
        `${quote(of)} may have fewer than ${length} elements, which errs whatever else is ` +
        "tested: use `any` or `all` with `count()`",
    };
  }
  if (path.startsWith("secret.static_properties[]")) {
    return {
      code: "secret-key-missing",
      clause,
      node,
      message:
        `${what} errs for secrets without that key, whatever else is tested: ` +
        "write a policy for each key, and name the values it allows",
    };
  }
  return {
    code: "no-short-circuit",
    clause,
    node,
    message:
      `${what} is read also where another side of \`||\` holds, and errs in requests without it: ` +
      "write a policy for each side",
  };
}

const CAUSES = {
  root: "is not in every request this should match",
  slice: "errs where the text is shorter",
  index: "errs where the list is shorter",
  key: "errs where that key is missing",
  unset: "errs where no interface fits",
  number: "errs where a number was sent as text",
} as const;

const ALLOW_INSTEAD = "allow what is right instead, since an ALLOW that errs allows nothing";

function mend({ kind, isInside, path }: Read): string {
  if (kind === "root") return "write a policy for each kind of request";
  if (kind === "number") return ALLOW_INSTEAD;
  if (isInside) return `one element is enough for that, so ${ALLOW_INSTEAD}`;
  if (kind === "index") return "use `any` or `all`";
  if (path.startsWith("eth.eip_712.message")) return "test `eth.eip_712.primary_type` as well";
  if (path.startsWith("eth.tx.contract_call_args")) return "test `eth.tx.function_name` as well";
  return ALLOW_INSTEAD;
}
