import { describe, expect, test } from "vitest";
import type { Clause } from "./ast.ts";
import { caseInsensitive, type Input, makeEnvironment, unread } from "./environment.ts";
import { compile, evaluate, evaluateDenial, prepare } from "./evaluate.ts";
import { isFailure } from "./values.ts";

const ADDRESS = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";

const REQUEST: Record<string, Input> = {
  wallet: { id: "wallet", label: "" },
  wallets: [{ id: "w" }],
  secret: { static_properties: { kind: "k", undefined: "no" } },
  activity: {
    params: {
      ...{ n: 5, b: true, s: "text", list: [1, "a"], o: { a: 1, inner: { b: 2 } }, at: ADDRESS },
      ...{ odd: 1.5, odds: [1.5], unset: null, nothing: [null], texts: ["a", 1] },
      steps: [{ a: 2 }, {}],
    },
  },
  eth: {
    tx: { to: ADDRESS, value: 1 },
    eip_712: {
      message: { s: "text", m: { a: { b: 1 }, 0: "zero" }, odd: 1.5, ci: caseInsensitive("aB") },
    },
  },
};

/** The part that failed and why, or the value. */
function result(
  source: string,
  { run = evaluate, clause = "condition" as Clause, request = REQUEST } = {},
) {
  const value = run(compile(clause, source), makeEnvironment(request));
  if (!isFailure(value)) return value;
  const { reason, start, end, absent } = value;
  return `${absent ? `absent ${absent}: ` : ""}${source.slice(start, end)}: ${reason}`;
}

