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
  return [compile("condition", first, common), compile("condition", second, common)].map(
    operandsOf,
  ) as [readonly unknown[], readonly unknown[]];
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

test("a clause with common operands has the value that it has by itself", () => {
  const operands = fc.array(expression, { minLength: 1, maxLength: 3 });
  const clauses = fc
    .tuple(operands, fc.array(operands, { minLength: 1, maxLength: 4 }))
    .map(([begin, ends]) => ends.map((end) => [...begin, ...end].map((one) => `(${one})`)));
  fc.assert(
    fc.property(clauses, roots, (texts, input) => {
      const common: CommonOperands = new Map();
      const environment = makeEnvironment(input);
      for (const text of texts.map((parts) => parts.join(" && "))) {
        const [alone, shared] = [tryCompile(text), tryCompile(text, common)];
        expect(shared?.steps).toBe(alone?.steps);
        if (!alone || !shared) continue;
        expect(evaluate(shared, environment)).toEqual(evaluate(alone, environment));
        expect(evaluateDenial(shared, environment)).toEqual(evaluateDenial(alone, environment));
      }
    }),
    { numRuns: 500 },
  );
});
