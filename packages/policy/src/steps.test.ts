import { describe, expect, test } from "vitest";
import { cpuTime } from "./cpu-time.testing.ts";
import { caseInsensitive, type Input, makeEnvironment } from "./environment.ts";
import { compile, evaluate, evaluateDenial } from "./evaluate.ts";
import { isFailure } from "./values.ts";

function stepsOf(source: string, request: Record<string, Input> = {}) {
  const work = { steps: 1000 };
  const value = evaluate(compile("condition", source), makeEnvironment(request), work);
  expect(isFailure(value)).toBe(false);
  return work.steps - 1000;
}

function withText(length: number, start = "") {
  const text = start.padEnd(length, "x");
  return { wallet: { id: text, label: text }, eth: { tx: { to: text, from: text } } };
}

const text = (length: number) => `'${"x".repeat(length)}'`;

// A policy that is within its limit must stay within it, so the steps are part of its meaning.
describe("an evaluation takes", () => {
  test.each([
    ["true", 1],
    ["!(true)", 2],
    ["true && false && true", 4],
    ["1 == 1", 3],
    ["{ a: 1, b: 2 }.a == 1", 6],
    ["[1, 2].count() == 2", 6],
    // One for each element that is compared, found or not.
    ["1 in [1, 2]", 5 + 2],
    ["[1, 2].contains(3)", 5 + 2],
    ["1 in []", 3],
    // The predicate's parts for each element.
    ["[1, 2].all(x, x == 1)", 4 + 2 * 3],
    ["[1, 2].any(x, true)", 4 + 2],
    ["[].any(x, true)", 2],
    ["[1, 2].all(x, [3].any(y, y == x))", 4 + 2 * (3 + 3)],
    ["false && [1, 2].any(x, true)", 6 + 2],
    ["true || [1, 2].any(x, true)", 6 + 2],
    // One for each element that is copied.
    ["[1, 2, 3][0..2].count() == 2", 10 + 2],
    ["[1, 2, 3][2..2].count() == 0", 10],
    ["[1, 2, 3].filter(x, true)[0] == 1", 9 + 3],
  ])("the steps of its parts, and of the elements: %s", (source, steps) => {
    expect(stepsOf(source)).toBe(steps);
  });

  test.each<[string, number, number, number]>([
    [`wallet.id == ${text(255)}`, 255, 4, 0],
    [`wallet.id == ${text(256)}`, 256, 4, 1],
    [`wallet.id == ${text(512)}`, 512, 4, 2],
    [`wallet.id == ${text(512)}`, 511, 4, 0],
    ["wallet.id == wallet.label", 512, 5, 2],
    ["wallet.id != wallet.label", 511, 5, 1],
    [`wallet.id in [wallet.label, wallet.label, '']`, 512, 9, 3 + 2 + 2],
    // Texts that compare without regard to case cost twice as much.
    [`eth.tx.to == ${text(127)}`, 127, 5, 0],
    [`eth.tx.to == ${text(128)}`, 128, 5, 1],
    [`eth.tx.to == ${text(384)}`, 384, 5, 3],
    [`eth.tx.to == ${text(384)}`, 385, 5, 0],
    ["eth.tx.to == eth.tx.from", 256, 7, 2],
    ["eth.tx.to == wallet.id", 255, 6, 1],
    [`${text(256)} == eth.tx.to`, 255, 5, 0],
    [`${text(256)} == eth.tx.to`, 256, 5, 2],
    ["CaseInsensitiveString(wallet.id) == ''", 255, 5, 0],
    ["CaseInsensitiveString(wallet.id) == ''", 512, 5, 2],
    // Text before the slice has to be read too.
    ["wallet.id[0..255] == ''", 600, 7, 0],
    ["wallet.id[0..256] == ''", 600, 7, 1],
    ["wallet.id[599..600] == ''", 600, 7, 2],
    ["wallet.id[0] == ''", 600, 6, 0],
    ["wallet.id[599] == ''", 600, 6, 2],
  ])("more for long texts: %s in %i characters", (source, length, parts, more) => {
    expect(stepsOf(source, withText(length))).toBe(parts + more);
  });

  test("more for text with characters of two code units, which have to be counted", () => {
    const wide = withText(64, "\u{1f511}");
    expect(stepsOf("wallet.id[0..2] == ''", wide)).toBe(7 + 4);
    expect(stepsOf("wallet.id[1] == 'x'", wide)).toBe(6 + 4);
    const later = withText(64, "xxxx\u{1f511}");
    expect(stepsOf("wallet.id[0..4] == ''", later)).toBe(7);
    expect(stepsOf("wallet.id[0..5] == ''", later)).toBe(7 + 4);
  });

  test("more for the lower case of text that is not all ASCII", () => {
    const wide = withText(512, "é");
    expect(stepsOf("CaseInsensitiveString(wallet.id) == ''", wide)).toBe(5 + 2 + 32);
    expect(stepsOf("eth.tx.to == wallet.id", wide)).toBe(6 + 4 + 32);
    // Both have their lower case already.
    expect(stepsOf("eth.tx.to == eth.tx.from", wide)).toBe(7 + 4);
    expect(stepsOf("eth.tx.to[1..300] == ''", wide)).toBe(8 + 1);
  });

  test("the same steps in a DENY, unless it goes on after a failure", () => {
    const environment = makeEnvironment({});
    const spent = (run: typeof evaluate, source: string) => {
      const work = { steps: 0 };
      run(compile("condition", source), environment, work);
      return work.steps;
    };
    for (const source of ["1 in [1, 2]", "[1, 2].all(x, x == 1)"]) {
      expect(spent(evaluateDenial, source)).toBe(spent(evaluate, source));
    }
    // What was evaluated before the failure is not evaluated again.
    expect(spent(evaluateDenial, "[[1, 2].any(x, true), [true][5]].count() == 2")).toBe(12 + 2);
    expect(spent(evaluateDenial, "{ a: [1, 2].any(x, true), b: [1][5] }.a")).toBe(10 + 2);
    const failing = "[1, 2, 3].all(x, [x][5] == 1)";
    expect(spent(evaluate, failing)).toBe(5 + 6);
    expect(spent(evaluateDenial, failing)).toBe(5 + 3 * 6);
  });
});