describe("what fails, and why", () => {
  test.each([
    ["private_key.id == 'k'", "absent root: private_key: this request has no `private_key`"],
    ["wallet.imported", "wallet.imported: `imported` is not set"],
    ["eth.eip_712.domain.name == 'x'", "eth.eip_712.domain: `domain` is not set"],
    ["solana.tx.transfers.count() == 1", "absent root: solana: this request has no `solana`"],
    ["activity.params.x == 1", "absent field: activity.params.x: `x` is not set"],
    ["activity.params.unset == 1", "absent field: activity.params.unset: `unset` is not set"],
    ["activity.params.o.x == 1", "activity.params.o.x: `x` is not set"],
    ["activity.params.n.x == 1", "activity.params.n.x: int has no field `x`"],
    ["activity.params.b.x == 1", "activity.params.b.x: bool has no field `x`"],
    ["activity.params.s.x == 1", "activity.params.s.x: string has no field `x`"],
    ["activity.params.at.x == 1", "activity.params.at.x: string has no field `x`"],
    ["activity.params.list.x == 1", "activity.params.list.x: list has no field `x`"],
    ["eth.eip_712.message['m'].x == 1", "eth.eip_712.message['m'].x: map has no field `x`"],
    ["activity.params.at.count == 1", "activity.params.at.count: string has no field `count`"],
    [
      "eth.eip_712.message['m'].count == 1",
      "eth.eip_712.message['m'].count: map has no field `count`",
    ],
    ["eth.eip_712.message['m'][0] == 'zero'", "0: this is int, not string"],
    ["activity.params.s.count == 1", "activity.params.s.count: string has no field `count`"],
    [
      "activity.params.odd.x == 1",
      "activity.params.odd: this is a number that is not an exact integer",
    ],
    [
      "eth.tx.contract_call_args['to'] == 'x'",
      "absent field: eth.tx.contract_call_args: `contract_call_args` is not set",
    ],
    [
      "eth.eip_712.message['none'] == 'x'",
      "absent field: eth.eip_712.message['none']: there is no key 'none'",
    ],
    [
      "eth.eip_712.message['m']['c']['b'] == 1",
      "absent field: eth.eip_712.message['m']['c']: there is no key 'c'",
    ],
    ["secret.static_properties['x'] == 'x'", "secret.static_properties['x']: there is no key 'x'"],
    ["activity.params.list['a'] == 1", "'a': this is string, not int"],
    ["activity.params.s['a'] == 1", "'a': this is string, not int"],
    ["eth.eip_712.message['m'][0] == 1", "0: this is int, not string"],
    [
      "eth.eip_712.message['m'][eth.eip_712.message['ci']] == 1",
      "eth.eip_712.message['m'][eth.eip_712.message['ci']]: there is no key 'aB'",
    ],
    [
      "activity.params.list[2] == 1",
      "activity.params.list[2]: position 2 is outside the list of 2",
    ],
    [
      "activity.params.list[-1] == 1",
      "activity.params.list[-1]: position -1 is outside the list of 2",
    ],
    ["[1][4294967296] == 1", "[1][4294967296]: position 4294967296 is outside the list of 1"],
    ["wallet.id[6] == ''", "wallet.id[6]: position 6 is outside the text"],
    ["wallet.id[-1] == ''", "wallet.id[-1]: position -1 is outside the text"],
    [
      "wallet.id[18446744073709551616] == ''",
      "wallet.id[18446744073709551616]: position 18446744073709551616 is outside the text",
    ],
    ["activity.params.n[0] == 1", "activity.params.n[0]: int has no positions"],
    ["activity.params.b[0..1] == ''", "activity.params.b[0..1]: bool has no positions"],
    ["activity.params.o[0] == 1", "activity.params.o[0]: struct has no positions"],
    [
      "activity.params.odds[0] == 1",
      "activity.params.odds[0]: this is a number that is not an exact integer",
    ],
    [
      "activity.params.nothing[0] == 1",
      "activity.params.nothing[0]: this is a value that is not set",
    ],
    [
      "eth.eip_712.message['odd'] == 1",
      "eth.eip_712.message['odd']: this is a number that is not an exact integer",
    ],
    ["activity.params.odds.any(x, x == 1)", "x: this is a number that is not an exact integer"],
    ["wallet.id[2..1] == ''", "wallet.id[2..1]: there is no slice 2 to 1"],
    ["wallet.id[-1..1] == ''", "wallet.id[-1..1]: there is no slice -1 to 1"],
    ["wallet.id[0..7] == ''", "wallet.id[0..7]: position 7 is outside the text"],
    ["wallet.id[7..7] == ''", "wallet.id[7..7]: position 7 is outside the text"],
    ["[1, 2][0..3].count() == 3", "[1, 2][0..3]: position 3 is outside the list of 2"],
    ["[1, 2][2..1].count() == 3", "[1, 2][2..1]: there is no slice 2 to 1"],
    ["wallet.id[activity.params.s..1] == ''", "activity.params.s: this is string, not int"],
    ["wallet.id[0..activity.params.s] == ''", "activity.params.s: this is string, not int"],
    ["activity.params.s", "activity.params.s: this is string, not bool"],
    ["!activity.params.n", "activity.params.n: this is int, not bool"],
    ["true && activity.params.n", "activity.params.n: this is int, not bool"],
    ["activity.params.list || true", "activity.params.list: this is list, not bool"],
    ["[1].any(x, activity.params.at)", "activity.params.at: this is string, not bool"],
    [
      "[1].filter(x, x == 1 && activity.params.n).count() == 1",
      "activity.params.n: this is int, not bool",
    ],
    ["activity.params.n.any(x, true)", "activity.params.n: this is int, not list"],
    [
      "activity.params.s.filter(x, true).count() == 0",
      "activity.params.s: this is string, not list",
    ],
    ["activity.params.n.count() == 1", "activity.params.n: this is int, not list"],
    ["activity.params.n.contains(1)", "activity.params.n: this is int, not list"],
    ["1 in activity.params.n", "activity.params.n: this is int, not list"],
    [
      "CaseInsensitiveString(activity.params.n) == ''",
      "CaseInsensitiveString(activity.params.n): this is int, not string",
    ],
    [
      "CaseInsensitiveString(private_key.id) == ''",
      "absent root: private_key: this request has no `private_key`",
    ],
    ["activity.params.s == 1", "activity.params.s == 1: string and int cannot be compared"],
    ["activity.params.s != 1", "activity.params.s != 1: string and int cannot be compared"],
    ["activity.params.n == 'x'", "activity.params.n == 'x': int and string cannot be compared"],
    ["activity.params.b == 'x'", "activity.params.b == 'x': bool and string cannot be compared"],
    ["activity.params.n == true", "activity.params.n == true: int and bool cannot be compared"],
    ["activity.params.at == 1", "activity.params.at == 1: string and int cannot be compared"],
    ["1 == activity.params.at", "1 == activity.params.at: int and string cannot be compared"],
    [
      "activity.params.list == 'x'",
      "activity.params.list == 'x': list and string cannot be compared",
    ],
    ["activity.params.o != 'x'", "activity.params.o != 'x': struct and string cannot be compared"],
    [
      "eth.eip_712.message['m'] == 'x'",
      "eth.eip_712.message['m'] == 'x': map and string cannot be compared",
    ],
    [
      "activity.params.list == activity.params.list",
      "activity.params.list == activity.params.list: list and list cannot be compared",
    ],
    ["activity.params.s < 1", "activity.params.s < 1: string and int have no order"],
    ["activity.params.s > 1", "activity.params.s > 1: string and int have no order"],
    ["activity.params.s <= 1", "activity.params.s <= 1: string and int have no order"],
    ["activity.params.s >= 1", "activity.params.s >= 1: string and int have no order"],
    [
      "activity.params.n < activity.params.b",
      "activity.params.n < activity.params.b: int and bool have no order",
    ],
    [
      "activity.params.at > activity.params.n",
      "activity.params.at > activity.params.n: string and int have no order",
    ],
    [
      "'a' in activity.params.list",
      "'a' in activity.params.list: string and int cannot be compared",
    ],
    [
      "activity.params.list.contains('a')",
      "activity.params.list.contains('a'): string and int cannot be compared",
    ],
    [
      "'a' in activity.params.texts",
      "'a' in activity.params.texts: string and int cannot be compared",
    ],
    ["[1, [2][5]].count() == 2", "[2][5]: position 5 is outside the list of 1"],
    ["{ a: 1, b: [2][5] }.a == 1", "[2][5]: position 5 is outside the list of 1"],
    ["activity.params.n[[2][5]] == 2", "[2][5]: position 5 is outside the list of 1"],
    ["[1][[2][5]..1].count() == 2", "[2][5]: position 5 is outside the list of 1"],
    ["[1][0..[2][5]].count() == 2", "[2][5]: position 5 is outside the list of 1"],
    ["[1].contains([2][5])", "[2][5]: position 5 is outside the list of 1"],
    ["1 == [2][5]", "[2][5]: position 5 is outside the list of 1"],
    ["[2][5] in [1]", "[2][5]: position 5 is outside the list of 1"],
    ["1 in [[2][5]]", "[2][5]: position 5 is outside the list of 1"],
    ["[[2]][5].any(x, true)", "[[2]][5]: position 5 is outside the list of 1"],
    ["!([true][5])", "[true][5]: position 5 is outside the list of 1"],
    ["[1].all(x, [x][5] == 1)", "[x][5]: position 5 is outside the list of 1"],
  ])("%s", (source, expected) => {
    expect(result(source)).toBe(expected);
  });

  test.each([
    [
      "CronSpan('0 9 * * *', '8h', 'UTC')",
      "CronSpan('0 9 * * *', '8h', 'UTC'): this request has no time",
    ],
    ["time.now == Timestamp('2026-01-01T00:00:00Z')", "time: this request has no `time`"],
  ])("in a request without time, %s", (source, expected) => {
    expect(result(source, { clause: "time", request: {} })).toBe(expected);
  });

  test("a time that is not known is not set", () => {
    const at = (source: string) => result(source, { clause: "time", request: { time: {} } });
    expect(at("time.now == time.now")).toBe("time.now: `now` is not set");
    expect(at("CronSpan('0 9 * * *', '8h', 'UTC')")).toMatch(/this request has no time$/);
  });

  test("a part of a request that could not be read", () => {
    const request = { eth: { tx: { contract_call_args: unread("an odd call") } } };
    const args = "eth.tx.contract_call_args";
    expect(result(`${args}['to'] == 'x'`, { request })).toBe(`${args}: this is an odd call`);
  });

  test("the text of a long key is cut", () => {
    const key = "k".repeat(200);
    const source = `secret.static_properties['${key}'] == ''`;
    expect(result(source)).toMatch(/: there is no key 'k{116}\.\.\.$/);
  });
});

describe("of two failures", () => {
  const root = "absent root: private_key: this request has no `private_key`";
  const field = "absent field: activity.params.x: `x` is not set";
  const error = "wallet.id[9]: position 9 is outside the text";
  test.each([
    ["[wallet.id[9], private_key.id].count() == 2", error, root],
    ["[private_key.id, wallet.id[9]].count() == 2", root, root],
    ["['', wallet.id[9], '', private_key.id].count() == 2", error, root],
    ["[activity.params.x, wallet.id[9]].count() == 2", field, error],
    ["[wallet.id[9], activity.params.x].count() == 2", error, error],
    ["[wallet.id[9], wallet.id[8]].count() == 2", error, error],
    ["[activity.params.x, activity.params.y].count() == 2", field, field],
    ["[activity.params.x, '', ''].count() == 2", field, field],
    ["[wallet.id[9], private_key.id, ''].count() == 2", error, root],
    ["{ a: wallet.id[9], b: private_key.id, c: '' }.a == ''", error, root],
    ["{ a: wallet.id[9], b: private_key.id }.a == ''", error, root],
    ["{ a: '', b: wallet.id[9], c: private_key.id }.a == ''", error, root],
    ["{ a: wallet.id[9], b: wallet.id[8] }.a == ''", error, error],
    ["wallet.id[9] == private_key.id", error, root],
    ["wallet.id[9] in private_key.tags", error, root],
    ["wallet.id[9] == wallet.id[8]", error, error],
    ["activity.params.x[private_key.tags.count()] == 1", field, root],
    ["activity.params.x[private_key.tags.count()..1] == 1", field, root],
    ["activity.params.x[0..private_key.tags.count()] == 1", field, root],
    [
      "wallet.id[[2][5]..private_key.tags.count()] == ''",
      "[2][5]: position 5 is outside the list of 1",
      root,
    ],
    ["activity.params.x.contains(private_key.id)", field, root],
    [
      "activity.params.n.contains(private_key.id)",
      "activity.params.n: this is int, not list",
      root,
    ],
    ["wallet.id[9] == '' && private_key.id == ''", error, root],
    ["private_key.id == '' && wallet.id[9] == ''", root, root],
    ["activity.params.x == '' || wallet.id[9] == ''", field, error],
    ["wallet.id[9] == '' || activity.params.x == ''", error, error],
    ["wallet.id[9] == '' || wallet.id[8] == ''", error, error],
    [
      "activity.params.steps.any(s, s.a == 1 || activity.params.x == 1)",
      field,
      "s.a: `a` is not set",
    ],
    [
      "activity.params.steps.all(s, s.a == 2 && activity.params.x == 1)",
      field,
      "s.a: `a` is not set",
    ],
    [
      "activity.params.steps.filter(s, s.a == 1 || activity.params.x == 1).count() == 1",
      field,
      "s.a: `a` is not set",
    ],
  ])(
    "in %s: an ALLOW reports the first, a DENY the one that weighs most",
    (source, first, most) => {
      expect(result(source)).toBe(first);
      expect(result(source, { run: evaluateDenial })).toBe(most);
    },
  );
});

describe("a failure next to what decides", () => {
  const error = "wallet.id[9]: position 9 is outside the text";
  const root = "absent root: private_key: this request has no `private_key`";
  const unlike = "int and string cannot be compared";
  test.each<[string, string, string | boolean]>([
    ["wallet.id[9] == '' && false", error, false],
    ["false && wallet.id[9] == ''", error, false],
    ["wallet.id[9] == '' && true", error, error],
    ["true || wallet.id[9] == ''", error, true],
    ["false || wallet.id[9] == ''", error, error],
    ["private_key.id == '' && false", root, root],
    ["true || private_key.id == ''", root, root],
    ["false && activity.params.n", "activity.params.n: this is int, not bool", false],
    [
      "true && activity.params.n",
      "activity.params.n: this is int, not bool",
      "activity.params.n: this is int, not bool",
    ],
    ["activity.params.steps.any(s, s.a == 2)", "s.a: `a` is not set", true],
    ["activity.params.steps.any(s, s.a == 1)", "s.a: `a` is not set", "s.a: `a` is not set"],
    ["activity.params.steps.all(s, s.a == 1)", "s.a: `a` is not set", false],
    ["activity.params.steps.all(s, s.a == 2)", "s.a: `a` is not set", "s.a: `a` is not set"],
    [
      "activity.params.steps.filter(s, s.a == 2).count() == 1",
      "s.a: `a` is not set",
      "s.a: `a` is not set",
    ],
    [
      "activity.params.steps.filter(s, s.a == 1).count() == 0",
      "s.a: `a` is not set",
      "s.a: `a` is not set",
    ],
    ["wallets.any(w, w.id == 'w' || private_key.id == '')", root, root],
    ["wallets.all(w, w.id == 'v' && private_key.id == '')", root, root],
    [
      "[1, 0].any(x, [true, activity.params.n][x])",
      "[true, activity.params.n][x]: this is int, not bool",
      true,
    ],
    [
      "[1, 1].any(x, [true, activity.params.n][x])",
      "[true, activity.params.n][x]: this is int, not bool",
      "[true, activity.params.n][x]: this is int, not bool",
    ],
    ["1 in activity.params.list", `1 in activity.params.list: ${unlike}`, true],
    [
      "2 in activity.params.list",
      `2 in activity.params.list: ${unlike}`,
      `2 in activity.params.list: ${unlike}`,
    ],
    ["activity.params.list.contains(1)", `activity.params.list.contains(1): ${unlike}`, true],
  ])("%s", (source, allow, deny) => {
    expect(result(source)).toBe(allow);
    expect(result(source, { run: evaluateDenial })).toBe(deny);
  });

  const items = Array.from({ length: 100_000 }, () => false);
  const inFront = { eth: { eip_712: { message: { items: [true, ...items] } } } };
  const behind = { eth: { eip_712: { message: { items: [...items, true] } } } };
  const list = "eth.eip_712.message['items']";
  const overrun = "the evaluation takes more than 100000 steps";
  test.each<[string, Record<string, Input>, boolean | string]>([
    [`${list}.any(i, i)`, inFront, true],
    [`${list}.any(i, i)`, behind, `${list}.any(i, i): ${overrun}`],
    [`${list}.all(i, !i)`, inFront, false],
    [`${list}.all(i, !i)`, behind, `${list}.all(i, !i): ${overrun}`],
    [`${list}.filter(i, i).count() == 1`, inFront, `${list}.filter(i, i): ${overrun}`],
    [`true in ${list}`, inFront, `true in ${list}: ${overrun}`],
  ])("a DENY about a list that is too long, %s", (source, request, expected) => {
    expect(result(source, { request, run: evaluateDenial })).toBe(expected);
    expect(result(source, { request })).toMatch(overrun);
  });
});

describe("names", () => {
  test.each([
    ["wallets.any(wallet, wallet.id == 'w')", true],
    ["wallets.any(wallet, wallet.id == 'wallet')", false],
    ["[1].any(x, [2].any(x, x == 2))", true],
    ["[1].any(x, [2].any(x, true) && x == 1)", true],
    ["[1].any(x, [2].any(y, x == 1 && y == 2))", true],
    ["[[1, 2], [3]].any(x, x.any(y, y == 3) && x.count() == 1)", true],
    ["activity.params.o.a == 1 && activity.params.o.inner.b == 2", true],
    ["eth.eip_712.message['m']['a']['b'] == 1", true],
    // A field and a key of the same name are not mixed up, whichever is read first.
    ["activity.params.o.a == 1 && activity.params.o['a'] == 1", "'a': this is string, not int"],
    [
      "eth.eip_712.message['m']['a']['b'] == 1 && eth.eip_712.message['m'].a['b'] == 1",
      "eth.eip_712.message['m'].a: map has no field `a`",
    ],
  ])("%s: %s", (source, expected) => {
    expect(result(source)).toBe(expected);
    expect(result(source, { run: evaluateDenial })).toBe(expected);
  });

  test("what an expression found in a request is found again, and not in another request", () => {
    const rule = compile("condition", "eth.tx.value == 1 && wallet.id == 'wallet'");
    const [one, other] = [makeEnvironment(REQUEST), makeEnvironment({ wallet: { id: "" } })];
    expect([evaluate(rule, one), evaluate(rule, one)]).toEqual([true, true]);
    expect(isFailure(evaluate(rule, other) as never)).toBe(true);
    expect([...(one.found ?? [])].map(([path]) => path)).toEqual(["eth.tx.value", "wallet.id"]);
  });

  test("the paths of fields and of written-out keys are found at once by the next expression", () => {
    const environment = makeEnvironment(REQUEST);
    const run = (source: string) => evaluate(compile("condition", source), environment);
    const other = "secret.static_properties[wallet.id]";
    run(
      `wallets.count() == 1 && activity.params.list.count() == 2 && eth.eip_712.message['s'] == '' && ${other} == ''`,
    );
    expect([...(environment.found ?? [])].map(([path]) => path)).toEqual([
      ...[
        "activity.params.list",
        "eth.eip_712.message['s']",
        "secret.static_properties",
        "wallet.id",
      ],
    ]);
    environment.found?.set("wallet.id", "found before");
    expect(run("wallet.id == 'found before'")).toBe(true);
  });

  test("an environment that keeps nothing is read too", () => {
    const { found: _, ...bare } = makeEnvironment(REQUEST);
    expect(evaluate(compile("condition", "wallet.id == 'wallet'"), bare)).toBe(true);
    const nobody = makeEnvironment({ approvers: [] });
    expect(
      evaluate(compile("consensus", "approvers.count == 0"), { ...nobody, found: undefined }),
    ).toBe(true);
  });
});

describe("comparisons", () => {
  const at = { eth: { tx: { value: 5, gas: 4, gas_price: 5, nonce: 6 } } };
  // With a number that is written out, with another field, and with text that is digits.
  test.each([
    ["==", false, true, false],
    ["!=", true, false, true],
    ["<", false, false, true],
    ["<=", false, true, true],
    [">", true, false, false],
    [">=", true, true, false],
  ])("5 %s 4, 5 and 6", (operator, ...expected) => {
    const values = (others: string[], left = "eth.tx.value") =>
      others.map((other) => result(`${left} ${operator} ${other}`, { request: at }));
    expect(values(["4", "5", "6"])).toEqual(expected);
    expect(values(["eth.tx.gas", "eth.tx.gas_price", "eth.tx.nonce"])).toEqual(expected);
    expect(values(["eth.tx.gas", "eth.tx.gas_price", "eth.tx.nonce"], "5")).toEqual(expected);
    const on = (day: number) => `Timestamp('2026-01-0${day}T00:00:00Z')`;
    const request = { time: { now: "2026-01-05T00:00:00Z" } };
    expect(
      [4, 5, 6].map((day) => {
        return result(`time.now ${operator} ${on(day)}`, { clause: "time", request });
      }),
    ).toEqual(expected);
  });

  const message = { n: 5n, list: [4n, 5n], text: "5", yes: true, ab: caseInsensitive("aB") };
  test.each<[string, boolean | string]>([
    ["N['n'] == '5'", true],
    ["N['n'] != '5'", false],
    ["N['n'] == '6'", false],
    ["'5' == N['n']", true],
    ["'6' != N['n']", true],
    ["N['n'] in ['4', '5']", true],
    ["N['n'] in ['4', '6']", false],
    ["'5' in N['list']", true],
    ["'6' in N['list']", false],
    ["N['list'].contains('4')", true],
    ["['4', '5'].contains(N['n'])", true],
    ["N['n'] in ['4', 'x']", "int and string cannot be compared"],
    ["N['n'] == N['text']", "int and string cannot be compared"],
    ["N['n'] in [N['text']]", "int and string cannot be compared"],
    ["N['text'] in N['list']", "string and int cannot be compared"],
    ["N['yes'] == '5'", "bool and string cannot be compared"],
    ["N['yes'] in ['4', '5']", "bool and string cannot be compared"],
    ["'5' in [N['yes']]", "string and bool cannot be compared"],
    ["'5' == N['yes']", "string and bool cannot be compared"],
    ["N['yes'] == true", true],
    ["N['yes'] != true", false],
    ["N['ab'] == 'Ab'", true],
    ["N['ab'] != 'Ab'", false],
    ["'Ab' == N['ab']", true],
    ["'Abc' == N['ab']", false],
    ["N['ab'] == N['text']", false],
    ["N['text'] == '5'", true],
    ["N['text'] == '6'", false],
    ["N['text'] != N['ab']", true],
    ["N['ab'][0..1] == 'A'", true],
    ["N['ab'][1] == 'b'", true],
    ["CaseInsensitiveString(N['ab']) == 'ab'", true],
    // A character of two code units is one position.
    ["'\u{1f511}ab'[0..3] == '\u{1f511}ab'", true],
    ["'\u{1f511}ab'[1..2] == 'a'", true],
    ["'a\u{1f511}b'[0..1] == 'a'", true],
    ["'a\u{1f511}b'[2] == 'b'", true],
    ["'\u{1f511}ab'[0..4] == ''", "position 4 is outside the text"],
    ["'\u{1f511}ab'[3] == ''", "position 3 is outside the text"],
    ["wallet.id[0..6] == 'wallet'", true],
    ["wallet.id[6..6] == ''", true],
    ["[1, 2][0..2].count() == 2", true],
    ["[1, 2][1] == 2", true],
  ])("%s: %s", (source, expected) => {
    const text = source.replaceAll("N[", "eth.eip_712.message[");
    const value = result(text, { request: { ...REQUEST, eth: { eip_712: { message } } } });
    expect(typeof value === "string" ? value.split(": ").at(-1) : value).toBe(expected);
  });
});

describe("a call that was not checked", () => {
  const checked = compile("time", "Timestamp('2026-01-01T00:00:00Z') == time.now");
  const span = { start: 0, end: 1 };
  const prepared = (name: string, ...texts: string[]) => {
    const values = texts.map((value) => ({ kind: "string", value, ...span }) as const);
    const call = { kind: "call", name, nameSpan: span, arguments: values, ...span } as const;
    return () => prepare({ ...checked, expression: call });
  };

  test.each<[string, ...string[]]>([
    ["Timestamp", "yesterday"],
    ["Timestamp"],
    ["CronSpan", "0 9 * * *", "8h", "Mars"],
    ["Other", "2026-01-01T00:00:00Z"],
    ["Other", "0 9 * * *", "8h", "UTC"],
    ["CaseInsensitiveString"],
  ])("is not run: %s of %s", (name, ...texts) => {
    expect(prepared(name, ...texts)).toThrow(new TypeError(`${name} was not checked`));
  });
});
