import { lowerCase } from "../../values.ts";
import type { Choice, Constant, Formula, Subject, Test } from "./formula.ts";

/** Work that may still be spent; when it is used up nothing more is claimed. */
export type Budget = { steps: number };

/** Work of one question about formulas. */
const MAX_QUESTION = 4000;

/** Whether formulas can hold together. Yes also where that is not known. */
export function canHold(formulas: readonly Formula[], budget: Budget, world: World = {}): boolean {
  const allowance = Math.min(MAX_QUESTION, budget.steps);
  let left = allowance;
  const domains = new Map<string, Domain>();
  const trail: [string, Domain | undefined][] = [];
  const result = search([...formulas], []);
  budget.steps -= allowance - Math.max(0, left);
  return result;

  function search(todo: Formula[], choices: readonly Choice[]): boolean {
    const open = [...choices];
    left -= open.length;
    for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
      if (--left < 0) return true;
      if (next.kind === "constant") {
        if (!next.value) return false;
      } else if (next.kind === "and") todo.push(...next.parts);
      else if (next.kind === "or") open.push(next);
      else if (!restrict(next.subject, next.test)) return false;
    }
    const choice = open.pop();
    if (!choice) return left < 0 || isPossible(domains, world);
    for (const part of choice.parts) {
      const mark = trail.length;
      if (search([part], open)) return true;
      for (let last = trail.length; last > mark; last--) {
        const [name, before] = trail.pop() as [string, Domain | undefined];
        if (before) domains.set(name, before);
        else domains.delete(name);
      }
    }
    return false;
  }

  function restrict(subject: Subject, test: Test): boolean {
    const before = domains.get(subject.key);
    const after = narrowed(before ?? everything(subject), test);
    if (!after) return false;
    left -= (after.allowed?.size ?? 0) + (after.excluded?.size ?? 0);
    trail.push([subject.key, before]);
    domains.set(subject.key, after);
    // So many elements of a part need as many of the whole.
    const whole = subject.count?.whole;
    if (!whole || after.low === undefined) return true;
    return restrict(whole, { kind: "range", low: after.low });
  }
}

/** What is known about requests beyond their types. */
export type World = {
  /** All activities there are. */
  readonly activities?: readonly {
    readonly type: string;
    readonly kind: string;
    readonly resource: string;
    readonly action: string;
  }[];
};

/** Values a subject may still have. */
type Domain = {
  readonly subject: Subject;
  readonly low?: bigint;
  readonly high?: bigint;
  readonly allowed?: ReadonlySet<Constant>;
  readonly excluded?: ReadonlySet<Constant>;
};

function everything(subject: Subject): Domain {
  if (!subject.count) return { subject };
  // The submitter's vote is always there.
  const hasVotes = subject.key === "approvers.count()";
  return { subject, low: hasVotes ? 1n : 0n };
}

function narrowed(domain: Domain, test: Test): Domain | undefined {
  const { subject } = domain;
  let { low, high, allowed, excluded } = domain;
  if (test.kind === "range") {
    if (test.low !== undefined && (low === undefined || test.low > low)) low = test.low;
    if (test.high !== undefined && (high === undefined || test.high < high)) high = test.high;
  } else if (test.is) {
    allowed = allowed ? inBoth(allowed, test.values, subject) : test.values;
  } else {
    excluded = excluded ? new Set([...excluded, ...test.values]) : test.values;
  }
  if (allowed) {
    const kept = [...allowed].filter((value) => {
      if (excluded?.has(value)) return false;
      if (typeof value !== "bigint") return true;
      return (low === undefined || value >= low) && (high === undefined || value <= high);
    });
    if (kept.length === 0) return undefined;
    if (kept.length < allowed.size) allowed = new Set(kept);
  }
  // Numbers excluded at the ends of the range move them.
  while (low !== undefined && excluded?.has(low) && (high === undefined || low <= high)) low += 1n;
  while (high !== undefined && excluded?.has(high) && (low === undefined || high >= low)) {
    high -= 1n;
  }
  if (low !== undefined && high !== undefined && low > high) return undefined;
  return { subject, low, high, allowed, excluded };
}

function inBoth(a: ReadonlySet<Constant>, b: ReadonlySet<Constant>, { text }: Subject) {
  if (text !== "unsure") return new Set([...a].filter((value) => b.has(value)));
  // Texts that differ in case alone may both equal the value.
  const keys = new Set([...b].map(alike));
  return new Set([...a].filter((value) => keys.has(alike(value))));
}

function alike(value: Constant): Constant {
  return typeof value === "string" ? lowerCase(value) : value;
}

/** What holds between subjects. */
function isPossible(domains: ReadonlyMap<string, Domain>, world: World): boolean {
  for (const { subject, low, allowed, excluded } of domains.values()) {
    const most = subject.count?.whole && domains.get(subject.count.whole.key)?.high;
    if (low !== undefined && most !== undefined && low > most) return false;
    const { part } = subject;
    const wholes = part && domains.get(part.of)?.allowed;
    if (!part || !wholes || subject.text !== "exact") continue;
    const fits = [...wholes].some((whole) => {
      const characters = typeof whole === "string" ? [...whole] : [];
      if (BigInt(characters.length) < part.to) return false;
      const text = characters.slice(Number(part.from), Number(part.to)).join("");
      return !excluded?.has(text) && (allowed === undefined || allowed.has(text));
    });
    if (!fits) return false;
  }
  return hasActivity(domains, world);
}

function hasActivity(domains: ReadonlyMap<string, Domain>, { activities }: World): boolean {
  const names = ["type", "kind", "resource", "action"] as const;
  const asked = names.filter((name) => domains.has(`activity.${name}`));
  const allows = (name: string, value: string) => {
    const domain = domains.get(`activity.${name}`);
    if (!domain) return true;
    const { allowed, excluded } = domain;
    return (allowed === undefined || allowed.has(value)) && !excluded?.has(value);
  };
  if (asked.length === 0) return true;
  if (activities) {
    return activities.some((activity) => asked.every((name) => allows(name, activity[name])));
  }
  const types = domains.get("activity.type")?.allowed;
  const kinds = domains.get("activity.kind")?.allowed;
  if (!types || !kinds) return true;
  return [...types].some((type) => typeof type === "string" && allows("kind", kindOf(type)));
}

/** An activity's type without prefix and version. */
export function kindOf(type: string): string {
  return type.replace(/^ACTIVITY_TYPE_/, "").replace(/_V\d+$/, "");
}
