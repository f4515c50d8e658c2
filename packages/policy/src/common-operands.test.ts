import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Input, makeEnvironment } from "./environment.ts";
import { PolicyError } from "./errors.ts";
import {
  type CommonOperands,
  type Compiled,
  commonOperandsOf,
  compile,
  evaluate,
  evaluateDenial,
  evaluatorOf,
} from "./evaluate.ts";
import { expression, roots } from "./generate.testing.ts";

const ofToken = "eth.tx.to == '0xaa'";
const small = "eth.tx.value < 10";
const large = "eth.tx.value < 1000";

function operandsOf({ operands = [] }: Compiled) {
  return operands;
}

function compileBoth(first: string, second: string) {
  const [a, b] = compileAll([first, second]);
  return [operandsOf(a), operandsOf(b)] as const;
}

describe("clauses share operands", () => {
  test("with the same text at the beginning", () => {
    const [a, b] = compileBoth(`${ofToken} && ${small}`, `${ofToken} && ${large}`);
    expect(a).toHaveLength(2);
    expect(b[0]).toBe(a[0]);
    expect(b[1]).not.toBe(a[1]);
  });

  test("with the same text at the same place, whatever comes before them", () => {
    const [a, b] = compileBoth(`${small} && ${ofToken}`, `eth.tx.nonce < 10 && ${ofToken}`);
    expect(b[1]).toBe(a[1]);
    expect(b[0]).not.toBe(a[0]);
  });

  test("but none at another place, since a failure says where it is", () => {
    const [a, b] = compileBoth(`${ofToken} && ${small}`, `${large} && ${ofToken}`);
    expect(a.some((operand) => b.includes(operand))).toBe(false);
  });

  test("but not a condition with a consensus", () => {
    const common: CommonOperands = new Map();
    const inCondition = operandsOf(compile("condition", "1 == 1 && 2 == 2", common));
    const inConsensus = operandsOf(compile("consensus", "1 == 1 && 2 == 2", common));
    expect(inCondition.some((operand) => inConsensus.includes(operand))).toBe(false);
  });

  test("also with clauses that were compiled earlier", () => {
    const earlier = compile("condition", `${ofToken} && ${small}`, new Map());
    const later = compile("condition", `${ofToken} && ${large}`, commonOperandsOf([earlier]));
    expect(operandsOf(later)[0]).toBe(operandsOf(earlier)[0]);
  });
});

describe("operands that compare the same path with other values share the path", () => {
  const leftOf = (compiled: Compiled, index: number) => operandsOf(compiled)[index]?.left;

  test("at the same place", () => {
    const [a, b, c] = compileAll([small, large, "true"].map((end) => `${ofToken} && ${end}`));
    expect(leftOf(a, 1)).toBeDefined();
    expect(leftOf(b, 1)).toBe(leftOf(a, 1));
    expect(leftOf(b, 0)).not.toBe(leftOf(a, 1));
    expect(leftOf(c, 1)).toBeUndefined();
  });

  test("also with clauses that were compiled earlier", () => {
    const earlier = compile("condition", `${ofToken} && ${small}`, new Map());
    const later = compile("condition", `${ofToken} && ${large}`, commonOperandsOf([earlier]));
    expect(leftOf(later, 1)).toBe(leftOf(earlier, 1));
  });

  test("but nothing that is more than a path", () => {
    const [a] = compileAll(["eth.tx.data[0..2] == '0x' && true", "true && true", "true && true"]);
    expect(leftOf(a, 0)).toBeUndefined();
  });
});

test("a clause without `&&`, or compiled by itself, has none to share", () => {
  const common: CommonOperands = new Map();
  expect(operandsOf(compile("condition", `${ofToken} || ${small}`, common))).toEqual([]);
  expect(common.size).toBe(0);
  const alone = compile("condition", `${ofToken} && ${small}`);
  expect(commonOperandsOf([alone]).size).toBe(0);
});

test("failures are at their places in each clause", () => {
  const common: CommonOperands = new Map();
  const environment = makeEnvironment({ activity: { type: "ACTIVITY_TYPE_CREATE_USERS" } });
  for (const source of [`${ofToken} && ${small}`, `true && ${ofToken}`, `1 == 1 && ${ofToken}`]) {
    const failure = evaluate(compile("condition", source, common), environment);
    if (typeof failure !== "object") throw new Error(`${source} is ${failure}`);
    expect(source.slice(failure.start, failure.end)).toBe("eth");
  }
});

/** Conditions with their operands in common. */
function compileAll(sources: readonly string[]) {
  const common: CommonOperands = new Map();
  return sources.map((source) => compile("condition", source, common)) as [
    Compiled,
    Compiled,
    Compiled,
  ];
}

function activityWith(params: Record<string, Input>) {
  return makeEnvironment({ activity: { type: "ACTIVITY_TYPE_X", params } });
}

/** Undefined if the generated text is not a condition. */
function tryCompile(source: string, common?: CommonOperands): Compiled | undefined {
  try {
    return compile("condition", source, common);
  } catch (error) {
    if (error instanceof PolicyError) return undefined;
    throw error;
  }
}

