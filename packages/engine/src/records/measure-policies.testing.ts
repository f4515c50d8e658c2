import { parentPort } from "node:worker_threads";
import { compile } from "@keyhearth/policy/evaluate";
import { heapUsed } from "../memory/measure.testing.ts";
import { createCompiledPolicies } from "./compiled-policies.ts";
import type { Policy } from "./organization.ts";

// Policies, and as the program of a thread what they take when they are compiled. The heap of a thread is
// small, so each collection takes milliseconds.

export const MB = 1024 * 1024;
/** A clause may have 16,384 characters. Blanks at the end tell the texts apart. */
const LENGTH = 16_300;

/** As many repetitions of the part as fit into one clause. */
function repeated(first: string, part: string, last = ""): string {
  const times = Math.floor((LENGTH - first.length - last.length) / part.length);
  return first + part.repeat(times) + last;
}

const deep = `activity.params${".a".repeat(55)}==1`;

/** Lists of objects that hold each other twice: each list makes types of its own. */
const levels = 6;
const objects = `[{a:[]}].any(x,[{a:[1]}].any(y,${"[{a:x,b:x}].any(x,[{a:y,b:y}].any(y,".repeat(levels)}[x,y].count()>0${")".repeat(2 * levels + 2)}`;

/** The texts that take the most memory or work for their length, and some that people write. */
export const texts: Record<string, string> = {
  comparisons: repeated("1==1", "||1==1"),
  constants: repeated("true", "||true"),
  "common constants": repeated("true", "&&true"),
  "common comparisons": repeated("1==1", "&&1==1"),
  "common paths": repeated("eth.tx.to==''", "&&eth.tx.to==''"),
  "common negations": repeated("true", "&&!!!true"),
  "common quantifiers": repeated("[].any(x,true)", "&&[].any(x,true)"),
  negations: repeated("true", `||${"!".repeat(60)}true`),
  "short negations": repeated("true", "||!!!true"),
  numbers: repeated("1 in [1", ",1", "]"),
  lists: repeated("[[]", ",[]", "].count()==1"),
  texts: repeated("activity.type in [''", ",''", "]"),
  paths: repeated("eth.tx.to==''", "||eth.tx.to==''"),
  "long paths": repeated(deep, `||${deep}`),
  indexes: repeated("eth.tx.data[0]=='1'", "||eth.tx.data[0]=='1'"),
  objects: repeated("[{a:1}", ",{a:1}", "].any(x,x.a==1)"),
  "objects inside each other": repeated(objects, `||${objects}`),
  quantifiers: repeated("[].any(x,true)", "||[].any(x,true)"),
  parentheses: repeated("((((1))))==1", "||((((1))))==1"),
  addresses: repeated(
    "eth.tx.to in ['']",
    "||eth.tx.to in ['0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48']",
  ),
};

export function policy(condition: string, index = 0): Policy {
  const times = { createdAtMs: 0, updatedAtMs: 0 };
  const [policyId, policyName] = [`policy ${index}`, `name ${index}`];
  const others = { consensus: null, time: null, notes: "", ...times };
  return { policyId, policyName, effect: "EFFECT_ALLOW", condition, ...others };
}

export function document(policies: Policy[], organizationId = "organization") {
  return { organizationId, policies };
}

const large = { max: 1024 * MB, maxPerOrganization: 1024 * MB };

/** What documents take when their policies are compiled, and what is charged for them, in bytes. */
function measure(name: string, documents: ReturnType<typeof document>[]) {
  const compiled = createCompiledPolicies(large);
  compile("condition", documents[0]?.policies[0]?.condition ?? "");
  const before = heapUsed();
  for (const each of documents) compiled.of(each, "digest");
  return { name, taken: heapUsed() - before, charged: compiled.cost };
}

export type Measured = ReturnType<typeof measureAll>;

function measureAll() {
  const clauses = Object.entries(texts).map(([name, text]) => {
    const each = (_: unknown, index: number) => policy(text + " ".repeat(index));
    return measure(
      name,
      Array.from({ length: 8 }, each).map((one, i) => document([one], `${i}`)),
    );
  });
  const part = (index: number) => `''=='a text of ${1_000_000 + index} letters'`;
  const alike = Array.from({ length: 400 }, (_, n) =>
    policy(Array.from({ length: 10 }, (_, i) => part(10 * n + i)).join("&&"), n),
  );
  return { clauses, alike, alikeTogether: measure("alike", [document(alike)]) };
}

parentPort?.postMessage(measureAll());
