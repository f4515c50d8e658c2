import { describe, expect, test } from "vitest";
import { type Clause, childrenOf } from "./ast.ts";
import { check } from "./check.ts";
import { cpuTime } from "./cpu-time.testing.ts";
import { PolicyError } from "./errors.ts";
import { parse } from "./parse.ts";
import { ACTIVITY_PARAMS, clauseOf, pathsOf, ROOTS } from "./schema.ts";
import { nameOf } from "./types.ts";

function checkText(source: string, clause: Clause = "condition") {
  return check(clause, source, parse(source));
}

function typeOf(source: string) {
  const { expression, types } = checkText(`(${source}) == (${source})`);
  const [left] = childrenOf(expression);
  const type = left && types.get(left);
  return type && nameOf(type);
}

describe("types", () => {
  test.each([
    ["1", "int"],
    ["-170141183460469231731687303715884105728", "int"],
    ["170141183460469231731687303715884105728", "uint"],
    ["[1, 170141183460469231731687303715884105728][0]", "uint"],
    ["eth.eip_712.domain.chain_id", "uint"],
    ["eth.tx.chain_id", "int"],
    ["'abc'[0]", "string"],
    ["'abc'[0..1]", "string"],
    ["[[1], []][1][0]", "int"],
    ["wallets.filter(w, w.imported)[0].label", "string"],
    ["wallets.count", "int"],
    ["{ a: { b: true } }.a.b", "bool"],
    ["activity.params.anything", "dynamic"],
    ["eth.tx.contract_call_args['x'][0]['y']", "dynamic"],
    ["secret.static_properties['x']", "string"],
    ["solana.tx.instructions[0].parsed_instruction_data.named_accounts['x']", "string"],
    ["tron.tx.contract[0].owner.keys[0].weight", "int"],
    ["CaseInsensitiveString(wallet.label)", "string"],
  ])("%s is %s", (source, type) => {
    expect(typeOf(source)).toBe(type);
  });
});

describe("what fits together", () => {
  test.each([
    "eth.tx.value < eth.eip_712.domain.chain_id",
    "true == (1 < 2) && true in [false]",
    "[].contains(1) || [].contains('a')",
    "[[], [1]].any(l, l.contains(1))",
    "[wallet, wallets[0]].any(w, w.exported)",
    "[{ a: 1 }, { a: 2 }].any(x, x.a == 2)",
    "[1, activity.params.x].contains(2)",
    "activity.params.flag",
    "activity.params.list.any(x, x.name == 'a' && x[0] && x['k'])",
    "activity.params.user_ids.count == 1",
    "[1].any(x, [2].any(x, x == 2) && x == 1)",
    "[1].any(wallet, wallet == 1)",
    "true in activity.params.list",
  ])("%s", (source) => {
    expect(() => checkText(source)).not.toThrow();
  });

  test.each([
    "wallet == wallet",
    "eth.tx.contract_call_args == eth.tx.contract_call_args",
    "[[1]].contains([1])",
    "[1] in [[1]]",
    "true < false",
    "[1, activity.params.x, 'a'].count() == 3",
    "[wallet, private_key].count() == 2",
    "[{ a: 1 }, { b: 1 }].count() == 2",
    "{ a: 1, a: 2 }.a == 1",
    "[1].any(x, x == 1) && x == 1",
    "wallets[wallet.id].imported",
    "[1][170141183460469231731687303715884105728] == 1",
    "secret.static_properties[0] == 'x'",
    "secret.static_properties.kind == 'x'",
    "wallet[0] == 1",
    "wallet['id'] == 'x'",
    "wallets.id == 'x'",
    "wallets.count(1) == 1",
    "wallets.count().count() == 1",
    "[1].contains() && true",
    "[1].contains(1, 2)",
    "wallets.any(w, w.id)",
    "wallet.all(w, true)",
    "!wallet.id",
    "wallet.id && true",
    "CaseInsensitiveString(1) == 'a'",
    "CaseInsensitiveString('a', 'b') == 'a'",
    "wallets()",
    "1.a == 1",
    "[1].filter(x, true)",
  ])("not %s", (source) => {
    expect(() => checkText(source)).toThrow(PolicyError);
  });

  test.each([
    "Timestamp('2026-01-01T00:00:00Z') in [time.now]",
    "!(time.now == time.now) || CronSpan('0 9 * * *', '8h', 'Europe/Paris')",
  ])("%s, in a time", (source) => {
    expect(() => checkText(source, "time")).not.toThrow();
  });

  test.each([
    "time.now == '2026-01-01T00:00:00Z'",
    "time.now < 5",
    "Timestamp(['2026-01-01T00:00:00Z'][0]) < time.now",
    "CronSpan('0 9 * * *', '8h')",
    "time.now",
    "time.then == time.now",
  ])("not %s, in a time", (source) => {
    expect(() => checkText(source, "time")).toThrow(PolicyError);
  });
});

