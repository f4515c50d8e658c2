import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { trace } from "./advice/trace.ts";
import { cpuTime } from "./cpu-time.testing.ts";
import { caseInsensitive, makeEnvironment } from "./environment.ts";
import { PolicyError } from "./errors.ts";
import { compile, evaluate } from "./evaluate.ts";
import { expression, roots } from "./generate.testing.ts";
import { parse } from "./parse.ts";
import { print } from "./print.ts";
import { interpret } from "./reference.testing.ts";
import { bare } from "./vectors.testing.ts";

const isLong = process.env.KEYHEARTH_LONG === "1";

function valueIn(source: string, environment = makeEnvironment({})) {
  const value = evaluate(compile("condition", source), environment);
  return typeof value === "boolean" ? value : value.reason;
}

describe("two evaluators", () => {
  test("agree on generated policies and requests", { timeout: isLong ? 3_600_000 : 60_000 }, () => {
    const outcomes = { true: 0, false: 0, error: 0, refused: 0 };
    fc.assert(
      fc.property(expression, roots, (source, request) => {
        let compiled: ReturnType<typeof compile>;
        try {
          compiled = compile("condition", source);
        } catch (error) {
          if (!(error instanceof PolicyError)) throw error;
          outcomes.refused++;
          return;
        }
        const environment = makeEnvironment(request);
        const expected = interpret(compiled.expression, environment);
        const value = evaluate(compiled, environment);
        expect(typeof value === "boolean" ? value : "error").toBe(expected);
        outcomes[String(expected) as keyof typeof outcomes]++;
      }),
      { numRuns: isLong ? 1_000_000 : 20_000 },
    );
    // The generator must reach all three outcomes, or the agreement says little.
    for (const outcome of ["true", "false", "error"] as const) {
      expect(outcomes[outcome]).toBeGreaterThan(300);
    }
    expect(outcomes.refused).toBeLessThan(5000);
  });

  test("a generated expression is printed and read back as the same tree, and its trace ends in its value", () => {
    fc.assert(
      fc.property(expression, roots, (source, request) => {
        let compiled: ReturnType<typeof compile>;
        try {
          compiled = compile("condition", source);
        } catch {
          return;
        }
        const tree = compiled.expression;
        expect(bare(parse(print(tree)))).toEqual(bare(tree));
        const environment = makeEnvironment(request);
        expect(trace(compiled, environment).value).toEqual(evaluate(compiled, environment));
      }),
      { numRuns: isLong ? 50_000 : 1000 },
    );
  });
});

describe("integers", () => {
  test("are exact up to 256 bits, and beyond them a value cannot be used", () => {
    const at = (value: bigint) => makeEnvironment({ eth: { tx: { value } } });
    const most = 2n ** 256n - 1n;
    expect(valueIn(`eth.tx.value == ${most}`, at(most))).toBe(true);
    expect(valueIn(`eth.tx.value == ${most}`, at(most - 1n))).toBe(false);
    expect(valueIn("eth.tx.value > 0", at(2n ** 256n))).toBe(
      "this is an integer that is too large",
    );
  });

  test("of a signed contract type are exact over their whole range", () => {
    const at = (delta: bigint) =>
      makeEnvironment({ eth: { tx: { contract_call_args: { delta } } } });
    const source = "eth.tx.contract_call_args['delta'] > 1000";
    expect(valueIn(source, at(2n ** 255n - 1n))).toBe(true);
    expect(valueIn(source, at(2n ** 127n))).toBe(true);
    expect(valueIn(source, at(-(2n ** 255n)))).toBe(false);
    expect(valueIn(source, at(-(2n ** 255n) - 1n))).toBe("this is an integer that is too large");
  });
});

