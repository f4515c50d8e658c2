import type { Expression } from "./ast.ts";
import type { Budget, Sum, Weight } from "./compare-solve.ts";
import type { Term } from "./compare-terms.ts";
import { isClosed } from "./compare-tree.ts";
import { type Credential, consensusEnvironment, type User, type Vote } from "./consensus.ts";
import { evaluateValue, prepare } from "./evaluate.ts";
import { isFailure } from "./values.ts";

/** Who could vote: the users of the organization, or anybody. */
export type Voters = {
  readonly users?: readonly User[];
};

/** A variable that says how many, or which, of some votes are given; its value 0 is none. */
export type Ballot = {
  readonly variable: number;
  readonly size: number;
  /** The votes that a value of the variable, by its index, stands for. */
  readonly votesOf: (index: number) => readonly Vote[];
};

export type Ballots = {
  readonly ballots: readonly Ballot[];
  readonly sums: readonly Sum[];
  /** Some kinds of voters were left out because there are too many. */
  readonly isCut: boolean;
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

/** Votes that the lists can tell apart, as variables from `firstVariable` on. */
export function newBallots(
  terms: readonly Term[],
  voters: Voters,
  firstVariable: number,
  budget: Budget,
): Ballots {
  const lists = terms.flatMap((term) => {
    return term.source.kind === "votes" ? { term, list: prepare(term.source.list) } : [];
  });
  const cap = Math.max(1, ...terms.map(capOf));
  const words = newWords();
  for (const { list } of lists) readList(list.expression, words);
  const weigh = (vote: Vote): readonly Weight[] => {
    const environment = consensusEnvironment([vote]);
    budget.steps += 10 + 5 * lists.length;
    return lists.map(({ list }) => {
      const value = evaluateValue(list, environment);
      if (isFailure(value)) return "error";
      return typeof value === "object" && value.kind === "list" ? value.items.length : 0;
    });
  };
  const { groups, isCut } = voters.users
    ? groupUsers(voters.users, words, weigh)
    : groupWords(words, cap, weigh);
  const ballots = groups.map(({ size, votesOf }, i) => {
    return { variable: firstVariable + i, size, votesOf };
  });
  const sums = lists.map(({ term }, l) => ({
    variable: term.variable,
    cap: capOf(term),
    parts: groups.flatMap(({ weights }, i) => {
      const own = weights.map((vector) => vector[l] ?? 0);
      return own.some((weight) => weight !== 0)
        ? { variable: firstVariable + i, weights: own }
        : [];
    }),
  }));
  return { ballots, sums, isCut };
}

/** The number from which on all counts are alike to a term. */
export function capOf({ values }: Term): number {
  return values.length - 2;
}

/** Votes that stand for each other; `weights` and `votesOf` go by the number or choice given. */
type Group = {
  readonly size: number;
  readonly weights: readonly (readonly Weight[])[];
  readonly votesOf: (index: number) => readonly Vote[];
};

/** Texts that tests of votes mention. */
type Words = {
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

function newWords(): Words {
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

function readList(node: Expression, words: Words) {
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

/** Kinds of made-up voters that are tried. */
const MAX_KINDS = 4096;

function groupUsers(
  users: readonly User[],
  words: Words,
  weigh: (vote: Vote) => readonly Weight[],
): { groups: Group[]; isCut: boolean } {
  const groups = new Map<string, { vectors: (readonly Weight[])[]; votes: Vote[][] }>();
  for (const user of users) {
    const options = new Map<string, { vector: readonly Weight[]; vote: Vote }>();
    for (const vote of votesOfUser(user, words)) {
      const vector = weigh(vote);
      if (!options.has(vector.join())) options.set(vector.join(), { vector, vote });
    }
    const key = [...options.keys()].join(" ");
    const group = groups.get(key) ?? { vectors: [], votes: [] };
    const all = [...options.values()];
    group.vectors = all.map(({ vector }) => vector);
    group.votes.push(all.map(({ vote }) => vote));
    groups.set(key, group);
  }
  const made = [...groups.values()].flatMap(({ vectors, votes }) => {
    const [vector] = vectors;
    if (vectors.length === 1 && vector) return [groupOfMany(votes.flat(), vector)];
    return votes.map((options) => groupOfOne(options, vectors));
  });
  return { groups: made, isCut: false };
}

function votesOfUser(user: User, words: Words): Vote[] {
  if (user.credentials) {
    const votes = user.credentials.map((credential) => ({ user, credential }));
    return votes.length > 0 ? votes : [{ user }];
  }
  return typesOf(words).map((type) => ({ user, credential: newCredential(user.id, type) }));
}

/** Makes up voters of every kind that the words can tell apart. */
function groupWords(
  words: Words,
  cap: number,
  weigh: (vote: Vote) => readonly Weight[],
): { groups: Group[]; isCut: boolean } {
  const emails = withOther(words.email, words.email.size > 0 ? "someone@example.com" : "");
  const aliases = withOther(words.alias, words.alias.size > 0 ? "someone" : "");
  const types = typesOf(words);
  const kinds = emails.length * aliases.length * types.length * (words.id.size + 1);
  const { sets, isCut } = tagSets(words, Math.floor(MAX_KINDS / kinds));
  const votesOf = (id: string) => {
    const votes: Vote[] = [];
    for (const tags of sets)
      for (const email of emails)
        for (const alias of aliases)
          for (const type of types) {
            votes.push({
              user: { id, tags, email, alias },
              credential: newCredential(id, type),
            });
          }
    return distinct(votes, weigh);
  };
  const groups = [...words.id].map((id) => {
    const options = votesOf(id);
    return groupOfOne(
      options.map(({ vote }) => vote),
      options.map(({ vector }) => vector),
    );
  });
  let nextId = 0;
  const [other = ""] = withOther(words.id, "").slice(-1);
  for (const { vote, vector } of votesOf(other)) {
    const votes = Array.from({ length: cap }, () => renamed(vote, words.id, ++nextId));
    groups.push(groupOfMany(votes, vector));
  }
  return { groups, isCut };
}

/** Sets of tags, the plainest first; not all of them if they are more than `most`. */
function tagSets(words: Words, most: number): { sets: string[][]; isCut: boolean } {
  const named = [...words.tags];
  const others = Array.from({ length: words.hasOtherTags ? words.tagCount + 1 : 0 }, (_, i) => {
    return withOther(words.tags, `other-tag-${i + 1}`).at(-1) ?? "";
  });
  const fillings = Array.from({ length: others.length + 1 }, (_, n) => others.slice(0, n));
  const isCut = named.length > 12 || 2 ** named.length * fillings.length > most;
  const choices = isCut
    ? [[], named, ...named.map((tag) => [tag])]
    : Array.from({ length: 2 ** named.length }, (_, bits) => {
        return named.filter((_, i) => bits & (1 << i));
      });
  const sets = choices.flatMap((tags) => fillings.map((more) => [...tags, ...more]));
  sets.sort((a, b) => a.length - b.length);
  return { sets: isCut ? sets.slice(0, Math.max(most, 2)) : sets, isCut };
}

function distinct(votes: readonly Vote[], weigh: (vote: Vote) => readonly Weight[]) {
  const found = new Map<string, { vote: Vote; vector: readonly Weight[] }>();
  for (const vote of votes) {
    const vector = weigh(vote);
    const key = vector.join();
    if (!found.has(key)) found.set(key, { vote, vector });
  }
  return [...found.values()];
}

/** One user, who votes in one of several ways or not at all. */
function groupOfOne(options: readonly Vote[], vectors: readonly (readonly Weight[])[]): Group {
  return {
    size: options.length + 1,
    weights: [[], ...vectors],
    votesOf: (index) => options.slice(Math.max(0, index - 1), index),
  };
}

/** Users of the same kind, of whom some number votes. */
function groupOfMany(votes: readonly Vote[], vector: readonly Weight[]): Group {
  const times = (count: number) => {
    return vector.map((weight) => (weight === "error" ? (count > 0 ? weight : 0) : weight * count));
  };
  return {
    size: votes.length + 1,
    weights: Array.from({ length: votes.length + 1 }, (_, count) => times(count)),
    votesOf: (count) => votes.slice(0, count),
  };
}

function renamed({ user, credential }: Vote, taken: ReadonlySet<string>, number: number): Vote {
  const id = withOther(taken, `approver-${number}`).at(-1) ?? "";
  return { user: { ...user, id }, credential: newCredential(id, credential?.type ?? "") };
}

function newCredential(userId: string, type: string): Credential {
  const [id, credential_id] = [`credential-of-${userId}`, ""];
  return { id, user_id: userId, type, credential_id, public_key: "" };
}

function typesOf({ type }: Words) {
  const other = CREDENTIAL_TYPES.find((name) => !type.has(name));
  return [...withOther(type, other ?? "other")].reverse();
}

const CREDENTIAL_TYPES = [
  "CREDENTIAL_TYPE_API_KEY_P256",
  "CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR",
  "CREDENTIAL_TYPE_LOGIN",
];

/** The texts and, last, one that is none of them. */
function withOther(texts: ReadonlySet<string>, other: string): string[] {
  let name = other;
  while (texts.has(name)) name += "x";
  return [...texts, name];
}
