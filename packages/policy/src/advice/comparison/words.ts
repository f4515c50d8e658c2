import type { Expression } from "../../ast.ts";
import type { Checked } from "../../check.ts";
import type { User } from "../../consensus.ts";
import { newReading, readPart } from "../../logic/clause-formulas.ts";
import { leavesOf } from "../../logic/formula.ts";
import { innerReading, newVocabulary, type Reading } from "../../logic/reading-context.ts";
import { type Leaf, literalsOf } from "../../logic/terms.ts";
import { isElementwise, type Quantifier, rootOf } from "../../logic/tree.ts";

// What rules about approvals tell votes by, to make up voters for them.

/** Who could vote: the users of the organization, or anybody. */
export type Voters = {
  readonly users?: readonly User[];
};

/**
 * Whether a list of votes, or a quantifier over one, looks at each vote by itself, and reads only
 * what voters can be made up for. For known users, it may read anything.
 */
export function isCountable(list: Checked, voters: Voters): boolean {
  const root = rootOf(list.expression);
  if (!FIELDS[root] || !isElementwise(list.expression)) return false;
  return isKnown(root, voters) || readTests(list, newWords());
}

/** Texts that tests of votes mention. */
export type Words = {
  readonly id: Set<string>;
  readonly email: Set<string>;
  readonly alias: Set<string>;
  readonly tags: Set<string>;
  readonly type: Set<string>;
  /** The highest number of tags that a test counts to. */
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

/** Collects the texts by which a list tells votes apart; false if it does more than compare. */
export function readTests(list: Checked, words: Words): boolean {
  const { expression } = list;
  if (expression.kind !== "quantifier") return true;
  const isKnownAround = readTests({ ...list, expression: expression.object }, words);
  const test = testOf(expression, newReading(list, newVocabulary({})));
  const areKnown = test.leaves.map((leaf) => readTest(leaf, test, words));
  return isKnownAround && areKnown.every(Boolean);
}

/** Collects what a quantifier asks about its element, which is called `name`. */
type Test = {
  readonly root: string;
  readonly name: string;
  readonly reading: Reading;
  readonly leaves: readonly Leaf[];
};

function testOf(node: Quantifier, around: Reading): Test {
  const reading = innerReading(node, around);
  const name = reading.scope.get(node.variable)?.key ?? "";
  return {
    root: rootOf(node.object),
    name,
    reading,
    leaves: leavesOf(readPart(node.predicate, reading)),
  };
}

function readTest({ atom, node }: Leaf, { root, name, reading }: Test, words: Words): boolean {
  const { source } = atom.term;
  const [of, field = "", ...rest] = "steps" in source ? source.steps : [];
  if (of === name && rest.length === 0 && !atom.isLowered) {
    if (source.kind === "path") return note(FIELDS[root]?.[field], atom, words);
    if (field !== "tags") return false;
    if (source.kind === "member") words.tags.add(String(source.item));
    return source.kind === "member" || (source.kind === "size" && readTagCount(atom, words));
  }
  if (node.kind !== "quantifier" || !isTags(node.object, reading, name)) return false;
  words.hasOtherTags = true;
  const tag = testOf(node, reading);
  return tag.leaves.every((leaf) => {
    const isOfTag = leaf.atom.term.key === tag.name && !leaf.atom.isLowered;
    return isOfTag && note("tags", leaf.atom, words);
  });
}

function isTags(list: Expression, { scope }: Reading, name: string) {
  if (list.kind !== "field" || list.name !== "tags" || list.object.kind !== "name") return false;
  return scope.get(list.object.name)?.key === name;
}

function readTagCount(atom: Leaf["atom"], words: Words): boolean {
  for (const bound of literalsOf(atom)) {
    const count =
      typeof bound === "bigint" && bound < MAX_TAG_COUNT ? Number(bound) : MAX_TAG_COUNT;
    words.tagCount = Math.max(words.tagCount, count);
  }
  words.hasOtherTags = true;
  return words.tagCount < MAX_TAG_COUNT;
}

type Field = "id" | "email" | "alias" | "type" | "tags";

function note(field: Field | undefined, atom: Leaf["atom"], words: Words): boolean {
  if (!field) return false;
  for (const text of literalsOf(atom)) if (typeof text === "string") words[field].add(text);
  return true;
}

/** Fields that can have any text, and where the texts they are compared with go. */
const FIELDS: Record<string, Record<string, Field> | undefined> = {
  approvers: { id: "id", email: "email", alias: "alias" },
  credentials: { user_id: "id", type: "type" },
};

function isKnown(root: string, { users }: Voters) {
  if (root === "approvers") return users !== undefined;
  return users?.every(({ credentials }) => credentials !== undefined) ?? false;
}

const MAX_TAG_COUNT = 20;
