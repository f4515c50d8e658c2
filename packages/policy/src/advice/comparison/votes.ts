import { type Credential, consensusEnvironment, type User, type Vote } from "../../consensus.ts";
import { evaluateDenialValue, evaluateValue, prepare } from "../../evaluate.ts";
import type { Budget, Sum, Weight } from "../../logic/solve.ts";
import type { Term } from "../../logic/terms.ts";
import { isFailure } from "../../values.ts";
import { newWords, readTests, type Voters, type Words } from "./words.ts";

// Votes as variables of the solver: those of known users, or of made-up ones.

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

/** Votes that the lists can tell apart, as variables from `firstVariable` on. */
export function newBallots(
  terms: readonly Term[],
  voters: Voters,
  firstVariable: number,
  budget: Budget,
): Ballots {
  const lists = terms.flatMap((term) => {
    if (term.source.kind !== "votes") return [];
    const { list, inDenial } = term.source;
    return { term, list: prepare(list), inDenial };
  });
  const cap = Math.max(1, ...terms.map(capOf));
  const words = newWords();
  for (const { list } of lists) readTests(list, words);
  const weigh = (vote: Vote): readonly Weight[] => {
    const environment = consensusEnvironment([vote]);
    budget.steps += 10 + 5 * lists.length;
    return lists.map(({ list, inDenial }) => {
      const value = (inDenial ? evaluateDenialValue : evaluateValue)(list, environment);
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
  const sums = lists.map(({ term, inDenial }, l) => ({
    variable: term.variable,
    cap: capOf(term),
    isTest: inDenial === "test",
    parts: groups.flatMap(({ weights }, i) => {
      const own = weights.map((vector) => vector[l] ?? 0);
      return own.some((weight) => weight !== 0)
        ? { variable: firstVariable + i, weights: own }
        : [];
    }),
  }));
  return { ballots, sums, isCut };
}

/** The number from which on a term treats all counts alike. */
function capOf({ values }: Term): number {
  return values.length - 2;
}

/** Votes that can replace each other; `weights` and `votesOf` go by the number or choice given. */
type Group = {
  readonly size: number;
  readonly weights: readonly (readonly Weight[])[];
  readonly votesOf: (index: number) => readonly Vote[];
};

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