describe("a CronSpan", () => {
  const hundreds = `[${Array.from({ length: 100 }, () => 1).join()}]`;
  const at = (source: string, now = "2026-07-01T12:00:00Z") => {
    const work = { steps: 0 };
    const worked = cpuTime();
    const value = evaluate(compile("time", source), makeEnvironment({ time: { now } }), work);
    return { value, steps: work.steps, ms: worked() };
  };
  const yearly = "CronSpan('0 0 1 1 *', '7d', 'Europe/Paris')";

  test("takes 500 steps each time", () => {
    expect(at(yearly)).toMatchObject({ value: false, steps: 4 + 500 });
    expect(at(`${yearly} || !${yearly}`)).toMatchObject({ value: true, steps: 10 + 1000 });
    expect(at(`[1, 2].any(x, ${yearly})`)).toMatchObject({ value: false, steps: 4 + 2 * 504 });
  });

  test("is looked up once in a decision, and ends an evaluation that asks too often", () => {
    const { value, ms } = at(`${hundreds}.any(x, ${hundreds}.any(y, ${yearly}))`);
    expect(isFailure(value) && value.reason).toMatch(/more than 100000 steps/);
    expect(ms).toBeLessThan(40);
  });

  test("has a value of its own for each time, text and zone", () => {
    const environment = makeEnvironment({ time: { now: "2026-07-01T12:00:00Z" } });
    const isOpen = (source: string) => evaluate(compile("time", source), environment);
    for (let round = 0; round < 2; round++) {
      expect(isOpen("CronSpan('0 12 * * *', '1h', 'UTC')")).toBe(true);
      expect(isOpen("CronSpan('0 12 * * *', '1h', 'Europe/Paris')")).toBe(false);
      expect(isOpen("CronSpan('0 11 * * *', '1h', 'UTC')")).toBe(false);
      expect(isOpen("CronSpan('0 11 * * *', '2h', 'UTC')")).toBe(true);
    }
    expect(at("CronSpan('0 12 * * *', '1h', 'UTC')", "2026-07-01T13:00:00Z").value).toBe(false);
  });
});

describe("the limit of an evaluation", () => {
  const overrun = "the evaluation takes more than 100000 steps";
  const path = "eth.eip_712.message['items']";
  // The steps of the parts, and those for each element.
  test.each<[string, number, number]>([
    [`2 in ${path}`, 7, 1],
    [`${path}.contains(2)`, 7, 1],
    [`${path}.any(i, i == 2)`, 6, 3],
    [`${path}.all(i, i == 1)`, 6, 3],
    [`${path}.filter(i, i == 2).count() == 0`, 8, 3],
  ])("is exact for %s", (source, parts, each) => {
    const most = Math.floor((100_000 - parts) / each);
    const at = (length: number) => {
      const items = Array.from({ length }, () => 1);
      return evaluate(
        compile("condition", source),
        makeEnvironment({ eth: { eip_712: { message: { items } } } }),
      );
    };
    expect(typeof at(most)).toBe("boolean");
    const start = 0;
    const end = source.replace(".count() == 0", "").length;
    expect(at(most + 1)).toEqual({ kind: "failure", reason: overrun, start, end });
  });

  test.each<[string, string]>([
    ["[0, 1].all(x, W == wallet.label)", "W == wallet.label"],
    ["[0, 1].all(x, W == eth.tx.to)", "W == eth.tx.to"],
    ["[0, 1].all(x, W[0..20000000] == '')", "W[0..20000000]"],
    ["[0, 1].all(x, CaseInsensitiveString(W) == '')", "CaseInsensitiveString(W)"],
    ["[0, 1].all(x, W in [wallet.label])", "W in [wallet.label]"],
  ])("ends work with long texts: %s", (source, part) => {
    const long = withText(24_000_000);
    const written = (text: string) => text.replaceAll("W", "wallet.id");
    const value = evaluate(compile("condition", written(source)), makeEnvironment(long));
    const start = written(source).indexOf(written(part));
    const end = start + written(part).length;
    expect(value).toEqual({ kind: "failure", reason: overrun, start, end });
  });

  test("ends the count of characters in a long text", () => {
    const environment = makeEnvironment(withText(1_700_000, "\u{1f511}"));
    const value = evaluate(compile("condition", "wallet.id[0..2] == ''"), environment);
    expect(value).toEqual({ kind: "failure", reason: overrun, start: 0, end: 15 });
  });

  test("is not reached by a text of another length, which is not read", () => {
    const environment = makeEnvironment({
      wallet: { id: "x".repeat(30_000_000) },
      eth: { tx: { contract_call_args: { data: caseInsensitive("x".repeat(30_000_000)) } } },
    });
    const resultOf = (source: string) => evaluate(compile("condition", source), environment);
    expect(resultOf("wallet.id == 'x'")).toBe(false);
    expect(resultOf("eth.tx.contract_call_args['data'] != 'x'")).toBe(true);
  });
});
