import { childrenOf, type Expression } from "./ast.ts";
import { type Environment, type Input, makeEnvironment } from "./environment.ts";
import { type Compiled, evaluate, evaluateValue, prepare, type Work } from "./evaluate.ts";
import { MAX_VOTE_STEPS } from "./limits.ts";
import { constant, type Formula, judge, not } from "./logic/formula.ts";
import { type Order, type Reader, translate } from "./logic/translate.ts";
import { isClosed, isElementwise, listCounted, rootOf } from "./logic/tree.ts";
import { isFailure, type List, noEntries, type Value } from "./values.ts";

export type Credential = {
  readonly id: string;
  readonly user_id: string;
  readonly type: string;
  readonly credential_id: string;
  readonly public_key: string;
};

export type User = {
  readonly id: string;
  /** Ids of the user's tags. */
  readonly tags: readonly string[];
  readonly email: string;
  readonly alias: string;
  /** The credentials the user could vote with. Needed if a consensus reads credentials. */
  readonly credentials?: readonly Credential[];
};

/** A vote that counts, or one that could be given. */
export type Vote = { readonly user: User; readonly credential?: Credential };

/** Who could vote. Made once for a decision, since all its policies ask about the same users. */
export type Electorate = {
  readonly users: readonly User[];
  /** The work done to find out about their votes, and its limit. */
  readonly work: Work;
  readonly maxSteps: number;
  readonly environments: Map<string, Environment>;
  readonly shown: Shown;
  readonly models: Map<Compiled, Model | undefined>;
};

export function newElectorate(users: readonly User[], maxSteps = MAX_VOTE_STEPS): Electorate {
  return {
    users,
    work: { steps: 0 },
    maxSteps,
    environments: new Map(),
    shown: new Map(),
    models: new Map(),
  };
}

/** What the consensus of a policy sees once these votes are counted, in their order. */
export function consensusEnvironment(
  votes: readonly Vote[],
  shown: Shown = new Map(),
): Environment {
  const approvers = votes.map(({ user }) => approverOf(user, shown));
  const credentials = votes.flatMap(({ credential }) =>
    credential ? credentialOf(credential, shown) : [],
  );
  const entries = noEntries();
  entries.approvers = { kind: "list", items: approvers };
  entries.credentials = { kind: "list", items: credentials };
  return { kind: "struct", entries };
}

/**
 * Whether more votes of the organization's users can make the consensus true. The answer is exact
 * for a consensus built from counts, `any`, `all` and `filter` over approvers and credentials. For
 * any other, or once the budget is used up, a doubt counts as yes, since waiting allows nothing.
 */
export function isReachable(
  consensus: Compiled,
  votes: readonly Vote[],
  electorate: Electorate,
): boolean {
  const others = usersWithout(votes, electorate);
  const model = modelIn(electorate, consensus);
  if (!model) {
    return canAdd(consensus, others, electorate, (added) => [[...votes, ...added]]) !== "no";
  }
  const base = noCounts(model);
  for (const vote of votes) {
    const counts = countsOf(model, vote, electorate);
    if (!counts) return false;
    add(base, counts, 1);
  }
  const goal = (low: Counts, high: Counts) => judgeCounts(model, low, high);
  return search(others, base, model, electorate, goal) !== "no";
}

/**
 * Whether one of these votes of a user could decide the consensus, given some votes of other users.
 * A doubt counts as yes, as in `isReachable`.
 */
export function isPivotal(
  consensus: Compiled,
  votes: readonly Vote[],
  electorate: Electorate,
): boolean {
  return votes.some((vote) => pivots(consensus, vote, electorate) !== "no");
}

/** Like `isPivotal`, but a doubt counts as no. */
export function isSurelyPivotal(
  consensus: Compiled,
  votes: readonly Vote[],
  electorate: Electorate,
): boolean {
  return votes.some((vote) => pivots(consensus, vote, electorate) === "yes");
}

type Answer = "yes" | "no" | "doubt";