describe("a clause with common operands has the value and the steps that it has by itself", () => {
  const operands = fc.array(expression, { minLength: 1, maxLength: 3 });
  const clauses = fc
    .tuple(operands, fc.array(operands, { minLength: 1, maxLength: 4 }))
    .map(([begin, ends]) => ends.map((end) => [...begin, ...end].map((one) => `(${one})`)))
    .map((texts) => texts.map((parts) => parts.join(" && ")));

  test("evaluated one after the other in one environment, for an ALLOW and a DENY in turns", () => {
    fc.assert(
      fc.property(clauses, roots, fc.boolean(), (texts, input, isDenialFirst) => {
        const common: CommonOperands = new Map();
        const evaluateNext = evaluatorOf(makeEnvironment(input));
        for (const text of [...texts, ...texts]) {
          const [alone, shared] = [tryCompile(text), tryCompile(text, common)];
          expect(shared?.steps).toBe(alone?.steps);
          if (!alone || !shared) continue;
          for (const isDenial of [isDenialFirst, !isDenialFirst]) {
            const [work, expected] = [{ steps: 0 }, { steps: 0 }];
            const value = (isDenial ? evaluateDenial : evaluate)(
              alone,
              makeEnvironment(input),
              expected,
            );
            expect(evaluateNext(shared, isDenial, work)).toEqual(value);
            expect(work).toEqual(expected);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  test("a value that a DENY found is not used for an ALLOW, in which a part errs", () => {
    const errsInPart = "(1 == 1 || activity.params.a == 1)";
    const [, allow, deny] = compileAll([1, 2, 3].map((end) => `${errsInPart} && ${end} == ${end}`));
    const evaluateNext = evaluatorOf(activityWith({}));
    const work = { steps: 0 };
    expect(evaluateNext(deny, true, work)).toBe(true);
    expect(evaluateNext(allow, false, work)).toMatchObject({ kind: "failure" });
  });

  test("each clause is charged for an operand that reads a long list", () => {
    const items = Array.from({ length: 1000 }, (_, index) => index).join(",");
    const clauses = compileAll(
      [1, 2, 3].map((end) => `activity.params.n in [${items}] && ${end} == ${end}`),
    );
    const evaluateNext = evaluatorOf(activityWith({ n: 1 }));
    for (const clause of clauses) {
      const work = { steps: 0 };
      expect(evaluateNext(clause, false, work)).toBe(true);
      expect(work.steps).toBeGreaterThan(1000);
    }
  });

  describe("beyond the limit of steps, at which a DENY goes on", () => {
    const slow = "activity.params.l.all(x, activity.params.l.all(y, x == y))";
    const cheap = (index: number) => `${index} == ${index}`.padEnd(slow.length);
    const list = Array.from({ length: 400 }, () => 1);

    test("an operand that costs nothing fails, although it has a value", () => {
      const text = "activity.params.s == 'abc'";
      const clauses = compileAll([cheap(1), cheap(2), slow].map((begin) => `${begin} && ${text}`));
      const evaluateNext = evaluatorOf(activityWith({ l: list, s: "abd" }));
      const work = { steps: 0 };
      const values = clauses.map((clause) => evaluateNext(clause, true, work));
      expect(values).toEqual([false, false, expect.objectContaining({ kind: "failure" })]);
    });

    test("an operand that ends early for that reason is charged for in the next clause", () => {
      const texts = Array.from({ length: 5000 }, (_, index) => `${index}`);
      const long = "(1 == 1 || CaseInsensitiveString(activity.params.s) in activity.params.texts)";
      const sources = [cheap(1), slow, cheap(2)].map((begin) => `${begin} && ${long}`);
      const evaluateNext = evaluatorOf(activityWith({ l: list, s: "abd", texts }));
      for (const [i, clause] of compileAll(sources).entries()) {
        const [work, expected] = [{ steps: 0 }, { steps: 0 }];
        const alone = compile("condition", sources[i] ?? "");
        const value = evaluateDenial(alone, activityWith({ l: list, s: "abd", texts }), expected);
        expect(evaluateNext(clause, true, work)).toEqual(value);
        expect(work).toEqual(expected);
      }
    });
  });

  test("and outside of a decision", () => {
    const sources = [small, large].map((end) => `${ofToken} && ${end}`);
    const environment = makeEnvironment({ eth: { tx: { to: "0xaa", value: 100n } } });
    const values = compileAll(sources).map((clause) => evaluate(clause, environment));
    expect(values).toEqual([false, true]);
  });
});

test("four clauses evaluate a common operand twice: once for the first, once for the others", () => {
  let reads = 0;
  const { entries } = makeEnvironment({ eth: { tx: { to: "0xaa" } } });
  const counted = {
    get eth() {
      reads++;
      return entries.eth;
    },
  };
  const compiled = compileAll([1, 2, 3, 4].map((end) => `${ofToken} && ${end} == ${end}`));
  const evaluateNext = evaluatorOf({ kind: "struct", entries: counted });
  for (const clause of compiled) expect(evaluateNext(clause, false, { steps: 0 })).toBe(true);
  expect(reads).toBe(2);
});
