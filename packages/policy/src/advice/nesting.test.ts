import { describe, expect, test } from "vitest";
import { cpuTime } from "../cpu-time.testing.ts";
import type { PolicyText } from "../decide.ts";
import { makeEnvironment } from "../environment.ts";
import { PolicyError } from "../errors.ts";
import { compile, evaluate, evaluateDenial } from "../evaluate.ts";
import { MAX_LENGTH } from "../limits.ts";
import { comparePolicies } from "./comparison.ts";
import { lintPolicies } from "./lints.ts";

// What a text costs must not grow faster than the text, however its operators are nested: parts that
// repeat what is around them would double it at each level.

const KEYS = "solana.tx.account_keys";

/** A list that repeats the bound `x`, and the operator that binds its element to `x` again. */
const LISTS = [
  "[x,x]",
  "[[x,x],[x]][0]",
  "[x,x,x][0..2]",
  "[x].filter(y,y==x||y!=x)",
  "[x,x].filter(y,[y,x].all(z,z==y))",
  "[[x,x].filter(y,y=='a'),[x]][0]",
  "[{a:x,b:x}.a,{a:x,b:x}.b]",
  "[CaseInsensitiveString(x),x]",
];
const OPERATORS: [string, string][] = [
  [".any(x,", ")"],
  [".all(x,", ")"],
  [".filter(x,", ").count()>0"],
  [".filter(x,", ").count()==[1].count()"],
];

/** Truths with a place for another truth. */
const TRUTHS = [
  "true==(#)",
  "(#)==true",
  "false!=(#)",
  "(#)==(wallet.id==wallet.id)",
  "(wallet.id!=wallet.id)==(#)",
  "(wallet.id=='a')==(#)",
  "(#)!=(wallet.label=='b')",
  "(#)==((wallet.label=='b')!=(wallet.id=='a'))",
  "(wallet.id=='a'||wallet.label=='b')&&(#)",
  "wallet.label=='b'||!(wallet.id=='a'&&(#))",
  "true in [#,wallet.label=='b']",
  "(#) in [wallet.id=='a',wallet.label=='b']",
  "[#,wallet.label=='b'].contains(true)",
  "[wallet.id=='a',#][1]",
  "{a:#,b:wallet.id=='a'}.a",
  "!!(#)",
  "[1,2].any(n,#)",
  "['a','b'].all(n,wallet.id==n&&(#))",
  "[[1,1]].any(n,[[n,n]].any(m,#))",
  `${KEYS}.any(k,#)`,
  `${KEYS}.filter(k,#).count()==1`,
  `${KEYS}.filter(k,k=='a'&&k=='b').any(k,#)`,
  `${KEYS}.filter(k,k==k).filter(k,#).count()==${KEYS}.filter(k,#).count()`.replace("#", "true"),
];

const shapes = new Map<string, (levels: number) => string>([
  ...LISTS.flatMap((list) =>
    OPERATORS.map(([open, close]): [string, (levels: number) => string] => [
      `${list}${open}…${close}`,
      (levels) => `${KEYS}.any(x,${(list + open).repeat(levels)}x=='a'${close.repeat(levels)})`,
    ]),
  ),
  ...TRUTHS.map((truth): [string, (levels: number) => string] => [
    truth,
    (levels) => {
      let text = "wallet.id=='a'&&wallet.label=='b'";
      for (let level = 0; level < levels; level++) text = truth.replace("#", () => text);
      return text;
    },
  ]),
]);

/** The text at each depth that the language allows. */
function* depths(textOf: (levels: number) => string) {
  for (let levels = 2; ; levels += levels < 24 ? 2 : 8) {
    const text = textOf(levels);
    if (text.length > MAX_LENGTH) return;
    try {
      compile("condition", text);
    } catch (error) {
      if (error instanceof PolicyError && /nested deeper/.test(error.message)) return;
      throw error;
    }
    yield text;
  }
}

const EFFECTS = ["EFFECT_ALLOW", "EFFECT_DENY"] as const;
const environment = makeEnvironment({ wallet: { id: "a", label: "b" } });

/** Work that every request for warnings takes, and work for each character. */
const [BASE, EACH] = [6000, 64];

describe("the work of a policy grows with its text alone", () => {
  test.each([...shapes])("%s", (_, textOf) => {
    let count = 0;
    for (const condition of depths(textOf)) {
      count++;
      const worked = cpuTime();
      for (const effect of EFFECTS) {
        const policy: PolicyText = { policyId: "p", effect, condition };
        const budget = { steps: BASE };
        lintPolicies([policy], {}, undefined, budget);
        expect(BASE - budget.steps, condition).toBeLessThan(BASE + EACH * condition.length);
      }
      const compiled = compile("condition", condition);
      evaluate(compiled, environment);
      evaluateDenial(compiled, environment);
      expect(worked(), condition).toBeLessThan(400);
    }
    expect(count).toBeGreaterThan(2);
  });

  test.each([...shapes])("in a comparison with another one: %s", (_, textOf) => {
    const condition = [...depths(textOf)].at(-2) ?? "";
    const worked = cpuTime();
    const before: PolicyText = { policyId: "p", effect: "EFFECT_ALLOW", condition };
    comparePolicies([before], [{ ...before, condition: `${condition}||wallet.id=='c'` }]);
    expect(worked()).toBeLessThan(1500);
  });
});