function pivots(consensus: Compiled, vote: Vote, electorate: Electorate): Answer {
  const others = usersWithout([vote], electorate);
  const model = modelIn(electorate, consensus);
  if (!model) {
    const without = (added: readonly Vote[]) =>
      evaluate(consensus, consensusEnvironment(added, electorate.shown), electorate.work) === false;
    const isOrdered = dependsOnOrder(consensus.expression);
    const orders = (added: readonly Vote[]) => {
      const first = [vote, ...added];
      return isOrdered ? [first, [...added, vote]] : [first];
    };
    return canAdd(consensus, others, electorate, orders, without);
  }
  const own = countsOf(model, vote, electorate);
  if (!own) return "no";
  return search(others, noCounts(model), model, electorate, (low, high) => {
    const before = judgeCounts(model, low, high);
    const after = judgeCounts(model, sum(low, own), sum(high, own));
    if (before === true || after === false) return false;
    return before === false && after === true ? true : undefined;
  });
}

/** The votes a user could give: one for each credential if credentials matter. */
export function possibleVotes(user: User): Vote[] {
  if (!user.credentials || user.credentials.length === 0) return [{ user }];
  return user.credentials.map((credential) => ({ user, credential }));
}

/** Votes of the same sort can replace each other without changing the consensus. */
export function sortOf(consensus: Compiled, vote: Vote, electorate: Electorate): string {
  const model = modelIn(electorate, consensus);
  if (!model) return `${vote.user.id} ${vote.credential?.id}`;
  return countsOf(model, vote, electorate)?.join() ?? "error";
}

/** Whether it matters which credential a vote is given with. */
export function readsCredentials({ expression }: Compiled): boolean {
  return !isClosed(expression, ["approvers"]);
}

/** How many votes each atom counts. */
type Counts = number[];

/** A comparison of the number of votes of the atom's sort with a bound. */
type Count = {
  readonly kind: "leaf";
  readonly atom: number;
  readonly operator: Order;
  readonly bound: number;
};

/** A consensus as a formula over the number of votes of each sort. */
export type Model = {
  readonly formula: Formula<Count>;
  readonly atoms: readonly Atom[];
  readonly usesCredentials: boolean;
  /** The formula treats all numbers above it alike. */
  readonly cap: number;
  readonly counts: Map<string, Counts | undefined>;
};

/** Sorts votes: its value for a single vote says whether that vote is counted. */
type Atom = { readonly root: string; readonly part: Compiled };

/** Users whose votes can count in the same ways. */
type Group = { readonly options: readonly Counts[]; readonly size: number };

/** Users and credentials as a consensus reads them. A search combines the same ones in many ways. */
export type Shown = Map<User | Credential, Value>;

function approverOf(user: User, shown: Shown): Value {
  const { id, tags, email, alias } = user;
  return madeOnce(shown, user, "approvers", { id, tags, email, alias });
}

function credentialOf(credential: Credential, shown: Shown): Value {
  return madeOnce(shown, credential, "credentials", credential);
}

function madeOnce(shown: Shown, key: User | Credential, root: string, input: Input): Value {
  const known = shown.get(key);
  if (known) return known;
  const list = makeEnvironment({ [root]: [input] }).entries[root] as List; // of that type, with one item
  const [value] = list.items as [Value];
  shown.set(key, value);
  return value;
}

const LARGE = 1_000_000;

/** A model under construction. */
type Draft = {
  readonly consensus: Compiled;
  readonly atoms: Atom[];
  cap: number;
  /** Some part is not a formula over counts. */
  isBeyond: boolean;
};

function modelOf(consensus: Compiled): Model | undefined {
  const draft: Draft = { consensus, atoms: [], cap: 1, isBeyond: false };
  const formula = translate(consensus.expression, readerFor(draft));
  if (draft.isBeyond) return undefined;
  const { atoms, cap } = draft;
  const usesCredentials = atoms.some(({ root }) => root === "credentials");
  return { formula, atoms, usesCredentials, cap: cap + 2, counts: new Map() };
}