describe("quoted digits", () => {
  const environment = makeEnvironment({
    eth: { eip_712: { message: { amount: 10n, list: [10n, 20n], text: "10", debt: -5n } } },
  });
  const amount = "eth.eip_712.message['amount']";

  test.each([
    [`${amount} == '10'`, true],
    [`'10' == ${amount}`, true],
    [`${amount} != '10'`, false],
    [`${amount} == '11'`, false],
    [`${amount} in ['9', '10']`, true],
    [`['9', '11'].contains(${amount})`, false],
    ["'10' in eth.eip_712.message['list']", true],
    ["eth.eip_712.message['list'].contains('30')", false],
    ["eth.eip_712.message['list'].all(x, x != '30')", true],
    ["eth.eip_712.message['debt'] == '-5'", true],
  ])("are compared with an integer: %s: %s", (source, value) => {
    expect(valueIn(source, environment)).toBe(value);
  });

  test.each([
    `${amount} == '010'`,
    `${amount} == '0xa'`,
    `${amount} == '+10'`,
    `${amount} == ' 10'`,
    `${amount} == ''`,
    `${amount} in ['10', 'x']`,
    `${amount} in []  || ${amount} == eth.eip_712.message['text']`,
    "eth.eip_712.message['text'] == 10",
  ])("of another form, or that are not written out, are not: %s", (source) => {
    expect(valueIn(source, environment)).toMatch(/cannot be compared/);
  });
});

describe("strings", () => {
  test("are counted in characters, not in code units", () => {
    expect(valueIn("'\u{1f511}ab'[1] == 'a' && '\u{1f511}ab'[0..2] == '\u{1f511}a'")).toBe(true);
    expect(valueIn("'\u{1f511}'[1] == ''")).toBe("position 1 is outside the text");
    expect(valueIn("'\u{1f511}'[0..2] == ''")).toBe("position 2 is outside the text");
  });

  test("fold A to Z only", () => {
    const at = (label: string) => {
      return makeEnvironment({ eth: { eip_712: { message: { x: caseInsensitive(label) } } } });
    };
    expect(valueIn("eth.eip_712.message['x'] == 'ABC'", at("abc"))).toBe(true);
    expect(valueIn("eth.eip_712.message['x'] in ['abC']", at("aBc"))).toBe(true);
    expect(valueIn("eth.eip_712.message['x'] == 'k'", at("\u212a"))).toBe(false);
    expect(valueIn("eth.eip_712.message['x'] != 'É'", at("é"))).toBe(true);
  });
});

describe("names that JavaScript knows", () => {
  test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
    "%s is not a key",
    (name) => {
      const environment = makeEnvironment({
        secret: { static_properties: {} },
        activity: { params: {} },
        eth: { eip_712: { message: {} } },
      });
      for (const path of [
        `secret.static_properties['${name}']`,
        `eth.eip_712.message['${name}']`,
        `activity.params.${name}`,
      ]) {
        expect(valueIn(`${path} == 'x'`, environment)).toMatch(/not set|no key/);
      }
    },
  );

  test("a key of that name is found where it is given", () => {
    const message = JSON.parse('{"__proto__": "x"}');
    const environment = makeEnvironment({ eth: { eip_712: { message } } });
    expect(valueIn("eth.eip_712.message['__proto__'] == 'x'", environment)).toBe(true);
  });
});

describe("work", () => {
  test("an evaluation ends once its steps are used up, however deep the loops", () => {
    const list = `[${Array.from({ length: 60 }, (_, i) => i).join(", ")}]`;
    const loops = `${list}.all(a, ${list}.all(b, ${list}.all(c, a + b)))`.replace(
      "a + b",
      "a <= 60",
    );
    const spent = cpuTime();
    expect(valueIn(loops)).toBe("the evaluation takes more than 100000 steps");
    expect(spent()).toBeLessThan(1000);
  });

  test("a character of a long text is found without the rest of it", () => {
    const data = `\u{1f600}${"\u6f22".repeat(340_000)}`;
    const environment = makeEnvironment({ eth: { tx: { data, to: "" } } });
    expect(valueIn("eth.tx.data[0] == '\u{1f600}'", environment)).toBe(true);
    expect(valueIn("eth.tx.data[1..3] == '\u6f22\u6f22'", environment)).toBe(true);
    expect(valueIn("eth.tx.data[0..0] == ''", environment)).toBe(true);
    const pair = makeEnvironment({ eth: { tx: { data: "\u{1f600}\u{1f600}", to: "" } } });
    expect(valueIn("eth.tx.data[1..2] == '\u{1f600}'", pair)).toBe(true);
    expect(valueIn("eth.tx.data[0..3] == ''", pair)).toBe("position 3 is outside the text");
    const spent = cpuTime();
    for (let i = 0; i < 100; i++) valueIn("eth.tx.data[0] == 'x'", environment);
    expect(spent()).toBeLessThan(100);
  });

  test("long texts count by their length", () => {
    const data = `0x${"ab".repeat(100_000)}`;
    const environment = makeEnvironment({ eth: { tx: { data, to: "" } } });
    const list = `[${Array.from({ length: 1000 }, () => 0).join(", ")}]`;
    expect(valueIn(`${list}.all(i, eth.tx.data[0..200000] == eth.tx.data)`, environment)).toBe(
      "the evaluation takes more than 100000 steps",
    );
  });
});

