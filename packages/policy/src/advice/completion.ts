import { activityKinds } from "../activity-kinds.ts";
import type { Clause } from "../ast.ts";
import { ACTIVITY_PARAMS, ROOTS } from "../schema.ts";
import { nameOf, type Type } from "../types.ts";

export type Completion = {
  label: string;
  /** What is inserted, if it is more than the label. */
  insert?: string;
  /** The type of a value. */
  detail?: string;
  /** The struct and the field, for its note. */
  of?: { struct: string; field: string };
};

/** What a value may be compared with in an organization, such as the ids of its users for `user.id`. */
export type KnownValues = (subject: string) => Completion[];

/** What can follow at the end of `before`, the text of a clause up to the cursor, and where it begins. */
export function completionsAt(
  clause: Clause,
  before: string,
  known: KnownValues = () => [],
): { from: number; options: Completion[] } | null {
  const quoted = openText(before);
  if (quoted) {
    const { from, subject } = quoted;
    return { from, options: [...valuesFor(subject), ...known(subject)] };
  }
  const [word = ""] = /\w*$/.exec(before) ?? [];
  if (/^\d/.test(word)) return null;
  const from = before.length - word.length;
  if (/\)\s*\.$/.test(before.slice(0, from))) return { from, options: ofLists };
  const [, path] = /(?<![\w\].])((?:\w|\[[^\]]*\]|\.)+)\.$/.exec(before.slice(0, from)) ?? [];
  const scope = scopeAt(clause, before.slice(0, from));
  if (path === undefined) {
    return before.slice(0, from).endsWith(".") ? null : { from, options: names(clause, scope) };
  }
  const type = typeOf(path, scope);
  return type ? { from, options: membersOf(type, path, before) } : null;
}

type Scope = ReadonlyMap<string, Type>;

/** The text that is not closed yet, and what it is compared with. */
function openText(before: string): { from: number; subject: string } | null {
  const quotes = before.split("'");
  if (quotes.length % 2 === 1) return null;
  const from = before.length - (quotes.at(-1) ?? "").length;
  const rest = before.slice(0, from - 1);
  const [, subject = ""] =
    /([\w.]+)\s*(?:==|!=|\bin\s*\[[^\]]*)\s*$/.exec(rest) ??
    /([\w.]+)\.contains\(\s*$/.exec(rest) ??
    [];
  return { from, subject };
}

function valuesFor(subject: string): Completion[] {
  const key = {
    "activity.kind": "kind",
    "activity.type": "type",
    "activity.resource": "resource",
    "activity.action": "action",
  } as const;
  if (!Object.hasOwn(key, subject)) return [];
  // The name is one of the four, as the line above checks.
  const member = key[subject as keyof typeof key];
  return [...new Set(activityKinds.map((kind) => kind[member]))].map((label) => ({ label }));
}

function names(clause: Clause, scope: Scope): Completion[] {
  const functions = clause === "time" ? ["CronSpan", "Timestamp"] : ["CaseInsensitiveString"];
  return [
    ...[...scope].map(([label, type]) => ({ label, detail: nameOf(type) })),
    ...functions.map((label) => ({ label, insert: `${label}('`, detail: "(…)" })),
    ...["true", "false"].map((label) => ({ label, detail: "bool" })),
  ];
}

function membersOf(type: Type, path: string, before: string): Completion[] {
  if (path === "activity.params") return paramsIn(before);
  switch (type.kind) {
    case "struct":
      return Object.entries(type.fields).map(([label, field]) => ({
        label,
        detail: nameOf(field),
        of: { struct: type.name, field: label },
      }));
    case "list":
    case "dynamic":
      return ofLists;
    default:
      return [];
  }
}

const ofLists: Completion[] = [
  { label: "any", insert: "any(x, ", detail: "(x, …) bool" },
  { label: "all", insert: "all(x, ", detail: "(x, …) bool" },
  { label: "filter", insert: "filter(x, ", detail: "(x, …) list" },
  { label: "contains", insert: "contains(", detail: "(value) bool" },
  { label: "count", insert: "count()", detail: "() int" },
];

/** Of the kind that the clause names, or of all. */
function paramsIn(before: string): Completion[] {
  const named = [...before.matchAll(/'([A-Z][A-Z0-9_]+)'/g)].flatMap(([, kind = ""]) =>
    Object.hasOwn(ACTIVITY_PARAMS, kind) ? kind : [],
  );
  const kinds = named.length > 0 ? named : Object.keys(ACTIVITY_PARAMS);
  const found = new Map<string, Completion>();
  for (const kind of kinds) {
    for (const [label, { type }] of Object.entries(ACTIVITY_PARAMS[kind] ?? {})) {
      if (!found.has(label)) found.set(label, { label, detail: nameOf(type) });
    }
  }
  return [...found.values()].sort((a, b) => (a.label < b.label ? -1 : 1));
}

/** The roots of the clause, and the variables of the quantifiers around the place. */
function scopeAt(clause: Clause, before: string): Scope {
  const scope = new Map(Object.entries(ROOTS[clause]));
  // One character at a time: of several, a long address could be read in more ways than anybody can wait for.
  const quantifiers = /(?<![\w\].])((?:\w|\[[^\]]*\]|\.)+)\.(?:any|all|filter)\(\s*(\w+)\s*,/g;
  for (const match of before.matchAll(quantifiers)) {
    const [whole, path = "", variable = ""] = match;
    if (!isOpen(before.slice(match.index + whole.length))) continue;
    const list = typeOf(path, scope);
    const element = list?.kind === "list" ? list.element : list?.kind === "dynamic" ? list : null;
    if (element) scope.set(variable, element);
  }
  return scope;
}

/** Whether the parenthesis before the text is still open at its end. */
function isOpen(text: string): boolean {
  let depth = 1;
  for (const [part] of text.matchAll(/'[^']*'|[()]/g)) {
    if (part === "(") depth++;
    if (part === ")") depth--;
    if (depth === 0) return false;
  }
  return true;
}

function typeOf(path: string, scope: Scope): Type | null {
  const [root = "", ...steps] = path.match(/\w+|\[[^\]]*\]/g) ?? [];
  let type = scope.get(root);
  for (const step of steps) {
    if (!type) return null;
    if (step.startsWith("[")) {
      type = type.kind === "list" ? type.element : type.kind === "map" ? type.value : type;
    } else if (type.kind === "struct") {
      type = Object.hasOwn(type.fields, step) ? type.fields[step] : undefined;
    } else if (type.kind !== "dynamic") return null;
  }
  return type ?? null;
}