function readerFor(draft: Draft): Reader<Count> {
  const { consensus } = draft;
  const beyond = () => {
    draft.isBeyond = true;
    return constant(false);
  };
  const evaluated = (expression: Expression) => {
    return evaluateValue(prepare({ ...consensus, expression }), NOBODY);
  };
  return {
    isClosed: (node) => isClosed(node),
    isBool: (node) => consensus.types.get(node)?.kind === "bool",
    closed(node) {
      const value = evaluated(node);
      return typeof value === "boolean" ? constant(value) : beyond();
    },
    comparison(_, about, operator, other) {
      const list = votesCounted(about, consensus);
      const bound = evaluated(other);
      if (!list || typeof bound !== "bigint") return beyond();
      return countLeaf(draft, list, operator, clamp(bound));
    },
    element(_, item, list) {
      const counted = votesCounted(item, consensus);
      const bounds = counted && isClosed(list) ? evaluated(list) : undefined;
      if (!counted || typeof bounds !== "object" || bounds.kind !== "list") return beyond();
      const leaf = countLeaf(draft, counted, "==", 0);
      // Invariant: a count is only compared with integers.
      const numbers = bounds.items as readonly bigint[];
      const operands = numbers.map((bound) => ({ ...leaf, bound: bounded(draft, clamp(bound)) }));
      return { kind: "or", operands };
    },
    quantifier(node) {
      if (!isElementwise(node)) return beyond();
      // `all` is true of an empty list, so this counts the votes that its predicate is false of.
      if (node.name === "all") return countLeaf(draft, node, "==", 0);
      return not(countLeaf(draft, node, "<", 1));
    },
    pair: beyond,
    truth: beyond,
  };
}

function countLeaf(draft: Draft, node: Expression, operator: Order, bound: number): Count {
  const part = prepare({ ...draft.consensus, expression: node });
  const atom = draft.atoms.push({ root: rootOf(node), part }) - 1;
  return { kind: "leaf", atom, operator, bound: bounded(draft, bound) };
}

function bounded(draft: Draft, bound: number): number {
  if (bound < LARGE) draft.cap = Math.max(draft.cap, bound);
  return bound;
}

const NOBODY = consensusEnvironment([]);

/** The list of `list.count()`, if each vote decides by itself whether it is in the list. */
function votesCounted(node: Expression, { types }: Compiled): Expression | undefined {
  const list = listCounted(node, types);
  return list && isElementwise(list) ? list : undefined;
}

function judgeCounts({ formula }: Model, low: Counts, high: Counts): boolean | undefined {
  return judge(formula, ({ atom, operator, bound }) => {
    const [least, most] = [low[atom] ?? 0, high[atom] ?? 0];
    switch (operator) {
      case "<":
        return most < bound ? true : least >= bound ? false : undefined;
      case ">":
        return least > bound ? true : most <= bound ? false : undefined;
      case "==":
        if (least === most) return least === bound;
        return bound < least || bound > most ? false : undefined;
    }
  });
}

function modelIn({ models }: Electorate, consensus: Compiled): Model | undefined {
  if (!models.has(consensus)) models.set(consensus, modelOf(consensus));
  return models.get(consensus);
}

function usersWithout(votes: readonly Vote[], { users }: Electorate): User[] {
  const voted = new Set(votes.map(({ user }) => user.id));
  return users.filter(({ id }) => !voted.has(id));
}

/** What one vote adds to the counts; undefined if some part of the consensus errs with it. */
function countsOf(model: Model, vote: Vote, electorate: Electorate): Counts | undefined {
  const { user, credential } = vote;
  const key = credential && model.usesCredentials ? `${user.id} ${credential.id}` : user.id;
  if (!model.counts.has(key)) {
    const environment =
      electorate.environments.get(key) ??
      consensusEnvironment([model.usesCredentials ? vote : { user }], electorate.shown);
    electorate.environments.set(key, environment);
    model.counts.set(key, countIn(model, environment, electorate.work));
  }
  return model.counts.get(key);
}

function countIn({ atoms }: Model, environment: Environment, work: Work): Counts | undefined {
  const counts: Counts = [];
  for (const { part } of atoms) {
    const value = evaluateValue(part, environment, work);
    if (isFailure(value)) return undefined;
    const { expression } = part;
    const isAll = expression.kind === "quantifier" && expression.name === "all";
    if (typeof value === "boolean") counts.push(value === isAll ? 0 : 1);
    // Invariant: a part is true or false, or a list of votes.
    else counts.push((value as List).items.length);
  }
  return counts;
}

function groupsOf(model: Model, users: readonly User[], electorate: Electorate): Group[] {
  const groups = new Map<string, { options: Counts[]; size: number }>();
  for (const user of users) {
    if (isExhausted(electorate)) break;
    const options = new Map<string, Counts>();
    for (const vote of model.usesCredentials ? possibleVotes(user) : [{ user }]) {
      const counts = countsOf(model, vote, electorate);
      if (counts?.some((count) => count > 0)) options.set(counts.join(), counts);
    }
    if (options.size === 0) continue;
    const key = [...options.keys()].sort().join();
    const group = groups.get(key);
    if (group) group.size++;
    else groups.set(key, { options: [...options.values()], size: 1 });
  }
  return [...groups.values()];
}

