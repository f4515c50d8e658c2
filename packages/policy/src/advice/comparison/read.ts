import { childrenOf, type Expression, type Operator } from "../../ast.ts";
import type { Checked } from "../../check.ts";
import { type Compiled, prepare } from "../../evaluate.ts";
import { bool, dynamic, int, type Type } from "../../types.ts";
import type { Value } from "../../values.ts";
import {
  type Atom,
  closedValue,
  type Occurrence,
  type Read,
  type ReadClause,
  rootsOf,
  type Sentence,
  type Source,
  type Step,
  TERM,
  type Term,
} from "./terms.ts";
import { isClosed, keyOf, replace } from "./tree.ts";
import { isCountable, type Voters } from "./words.ts";

/** All terms and statements that the clauses read so far are about. */
export type Vocabulary = {
  readonly terms: Map<string, Term>;
  readonly atoms: Map<string, Atom>;
  /** Variables below it are not of terms. */
  readonly firstVariable: number;
  readonly voters: Voters;
};

export function newVocabulary(firstVariable: number, voters: Voters): Vocabulary {
  return { terms: new Map(), atoms: new Map(), firstVariable, voters };
}

/** Reads a clause as a sentence about atoms and enters them into the vocabulary. */
export function readClause(compiled: Compiled, vocabulary: Vocabulary): ReadClause {
  const occurrences: Occurrence[] = [];
  let alwaysErrs = false;
  const sentence = read(compiled.expression);
  const { clause, source } = compiled;
  return { clause, length: source.length, sentence, occurrences, alwaysErrs };

  function read(node: Expression): Sentence {
    if (isClosed(node)) return readConstant(node);
    switch (node.kind) {
      case "not":
        return { kind: "not", operand: read(node.operand) };
      case "and":
      case "or":
        return { kind: node.kind, operands: node.operands.map(read) };
      case "compare":
        return readComparison(node);
      case "method":
        if (node.name === "contains" && node.arguments[0]) {
          return readMembership(node, node.arguments[0], node.object);
        }
        return readOpaque(node);
      case "quantifier":
        return readQuantifier(node);
      default:
        return readStatement(node, node, [false, true]);
    }
  }

  function readConstant(node: Expression): Sentence {
    const value = closedValue(partOf(node));
    if (typeof value !== "boolean") alwaysErrs = true;
    return { kind: "constant", value: value === true };
  }

  function readComparison(node: Expression & { kind: "compare" }): Sentence {
    const { operator, left, right } = node;
    if (operator === "in") return readMembership(node, left, right);
    if (typeOf(left).kind === "bool" && typeOf(right).kind === "bool") {
      const same: Sentence = { kind: "same", left: read(left), right: read(right) };
      return operator === "==" ? same : { kind: "not", operand: same };
    }
    if (isClosed(right)) return readStatement(node, left, valuesOf(right));
    if (isClosed(left)) return readStatement(node, right, valuesOf(left));
    return readOpaque(node);
  }

  function readMembership(node: Expression, item: Expression, list: Expression): Sentence {
    if (isClosed(list)) return readStatement(node, item, valuesOf(list));
    const steps = isClosed(item) ? pathOf(list) : undefined;
    const [value] = steps ? valuesOf(item) : [];
    if (!steps || value === undefined || typeof value === "object") return readOpaque(node);
    const source: Source = { kind: "member", steps: steps.steps, item: value };
    const key = `${steps.key} has ${typeof value} ${value}`;
    const term = enter(key, { source, type: bool, mayErr: !steps.isAlwaysSet }, list);
    const { start, end } = node;
    return atomOf(node, term, { kind: "name", name: TERM, start, end }, []);
  }

  function readQuantifier(node: Expression & { kind: "quantifier" }): Sentence {
    if (!isVotes(node)) return readOpaque(node);
    // `any` asks for one of those that pass, `all` for none of those that do not.
    const { start, end, predicate } = node;
    const isAll = node.name === "all";
    const counted: Expression = {
      ...node,
      name: "filter",
      predicate: isAll ? { kind: "not", operand: predicate, start, end } : predicate,
    };
    const term = votesTerm(counted);
    const operator: Operator = isAll ? "==" : ">=";
    const bound = isAll ? 0n : 1n;
    const statement: Expression = {
      kind: "compare",
      operator,
      left: { kind: "name", name: TERM, start, end },
      right: { kind: "int", value: bound, start, end },
      start,
      end,
    };
    return atomOf(node, term, statement, [bound]);
  }

  /** A statement in which `about` is compared with what reads nothing. */
  function readStatement(node: Expression, about: Expression, literals: Value[]): Sentence {
    const isLowered = about.kind === "call" && about.name === "CaseInsensitiveString";
    const subject = isLowered ? (about.arguments[0] ?? about) : about;
    const term = termOf(subject);
    const { start, end } = subject;
    const statement = replace(node, subject, { kind: "name", name: TERM, start, end });
    if (!isLowered) {
      const isNegated = node.kind === "compare" && node.operator === "!=";
      const texts = literals.filter((literal) => typeof literal === "string");
      const isPlain = subject !== node && closedPartsOf(node, subject).every(hasValue);
      const plain = isPlain && texts.length === literals.length ? { texts, isNegated } : undefined;
      return atomOf(node, term, statement, literals, plain);
    }
    for (const literal of literals) if (typeof literal === "string") term.lowered.push(literal);
    return atomOf(node, term, statement, []);
  }

  function readOpaque(node: Expression): Sentence {
    const { start, end } = node;
    return atomOf(node, opaqueTerm(node, bool), { kind: "name", name: TERM, start, end }, []);
  }

  function atomOf(
    node: Expression,
    term: Term,
    statement: Expression,
    literals: readonly Value[],
    plain?: Atom["plain"],
  ): Sentence {
    const key = `${term.key} : ${keyOf(statement)}`;
    let atom = vocabulary.atoms.get(key);
    if (!atom) {
      const compiled = prepare(partOf(statement));
      atom = { term, statement: compiled, plain, trueValues: 0n, definedValues: 0n };
      vocabulary.atoms.set(key, atom);
      term.atoms.push(atom);
      term.literals.push(...literals);
    }
    occurrences.push({ atom, start: node.start, end: node.end });
    return { kind: "atom", atom };
  }

  function termOf(node: Expression): Term {
    const type = typeOf(node);
    const counted = listCounted(node);
    if (counted) {
      if (isVotes(counted)) return votesTerm(counted);
      const list = pathOf(counted);
      if (list) {
        const object = typeOf(counted);
        const element = object.kind === "list" ? object.element : dynamic;
        const source: Source = { kind: "size", steps: list.steps, element };
        const key = `size of ${list.key}`;
        return enter(key, { source, type: int, mayErr: !list.isAlwaysSet }, node);
      }
    }
    const path = pathOf(node);
    if (path) {
      const source: Source = { kind: "path", steps: path.steps };
      return enter(`value of ${path.key}`, { source, type, mayErr: !path.isAlwaysSet }, node);
    }
    const slice = node.kind === "slice" && type.kind === "string" ? sliceOf(node) : undefined;
    if (slice) return enter(keyOf(node), { source: slice, type, mayErr: true }, node);
    return opaqueTerm(node, type);
  }

  function sliceOf(node: Expression & { kind: "slice" }): Source | undefined {
    const path = pathOf(node.object);
    if (!path || !isClosed(node.from) || !isClosed(node.to)) return undefined;
    const [[from], [to]] = [valuesOf(node.from), valuesOf(node.to)];
    if (typeof from !== "bigint" || typeof to !== "bigint") return undefined;
    if (from < 0n || from > to || to > MAX_SLICE) return undefined;
    return { kind: "slice", steps: path.steps, from: Number(from), to: Number(to) };
  }

  function votesTerm(list: Expression): Term {
    const source: Source = { kind: "votes", list: partOf(list) };
    return enter(`count of ${keyOf(list)}`, { source, type: int, mayErr: true }, list);
  }

  function opaqueTerm(node: Expression, type: Type): Term {
    const source: Source = { kind: "opaque", part: partOf(node), reads: readsOf(node, []) };
    return enter(keyOf(node), { source, type, mayErr: true }, node);
  }

  function enter(
    key: string,
    kind: { source: Source; type: Type; mayErr: boolean },
    reads: Expression,
  ): Term {
    const known = vocabulary.terms.get(key);
    if (known) return known;
    const term: Term = {
      key,
      ...kind,
      roots: rootsOf(reads),
      variable: vocabulary.firstVariable + vocabulary.terms.size,
      literals: [],
      lowered: [],
      atoms: [],
      values: [],
    };
    vocabulary.terms.set(key, term);
    return term;
  }

  /** The way to a value through fields, keys and positions that are written out. */
  function pathOf(node: Expression): Path | undefined {
    if (node.kind === "name") {
      const isPath = node.name !== "approvers" && node.name !== "credentials";
      return isPath ? { key: node.name, steps: [node.name], isAlwaysSet: true } : undefined;
    }
    if (node.kind !== "field" && node.kind !== "index") return undefined;
    const path = pathOf(node.object);
    const object = typeOf(node.object);
    if (!path || listCounted(node)) return undefined;
    if (node.kind === "field") {
      const steps = [...path.steps, node.name];
      const isSet = object.kind === "struct" && !OPTIONAL.has(steps.join("."));
      const key = `${path.key}.${node.name}`;
      return { key, steps, isAlwaysSet: path.isAlwaysSet && isSet };
    }
    if (object.kind === "string" || !isClosed(node.index)) return undefined;
    const [step] = valuesOf(node.index);
    const key = `${path.key}[${JSON.stringify(String(step))}]`;
    if (typeof step === "string") {
      return { key: `${key} text`, steps: [...path.steps, step], isAlwaysSet: false };
    }
    if (typeof step !== "bigint" || step < 0n || step > MAX_POSITION) return undefined;
    return { key, steps: [...path.steps, Number(step)], isAlwaysSet: false };
  }

  /** The longest paths inside an expression to what is always set. */
  function readsOf(node: Expression, bound: readonly string[]): Read[] {
    const path = pathOf(node);
    const type = path && !bound.includes(String(path.steps[0])) ? typeOf(node) : undefined;
    if (path?.isAlwaysSet && type && type.kind !== "struct") return [{ steps: path.steps, type }];
    const inner = node.kind === "quantifier" ? [...bound, node.variable] : bound;
    return childrenOf(node).flatMap((child) => readsOf(child, inner));
  }

  /** The list of `list.count()`. */
  function listCounted(node: Expression): Expression | undefined {
    if (node.kind === "method" && node.name === "count") return node.object;
    const isField = node.kind === "field" && node.name === "count";
    return isField && typeOf(node.object).kind === "list" ? node.object : undefined;
  }

  function isVotes(node: Expression) {
    return isCountable(node, vocabulary.voters);
  }

  function valuesOf(node: Expression): Value[] {
    const value = closedValue(partOf(node));
    if (typeof value === "object" && value.kind === "list") return [...value.items];
    return value === undefined ? [] : [value];
  }

  function hasValue(node: Expression) {
    return closedValue(partOf(node)) !== undefined;
  }

  function typeOf(node: Expression): Type {
    // Every part of a checked expression has a type.
    return compiled.types.get(node) as Type;
  }

  function partOf(expression: Expression): Checked {
    return { ...compiled, expression };
  }
}

/** What a statement about `subject` consists of besides. */
function closedPartsOf(node: Expression, subject: Expression): Expression[] {
  return childrenOf(node).filter((child) => child !== subject);
}

/** The key tells fields from keys of maps: what has one of them has no value under the other. */
type Path = {
  readonly key: string;
  readonly steps: readonly Step[];
  readonly isAlwaysSet: boolean;
};

/** Fields that a request can lack although the struct they belong to is there. */
const OPTIONAL = new Set([
  "activity.params",
  "wallet_account.path_indexes",
  "wallet_account.path_hardened",
  "eth.tx.contract_call_args",
  "eth.eip_712.domain.name",
  "eth.eip_712.domain.chain_id",
  "eth.eip_712.domain.verifying_contract",
  "bitcoin.tx.fee",
]);

/** Examples hold no longer lists and texts than these allow. */
const MAX_POSITION = 100n;
const MAX_SLICE = 20_000n;