describe("an environment", () => {
  test("refuses a value that does not have its declared type", () => {
    expect(() => makeEnvironment({ walet: {} })).toThrow("there is no root walet");
    expect(() => makeEnvironment({ wallet: { idd: "w" } })).toThrow("there is no field wallet.idd");
    expect(() => makeEnvironment({ wallet: { id: 5 } })).toThrow("wallet.id is not string");
    expect(() => makeEnvironment({ eth: { tx: { value: "5" } } })).toThrow(
      "eth.tx.value is not int",
    );
    expect(() => makeEnvironment({ wallets: [null] })).toThrow("wallets[0] is not Wallet");
    expect(() => makeEnvironment({ time: { now: "yesterday" } })).toThrow("time.now is not");
  });

  test("fills fields that an activity leaves out if their type says so", () => {
    const environment = makeEnvironment({
      activity: { kind: "SPARK_SIGN_FROST", params: { signatures: [{ message: "00" }] } },
    });
    const signature = "activity.params.signatures[0]";
    expect(valueIn(`${signature}.adaptor_public_key == ''`, environment)).toBe(true);
    expect(valueIn(`${signature}.derivation.static_deposit.index == 0`, environment)).toBe(true);
    const login = makeEnvironment({ activity: { type: "ACTIVITY_TYPE_OTP_LOGIN_V2", params: {} } });
    expect(valueIn("activity.params.session_profile_id == ''", login)).toBe(true);
  });

  test("compares addresses among the parameters in any case, and other text exactly", () => {
    const address = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
    const params = { sign_with: address, name: "Ada", accounts: [{ address }] };
    const environment = makeEnvironment({ activity: { params } });
    const lower = address.toLowerCase();
    expect(valueIn(`activity.params.sign_with == '${lower}'`, environment)).toBe(true);
    expect(valueIn(`activity.params.sign_with in ['${lower}']`, environment)).toBe(true);
    expect(valueIn(`activity.params.accounts[0].address != '${lower}'`, environment)).toBe(false);
    expect(valueIn("activity.params.name == 'ada'", environment)).toBe(false);
    const signing = makeEnvironment({ activity: { kind: "SIGN_TRANSACTION", params } });
    expect(valueIn(`activity.params.sign_with == '${lower}'`, signing)).toBe(true);
  });

  test("cannot be marked from within a request", () => {
    const message = { x: { $ci: "AB" }, y: { kind: "folded", text: "AB", lower: "ab" } };
    const environment = makeEnvironment({ eth: { eip_712: { message } } });
    expect(valueIn("eth.eip_712.message['x'] == 'ab'", environment)).toMatch(/cannot be compared/);
    expect(valueIn("eth.eip_712.message['y'] == 'ab'", environment)).toMatch(/cannot be compared/);
  });

  test("holds values nested too deep, but cannot use them", () => {
    let deep: unknown[] = [];
    for (let i = 0; i < 50_000; i++) deep = [deep];
    const message = { deep } as never;
    const environment = makeEnvironment({ eth: { eip_712: { message } } });
    expect(valueIn("eth.eip_712.message['deep'].count() == 1", environment)).toBe(true);
  });
});