/**
 * Looks for numbers of votes that meet a goal. The goal judges ranges of numbers. If it cannot
 * decide, the search fixes the next number. It skips ranges that cannot meet the goal.
 */
function search(
  users: readonly User[],
  base: Counts,
  model: Model,
  electorate: Electorate,
  goal: (low: Counts, high: Counts) => boolean | undefined,
): Answer {
  const groups = groupsOf(model, users, electorate);
  if (!visit(0, 0, base)) return "no";
  return isExhausted(electorate) ? "doubt" : "yes";

  function visit(
    group: number,
    option: number,
    low: Counts,
    capacity = groups[group]?.size ?? 0,
  ): boolean {
    // Judging takes longer with more parts of the rule and more sorts of users.
    electorate.work.steps += 1 + ((model.atoms.length * (groups.length - group + 1)) >> 3);
    if (isExhausted(electorate)) return true;
    const answer = goal(low, upper(group, option, capacity, low));
    if (answer !== undefined) return answer;
    // Invariant: once no group is left, all numbers are known, and the goal decides.
    const counts = (groups[group] as Group).options[option];
    if (!counts) return visit(group + 1, 0, low);
    for (let votes = Math.min(capacity, model.cap); votes >= 0; votes--) {
      const next = [...low];
      add(next, counts, votes);
      if (visit(group, option + 1, next, capacity - votes)) return true;
    }
    return false;
  }

  function upper(group: number, option: number, capacity: number, low: Counts): Counts {
    const high = [...low];
    for (let g = group; g < groups.length; g++) {
      const { options, size } = groups[g] as Group;
      const open = g === group ? options.slice(option) : options;
      const room = g === group ? capacity : size;
      for (let atom = 0; atom < high.length; atom++) {
        const most = Math.max(0, ...open.map((counts) => counts[atom] ?? 0));
        high[atom] = (high[atom] ?? 0) + most * room;
      }
    }
    return high;
  }
}

/**
 * For a consensus that is not a formula over counts: tries sets of votes, the smallest first, in
 * each of the orders that `complete` makes of them.
 */
function canAdd(
  consensus: Compiled,
  users: readonly User[],
  electorate: Electorate,
  complete: (added: readonly Vote[]) => readonly (readonly Vote[])[],
  isCandidate: (added: readonly Vote[]) => boolean = () => true,
): Answer {
  for (let size = 0; size <= users.length; size++) {
    if (choose(0, size, [])) return "yes";
  }
  return isExhausted(electorate) || dependsOnOrder(consensus.expression) ? "doubt" : "no";

  function choose(from: number, missing: number, added: readonly Vote[]): boolean {
    if (missing === 0) {
      const orders = complete(added);
      for (const { length } of orders) electorate.work.steps += 20 + length;
      if (isExhausted(electorate) || !isCandidate(added)) return false;
      return orders.some(
        (votes) =>
          evaluate(consensus, consensusEnvironment(votes, electorate.shown), electorate.work) ===
          true,
      );
    }
    for (let i = from; i <= users.length - missing && !isExhausted(electorate); i++) {
      for (const vote of possibleVotes(users[i] as User)) {
        if (choose(i + 1, missing - 1, [...added, vote])) return true;
      }
    }
    return false;
  }
}

function isExhausted({ work, maxSteps }: Electorate) {
  return work.steps > maxSteps;
}

/** Whether the expression picks votes by their position. */
function dependsOnOrder(node: Expression, names: readonly string[] = []): boolean {
  if ((node.kind === "index" || node.kind === "slice") && !isClosed(node.object, names)) {
    return true;
  }
  const inner = node.kind === "quantifier" ? [...names, node.variable] : names;
  return childrenOf(node).some((child) => {
    const isPredicate = node.kind === "quantifier" && child === node.predicate;
    return dependsOnOrder(child, isPredicate ? inner : names);
  });
}

function clamp(value: bigint): number {
  return Math.max(-LARGE, Math.min(LARGE, Number(value)));
}

function noCounts({ atoms }: Model): Counts {
  return atoms.map(() => 0);
}

function add(counts: Counts, more: Counts, times: number) {
  for (let i = 0; i < counts.length; i++) counts[i] = (counts[i] ?? 0) + (more[i] ?? 0) * times;
}

function sum(a: Counts, b: Counts): Counts {
  return a.map((count, i) => count + (b[i] ?? 0));
}