describe("objects inside of objects", () => {
  /** Two objects of the same form, whose size doubles with each level, are in one list. */
  function doubled(levels: number, items = "x,y") {
    const start = "[{a:1}].any(x,[{a:1}].any(y,";
    const level = "[{a:x,b:x}].any(x,[{a:y,b:y}].any(y,";
    return `${start}${level.repeat(levels)}[${items}].count()>0${")".repeat(2 * levels + 2)}`;
  }

  function problemOf(source: string) {
    try {
      checkText(source);
    } catch (error) {
      if (error instanceof PolicyError) return error;
      throw error;
    }
    return undefined;
  }

  test("have 1,000 fields together, however few characters write them", () => {
    expect(problemOf(doubled(8, "x"))).toBeUndefined();
    const source = doubled(9, "x");
    const { code, message, start, end, expected } = problemOf(source) ?? {};
    expect({ code, expected, text: source.slice(start, end) }).toEqual({
      code: "POLICY_TYPE",
      expected: "objects of fewer fields",
      text: "{a:x,b:x}",
    });
    expect(message).toBe("an object may have 1000 fields, with those of objects inside it");
    const flat = (fields: number) =>
      `{${Array.from({ length: fields }, (_, i) => `a${i}:1`).join()}}.a0==1`;
    expect(problemOf(flat(1000))).toBeUndefined();
    expect(problemOf(flat(1001))?.code).toBe("POLICY_TYPE");
  });

  test("are refused in no time where each level would double the work", () => {
    const worked = cpuTime();
    expect(problemOf(doubled(24))?.message).toMatch(/an object may have 1000 fields/);
    expect(worked()).toBeLessThan(100);
  });

  test("are compared in lists as long as the text is, and what is written out always is", () => {
    const many = Array.from({ length: 3000 }, () => "x,y").join();
    const worked = cpuTime();
    // Number and dynamic value: each comparison makes another type.
    const source = doubled(8, many).replace("{a:1}", "{a:[][0]}");
    expect(problemOf(source)?.message).toBe(
      "the objects in lists have more fields, with those of objects inside them, than this text has characters",
    );
    expect(worked()).toBeLessThan(300);
    const list = (depth: number): string =>
      depth === 0
        ? "{a:1,b:{c:'a',d:2}}"
        : `[${Array.from({ length: depth > 3 ? 2 : 3 }, () => list(depth - 1)).join()}]`;
    const written = `${list(6)}.count()==2`;
    expect(written.length).toBeGreaterThan(4000);
    expect(problemOf(written)).toBeUndefined();
  });
});

describe("the schema", () => {
  test("gives every root to one clause", () => {
    for (const clause of ["condition", "consensus", "time"] as const) {
      for (const root of Object.keys(ROOTS[clause])) expect(clauseOf(root)).toBe(clause);
    }
    expect(clauseOf("toString")).toBeUndefined();
  });

  test("lists the paths an author can start with", () => {
    const paths = pathsOf("condition");
    expect(paths).toContain("eth.tx.contract_call_args");
    expect(paths).toContain("bitcoin.tx.locktime.type");
    expect(new Set(paths).size).toBe(paths.length);
    expect(pathsOf("time")).toEqual(["time", "time.now"]);
  });

  test("knows parameters by kind, without prefix and version", () => {
    for (const kind of Object.keys(ACTIVITY_PARAMS)) expect(kind).not.toMatch(/^ACTIVITY_|_V\d$/);
  });
});
