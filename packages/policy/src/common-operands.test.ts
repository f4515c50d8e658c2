import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeEnvironment } from "./environment.ts";
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
  const common: CommonOperands = new Map();
  const a = operandsOf(compile("condition", first, common));
  return [a, operandsOf(compile("condition", second, common))] as const;
}

describe("clauses share the operands", () => {
  test("that they begin with", () => {
    const [a, b] = compileBoth(`${ofToken} && ${small}`, `${ofToken} && ${large}`);
    expect(a).toHaveLength(2);
    expect(b[0]).toBe(a[0]);
    expect(b[1]).not.toBe(a[1]);
  });

  test("at the same place, whatever comes before them", () => {
    const [a, b] = compileBoth(`${small} && ${ofToken}`, `eth.tx.nonce < 10 && ${ofToken}`);
    expect(b[1]).toBe(a[1]);
    expect(b[0]).not.toBe(a[0]);
  });

  test("but none from another place, since a failure says where it is", () => {
    const [a, b] = compileBoth(`${ofToken} && ${small}`, `${large} && ${ofToken}`);
    expect(a.some((operand) => b.includes(operand))).toBe(false);
  });

  test("but none of another kind of clause", () => {
    const common: CommonOperands = new Map();
    const inCondition = operandsOf(compile("condition", "1 == 1 && 2 == 2", common));
    const inConsensus = operandsOf(compile("consensus", "1 == 1 && 2 == 2", common));
    expect(inCondition.some((operand) => inConsensus.includes(operand))).toBe(false);
  });

  test("with those that were compiled earlier", () => {
    const earlier = compile("condition", `${ofToken} && ${small}`, new Map());
    const later = compile("condition", `${ofToken} && ${large}`, commonOperandsOf([earlier]));
    expect(operandsOf(later)[0]).toBe(operandsOf(earlier)[0]);
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

  test("an operand that errs only in an ALLOW", () => {
    const common: CommonOperands = new Map();
    const environment = makeEnvironment({ activity: { type: "ACTIVITY_TYPE_CREATE_USERS" } });
    const evaluateNext = evaluatorOf(environment);
    const errsInPart = "(1 == 1 || activity.params.a == 1)";
    const [, allow, deny] = ["1 == 1", "2 == 2", "3 == 3"].map((end) =>
      compile("condition", `${errsInPart} && ${end}`, common),
    );
    if (!allow || !deny) throw new Error("missing");
    const work = { steps: 0 };
    expect(evaluateNext(deny, true, work)).toBe(true);
    expect(evaluateNext(allow, false, work)).toMatchObject({ kind: "failure" });
  });

  test("an operand whose work each clause is charged for", () => {
    const items = Array.from({ length: 1000 }, (_, index) => index).join(",");
    const long = `activity.params.n in [${items}]`;
    const params = { n: 1 };
    const environment = makeEnvironment({ activity: { type: "ACTIVITY_TYPE_X", params } });
    const evaluateNext = evaluatorOf(environment);
    const common: CommonOperands = new Map();
    for (const end of ["1 == 1", "2 == 2", "3 == 3"]) {
      const work = { steps: 0 };
      expect(evaluateNext(compile("condition", `${long} && ${end}`, common), false, work)).toBe(
        true,
      );
      expect(work.steps).toBeGreaterThan(1000);
    }
  });
});

test("an operand is evaluated once for all clauses but the first", () => {
  let reads = 0;
  const { entries } = makeEnvironment({ eth: { tx: { to: "0xaa" } } });
  const counted = {
    get eth() {
      reads++;
      return entries.eth;
    },
  };
  const common: CommonOperands = new Map();
  const compiled = [1, 2, 3, 4].map((end) =>
    compile("condition", `${ofToken} && ${end} == ${end}`, common),
  );
  const evaluateNext = evaluatorOf({ kind: "struct", entries: counted });
  for (const clause of compiled) expect(evaluateNext(clause, false, { steps: 0 })).toBe(true);
  expect(reads).toBe(2);
});
