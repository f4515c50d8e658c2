import type { Expression } from "../../ast.ts";
import type { User } from "../../consensus.ts";
import { isClosed } from "./tree.ts";

/** Who could vote: the users of the organization, or anybody. */
export type Voters = {
  readonly users?: readonly User[];
};

/**
 * Whether a list of votes, or a quantifier over one, looks at each vote by itself, and only at
 * what voters can be made up for. Of known users anything can be asked.
 */
export function isCountable(node: Expression, voters: Voters): boolean {
  if (node.kind === "name") return node.name === "approvers" || node.name === "credentials";
  if (node.kind !== "quantifier" || !isClosed(node.predicate, [node.variable])) return false;
  const { object } = node;
  const isList = object.kind === "name" || (object.kind === "quantifier" && isFilter(object));
  if (!isList || !isCountable(object, voters)) return false;
  return isKnown(rootOf(object), voters) || readTest(node.predicate, node, newWords());
}

/** Texts that tests of votes mention. */
export type Words = {
  readonly id: Set<string>;
  readonly email: Set<string>;
  readonly alias: Set<string>;
  readonly tags: Set<string>;
  readonly type: Set<string>;
  /** The most tags that are counted to. */
  tagCount: number;
  /** Numbers of tags, or tags that nothing names, matter. */
  hasOtherTags: boolean;
};

export function newWords(): Words {
  return {
    id: new Set(),
    email: new Set(),
    alias: new Set(),
    tags: new Set(),
    type: new Set(),
    tagCount: 0,
    hasOtherTags: false,
  };
}

/** Collects the texts that a list of votes, or a quantifier over one, tells votes by. */
export function readList(node: Expression, words: Words) {
  if (node.kind !== "quantifier") return;
  readList(node.object, words);
  readTest(node.predicate, node, words);
}

type Quantifier = Expression & { readonly kind: "quantifier" };

/** Collects what a test compares a vote with; false if it does more than compare. */
function readTest(node: Expression, around: Quantifier, words: Words): boolean {
  const { variable } = around;
  const root = rootOf(around.object);
  return read(node);

  function read(test: Expression): boolean {
    if (isClosed(test)) return true;
    switch (test.kind) {
      case "not":
        return read(test.operand);
      case "and":
      case "or":
        return test.operands.map(read).every(Boolean);
      case "compare":
        return readComparison(test);
      case "method": {
        const [item] = test.arguments;
        return test.name === "contains" && item !== undefined && readElement(item, test.object);
      }
      case "quantifier": {
        const isTags = fieldOf(test.object) === "tags" && !isFilter(test);
        if (!isTags) return false;
        words.hasOtherTags = true;
        return readTagTest(test.predicate, test.variable);
      }
      default:
        return false;
    }
  }

  function readComparison({ operator, left, right }: Expression & { kind: "compare" }): boolean {
    if (operator === "in") return readElement(left, right);
    for (const [about, other] of [
      [left, right],
      [right, left],
    ] as const) {
      const literals = literalsOf(other);
      if (!literals) continue;
      if (isTagCount(about)) {
        for (const literal of literals) {
          if (typeof literal === "bigint")
            words.tagCount = Math.max(words.tagCount, small(literal));
        }
        words.hasOtherTags = true;
        return words.tagCount < MAX_TAG_COUNT;
      }
      const field = fieldOf(about);
      if (field) return note(field, literals);
    }
    const areTests = isTest(left) && isTest(right);
    return areTests && [read(left), read(right)].every(Boolean);
  }

  function readElement(item: Expression, list: Expression): boolean {
    const field = fieldOf(item);
    const texts = literalsOf(list);
    if (field && texts) return note(field, texts);
    const tag = literalsOf(item);
    if (fieldOf(list) !== "tags" || !tag) return false;
    for (const text of tag) if (typeof text === "string") words.tags.add(text);
    return true;
  }

  function readTagTest(test: Expression, tag: string): boolean {
    if (isClosed(test)) return true;
    if (test.kind === "not") return readTagTest(test.operand, tag);
    if (test.kind === "and" || test.kind === "or") {
      return test.operands.map((operand) => readTagTest(operand, tag)).every(Boolean);
    }
    const sides =
      test.kind === "compare"
        ? [test.left, test.right]
        : test.kind === "method" && test.name === "contains"
          ? [test.object, ...test.arguments]
          : [];
    const [about, other] = isName(sides[0], tag) ? sides : [...sides].reverse();
    const texts = other && literalsOf(other);
    if (!isName(about, tag) || !texts) return false;
    for (const text of texts) if (typeof text === "string") words.tags.add(text);
    return true;
  }

  function note(field: string, literals: readonly (string | bigint)[]): boolean {
    const texts = literals.filter((literal) => typeof literal === "string");
    const known = FIELDS[root]?.[field];
    if (!known) return false;
    for (const text of texts) words[known].add(text);
    return true;
  }

  function fieldOf(part: Expression): string | undefined {
    return part.kind === "field" && isName(part.object, variable) ? part.name : undefined;
  }

  function isTagCount(part: Expression) {
    const isCount = (part.kind === "method" || part.kind === "field") && part.name === "count";
    return isCount && fieldOf(part.object) === "tags";
  }
}

/** Fields that can have any text, and where the texts they are compared with go. */
const FIELDS: Record<string, Record<string, "id" | "email" | "alias" | "type"> | undefined> = {
  approvers: { id: "id", email: "email", alias: "alias" },
  credentials: { user_id: "id", type: "type" },
};

/** Literal texts and numbers, alone or in a list. */
function literalsOf(node: Expression): readonly (string | bigint)[] | undefined {
  if (node.kind === "string" || node.kind === "int") return [node.value];
  if (node.kind !== "list") return undefined;
  const items = node.items.map((item) => {
    return item.kind === "string" || item.kind === "int" ? item.value : undefined;
  });
  return items.every((item) => item !== undefined) ? items : undefined;
}

function isTest({ kind }: Expression) {
  return ["bool", "not", "and", "or", "compare", "quantifier", "method"].includes(kind);
}

function isName(node: Expression | undefined, name: string) {
  return node?.kind === "name" && node.name === name;
}

function isFilter(node: Expression) {
  return node.kind === "quantifier" && node.name === "filter";
}

function rootOf(node: Expression): string {
  if (node.kind === "quantifier") return rootOf(node.object);
  return node.kind === "name" ? node.name : "";
}

function isKnown(root: string, { users }: Voters) {
  if (root === "approvers") return users !== undefined;
  return users?.every(({ credentials }) => credentials !== undefined) ?? false;
}

function small(value: bigint) {
  return Number(value < BigInt(MAX_TAG_COUNT) ? value : BigInt(MAX_TAG_COUNT));
}

const MAX_TAG_COUNT = 20;
