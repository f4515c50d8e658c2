import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  caseInsensitive,
  type Input,
  inputFromJson,
  lazyEnvironment,
  makeEnvironment,
  unread,
} from "./environment.ts";
import { compile, evaluate, evaluateDenial } from "./evaluate.ts";
import { expression, roots, tryCompile } from "./generate.testing.ts";
import type { Value } from "./values.ts";

type Request = Record<string, Input>;

/** Texts that compare without regard to case as `ci`, structs as `{ struct }`. */
function plain(value: Value | undefined): unknown {
  if (typeof value !== "object") return value;
  switch (value.kind) {
    case "folded":
      expect(value.lower).toBe(value.text.toLowerCase());
      return { ci: value.text };
    case "unusable":
      return { unusable: value.reason };
    case "instant":
      return { nanoseconds: value.nanoseconds };
    case "list":
      return value.items.map(plain);
    case "struct":
    case "map": {
      const entries = Object.entries(value.entries).map(([name, entry]) => [name, plain(entry)]);
      const fields = Object.fromEntries(entries.filter(([, entry]) => entry !== undefined));
      return value.kind === "map" ? fields : { struct: fields };
    }
  }
}

/** What the request has on a path of fields, keys and positions. */
function read(request: Request, ...path: (string | number)[]): unknown {
  let value: Value | undefined = makeEnvironment(request);
  for (const step of path) {
    if (typeof value !== "object") return undefined;
    if (value.kind === "list") value = value.items[Number(step)];
    else value = "entries" in value ? value.entries[step] : undefined;
  }
  return plain(value);
}

function params(given: Input, about: Request = { kind: "ANY" }) {
  return read({ activity: { ...about, params: given } }, "activity", "params");
}

const ADDRESS = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
const EXACT = "a number that is not an exact integer";
const LARGE = "an integer that is too large";

describe("a root that is a function", () => {
  const conditionOf = (text: string) => compile("condition", text);

  test("is called once, when an expression reads it", () => {
    let calls = 0;
    const wallet = () => {
      calls++;
      return { id: "w", imported: true };
    };
    const environment = makeEnvironment({ wallet, wallet_account: { address: "a" } });
    expect(evaluate(conditionOf("wallet_account.address == 'a'"), environment)).toBe(true);
    expect(calls).toBe(0);
    for (const text of ["wallet.id == 'w'", "wallet.imported", "wallet.id == 'w'"]) {
      expect(evaluate(conditionOf(text), environment)).toBe(true);
    }
    expect(calls).toBe(1);
  });

  test("is a mistake of the caller that its reader learns of, if it does not have its type", () => {
    const environment = makeEnvironment({ wallet: () => ({ id: 1 }) });
    for (const evaluateIn of [evaluate, evaluateDenial]) {
      expect(() => evaluateIn(conditionOf("wallet.id == 'w'"), environment)).toThrow(
        new TypeError("wallet.id is not string"),
      );
    }
    expect(() => makeEnvironment({ walet: () => ({}) })).toThrow(
      new TypeError("there is no root walet"),
    );
  });

  test("is absent if it gives nothing", () => {
    const environment = makeEnvironment({ wallet: () => undefined });
    expect(evaluate(conditionOf("wallet.id == 'w'"), environment)).toMatchObject({
      kind: "failure",
      absent: "root",
    });
  });
});

describe("an environment that converts only what is read", () => {
  test("says the same of each expression, for an ALLOW and a DENY", () => {
    fc.assert(
      fc.property(fc.array(expression, { minLength: 1, maxLength: 4 }), roots, (texts, input) => {
        const lazy = lazyEnvironment(input);
        for (const compiled of texts.flatMap((text) => tryCompile(text) ?? [])) {
          for (const evaluateIn of [evaluate, evaluateDenial]) {
            const expected = evaluateIn(compiled, makeEnvironment(input));
            expect(evaluateIn(compiled, lazy)).toEqual(expected);
            expect(evaluateIn(compiled, lazyEnvironment(input))).toEqual(expected);
          }
        }
      }),
      { numRuns: 2000 },
    );
  });

  const read = (text: string, input: Record<string, Input>) =>
    evaluate(compile("condition", text), lazyEnvironment(input));

  test("reads a path without what is beside it", () => {
    const input = {
      eth: {
        tx: {
          to: "0xAA",
          data: () => {
            throw new Error("not to be read");
          },
          contract_call_args: { amount: () => 5n },
        },
      },
      wallet: { id: 1 },
    };
    expect(read("eth.tx.to == '0xaa'", input)).toBe(true);
    expect(read("eth.tx.contract_call_args['amount'] == 5", input)).toBe(true);
    expect(() => read("eth.tx.data == '0x'", input)).toThrow("not to be read");
    expect(() => read("wallet.id == 'w'", input)).toThrow(new TypeError("wallet.id is not string"));
    expect(() => lazyEnvironment({ walet: {} })).toThrow(new TypeError("there is no root walet"));
  });

  test("finds no names that JavaScript gives to objects", () => {
    const input = { eth: { tx: { contract_call_args: {} } }, secret: { static_properties: {} } };
    for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
      for (const path of [
        `eth.tx.contract_call_args['${name}']`,
        `secret.static_properties['${name}']`,
      ]) {
        expect(read(`${path} == 'a'`, input)).toMatchObject({ kind: "failure" });
      }
    }
  });

  test("converts a list or an object once, whatever the number of paths into it", () => {
    let conversions = 0;
    const item = () => {
      conversions++;
      return "x";
    };
    const environment = lazyEnvironment({
      eth: { tx: { contract_call_args: { a: { a: { a: [item] } } } } },
    });
    for (const path of ["['a']", "['a']['a']", "['a']['a']['a']"]) {
      evaluate(compile("condition", `eth.tx.contract_call_args${path} == 'x'`), environment);
    }
    expect(conversions).toBe(1);
  });

  test.each([1, 30, 60])("reads a value that is nested %d levels deep", (levels) => {
    let args: Input = "deep";
    for (let level = 0; level < levels; level++) args = { a: args };
    const text = `eth.tx.contract_call_args${"['a']".repeat(levels)} == 'deep'`;
    expect(read(text, { eth: { tx: { contract_call_args: args } } })).toBe(true);
  });
});

describe("a value of a declared type", () => {
  test.each<[Request, string]>([
    [{ walet: {} }, "there is no root walet"],
    [{ toString: {} }, "there is no root toString"],
    [{ wallet: { idd: "w" } }, "there is no field wallet.idd"],
    [{ wallet: { toString: "w" } }, "there is no field wallet.toString"],
    [{ eth: { tx: { recipient: "w" } } }, "there is no field eth.tx.recipient"],
    [{ wallet: { imported: "yes" } }, "wallet.imported is not bool"],
    [{ wallet: { imported: 1 } }, "wallet.imported is not bool"],
    [{ eth: { tx: { value: "5" } } }, "eth.tx.value is not int"],
    [{ eth: { tx: { value: 1.5 } } }, "eth.tx.value is not int"],
    [{ eth: { tx: { value: 2 ** 53 } } }, "eth.tx.value is not int"],
    [
      { eth: { eip_712: { domain: { chain_id: "1" } } } },
      "eth.eip_712.domain.chain_id is not uint",
    ],
    [{ wallet: { id: 5 } }, "wallet.id is not string"],
    [{ wallet: { id: ["w"] } }, "wallet.id is not string"],
    [{ time: { now: 5 } }, "time.now is not timestamp"],
    [{ time: { now: "yesterday" } }, "time.now is not a date and time in UTC"],
    [{ wallets: {} }, "wallets is not list<Wallet>"],
    [{ wallets: [null] }, "wallets[0] is not Wallet"],
    [{ wallets: [{ id: "w" }, undefined] }, "wallets[1] is not Wallet"],
    [{ wallets: [{ id: "w" }, { id: 1 }] }, "wallets[1].id is not string"],
    [{ private_key: { tags: ["a", 1] } }, "private_key.tags[1] is not string"],
    [{ private_key: { tags: "a" } }, "private_key.tags is not list<string>"],
    [{ secret: { static_properties: [] } }, "secret.static_properties is not map<string, string>"],
    [{ secret: { static_properties: { a: 1 } } }, "secret.static_properties['a'] is not string"],
    [{ wallet: "w" }, "wallet is not Wallet"],
    [{ wallet: [] }, "wallet is not Wallet"],
    [{ wallet: caseInsensitive("w") }, "wallet is not Wallet"],
    [{ wallet: { imported: caseInsensitive("w") } }, "wallet.imported is not bool"],
    [{ eth: { tx: { value: caseInsensitive("1") } } }, "eth.tx.value is not int"],
    [{ private_key: { tags: caseInsensitive("a") } }, "private_key.tags is not list<string>"],
    [{ activity: { params: "x" } }, "activity.params is not an object"],
    [{ activity: { params: ["x"] } }, "activity.params is not an object"],
    [{ activity: { params: caseInsensitive("x") } }, "activity.params is not an object"],
    [
      { activity: { kind: "DELETE_POLICY", params: { policy_id: 1 } } },
      "activity.params.policy_id is not string",
    ],
  ])("%o is refused: %s", (request, message) => {
    expect(() => makeEnvironment(request)).toThrow(new TypeError(message));
  });

  test.each<[string, Input, unknown]>([
    ["from", "0xAb", { ci: "0xAb" }],
    ["data", "0xAb", "0xAb"],
    ["data", ADDRESS, ADDRESS],
    ["data", caseInsensitive("0xAb"), { ci: "0xAb" }],
    ["data", unread("odd"), { unusable: "odd" }],
    ["data", null, undefined],
    ["data", undefined, undefined],
    ["value", 5, 5n],
    ["value", -5n, -5n],
    ["value", 2 ** 53 - 1, 2n ** 53n - 1n],
    ["value", 2n ** 256n - 1n, 2n ** 256n - 1n],
    ["value", 2n ** 256n, { unusable: LARGE }],
    ["value", -(2n ** 255n), -(2n ** 255n)],
    ["value", -(2n ** 255n) - 1n, { unusable: LARGE }],
    ["value", unread("odd"), { unusable: "odd" }],
    ["contract_call_args", unread("odd"), { unusable: "odd" }],
  ])("is read as it is declared: %s of %o", (field, given, expected) => {
    expect(read({ eth: { tx: { [field]: given } } }, "eth", "tx", field)).toEqual(expected);
  });

  test("is read inside of lists and maps", () => {
    expect(read({ wallets: [{ id: "w", imported: false }] }, "wallets")).toEqual([
      { struct: { id: "w", imported: false } },
    ]);
    const secret = { static_properties: { a: "b", c: null } };
    expect(read({ secret }, "secret", "static_properties")).toEqual({ a: "b" });
    expect(read({ time: { now: "1970-01-01T00:00:01Z" } }, "time", "now")).toEqual({
      nanoseconds: 1_000_000_000n,
    });
    const chain_id = 2n ** 256n - 1n;
    expect(
      read({ eth: { eip_712: { domain: { chain_id } } } }, "eth", "eip_712", "domain"),
    ).toEqual({ struct: { chain_id } });
  });

  test("is not there if it is not set", () => {
    const { entries, kind } = makeEnvironment({ wallet: null, eth: undefined, secret: {} });
    expect(Object.keys(entries)).toEqual(["secret"]);
    expect(kind).toBe("struct");
  });

  test("inherits nothing", () => {
    const { entries } = makeEnvironment({ wallet: { id: "w" } });
    expect("toString" in entries).toBe(false);
    expect("constructor" in entries).toBe(false);
  });
});

describe("a value whose type is known only at run time", () => {
  test.each<[Input, unknown]>([
    [true, true],
    [false, false],
    ["Text", "Text"],
    ["", ""],
    [5, 5n],
    [-5, -5n],
    [0n, 0n],
    [1.5, { unusable: EXACT }],
    [Number.NaN, { unusable: EXACT }],
    [Number.POSITIVE_INFINITY, { unusable: EXACT }],
    [2 ** 53, { unusable: EXACT }],
    [2n ** 256n, { unusable: LARGE }],
    [-(2n ** 255n), -(2n ** 255n)],
    [-(2n ** 255n) - 1n, { unusable: LARGE }],
    [caseInsensitive("aB"), { ci: "aB" }],
    [unread("odd"), { unusable: "odd" }],
    [null, undefined],
    [
      [1, null, undefined, ["a"]],
      [1n, ...Array(2).fill({ unusable: "a value that is not set" }), ["a"]],
    ],
    [{ a: null, b: { c: [1.5] } }, { b: { c: [{ unusable: EXACT }] } }],
    [ADDRESS, ADDRESS],
  ])("in a message: %o", (given, expected) => {
    const message = { x: given };
    expect(read({ eth: { eip_712: { message } } }, "eth", "eip_712", "message", "x")).toEqual(
      expected,
    );
  });

  test.each([
    [ADDRESS, true],
    [ADDRESS.toLowerCase(), true],
    [ADDRESS.slice(0, -1), false],
    [`${ADDRESS}0`, false],
    [`x${ADDRESS}`, false],
    [`${ADDRESS}\n`, false],
    [ADDRESS.replace("0x", "0X"), false],
    [ADDRESS.slice(2), false],
    [ADDRESS.replace("d", "g"), false],
    ["", false],
  ])(
    "compares without regard to case if it has the form of an address: %s: %s",
    (text, isFolded) => {
      const expected = isFolded ? { ci: text } : text;
      const calls = [{ to: text }];
      const args = { eth: { tx: { contract_call_args: { to: text, calls } } } };
      expect(read(args, "eth", "tx", "contract_call_args")).toEqual({
        to: expected,
        calls: [{ to: expected }],
      });
      expect(params({ to: text, calls })).toEqual({
        struct: { to: expected, calls: [{ struct: { to: expected } }] },
      });
      expect(params({ sign_with: text }, { kind: "SIGN_TRANSACTION" })).toMatchObject({
        struct: { sign_with: expected },
      });
    },
  );

  /** Levels that are read below the given place until there are too many. */
  function levelsAt(where: (input: Input) => Request, ...path: string[]) {
    let deep: Input = 1;
    for (let i = 0; i < 70; i++) deep = i % 2 ? [deep] : { a: deep };
    const message = "a value nested deeper than 64 levels";
    let value = read(where(deep), ...path) as never;
    for (let levels = 0; ; levels++) {
      if (JSON.stringify(value) === JSON.stringify({ unusable: message })) return levels;
      value = value["struct"]?.["a"] ?? value["a"] ?? value[0];
    }
  }

  test("is read to a depth of 64 levels, counted from the root", () => {
    const at = levelsAt;
    expect(
      at((x) => ({ eth: { eip_712: { message: { x } } } }), "eth", "eip_712", "message", "x"),
    ).toBe(62);
    expect(at((x) => ({ activity: { params: { x } } }), "activity", "params", "x")).toBe(64);
    expect(
      at(
        (x) => ({ activity: { kind: "CREATE_USERS", params: { users: [x] } } }),
        ...["activity", "params", "users", "0"],
      ),
    ).toBe(63);
    const call = (x: Input) => ({ parsed_instruction_data: { program_call_args: { x } } });
    expect(
      at(
        (x) => ({ solana: { tx: { instructions: [call(x)] } } }),
        ...[
          "solana",
          "tx",
          "instructions",
          "0",
          "parsed_instruction_data",
          "program_call_args",
          "x",
        ],
      ),
    ).toBe(59);
  });
});

describe("parameters of an activity", () => {
  const left = { unusable: "a parameter that the request leaves out" };

  test.each<[string, Request]>([
    ["its kind", { kind: "UPDATE_POLICY" }],
    ["its type", { type: "ACTIVITY_TYPE_UPDATE_POLICY" }],
    ["its type of a version", { type: "ACTIVITY_TYPE_UPDATE_POLICY_V2" }],
    ["its kind rather than its type", { kind: "UPDATE_POLICY", type: "ACTIVITY_TYPE_X" }],
  ])("are known by %s", (_, about) => {
    expect(params({ policy_id: "p", policy_notes: null, more: [1] }, about)).toMatchObject({
      struct: { policy_id: "p", policy_condition: left, policy_notes: left, more: [1n] },
    });
  });

  test.each<[string, Request]>([
    ["an unknown kind", { kind: "X" }],
    ["a kind that JavaScript knows", { kind: "toString" }],
    ["the kind of another type", { kind: "X", type: "ACTIVITY_TYPE_UPDATE_POLICY" }],
    ["no kind", {}],
    ["a kind with a version", { kind: "UPDATE_POLICY_V2" }],
    ["a type without its prefix at the start", { type: "X_ACTIVITY_TYPE_UPDATE_POLICY" }],
  ])("of %s are read as they are", (_, about) => {
    expect(params({ policy_id: 1, none: null }, about)).toEqual({ struct: { policy_id: 1n } });
  });

  test("whose names JavaScript knows are read as they are", () => {
    const given = { toString: 1, constructor: "x" };
    expect(params(given, { kind: "DELETE_POLICY" })).toEqual({
      struct: { toString: 1n, constructor: "x", policy_id: left },
    });
  });

  test("that are not set are not there", () => {
    expect(params(null)).toBeUndefined();
    expect(params(undefined)).toBeUndefined();
    expect(params({})).toEqual({ struct: {} });
  });

  test.each([
    ["OTP_LOGIN", ""],
    ["STAMP_LOGIN", ""],
    ["OAUTH_LOGIN", ""],
    ["CREATE_USERS", undefined],
  ])("of %s: a session profile that is not given reads as %o", (kind, expected) => {
    const profileOf = (given: Request) =>
      (params(given, { kind }) as { struct: Request }).struct["session_profile_id"];
    expect(profileOf({})).toBe(expected);
    expect(profileOf({ session_profile_id: "p" })).toBe("p");
  });

  test("of a type that has defaults are filled in", () => {
    const signature = { message: "m", operator_commitments: [{ id: "1" }] };
    expect(params({ signatures: [signature] }, { kind: "SPARK_SIGN_FROST" })).toEqual({
      struct: {
        sign_with: left,
        signatures: [
          {
            struct: {
              derivation: {
                struct: {
                  type: "",
                  signing_leaf: { struct: { leaf_id: "" } },
                  static_deposit: { struct: { index: 0n } },
                },
              },
              message: "m",
              verifying_key: "",
              operator_commitments: [{ struct: { id: "1", hiding: "", binding: "" } }],
              adaptor_public_key: "",
            },
          },
        ],
      },
    });
    const about = { kind: "SPARK_PREPARE_LIGHTNING_RECEIVE" };
    const given = { lightning_receive: { threshold: 2 } };
    expect(params({ sign_with: "s", ...given }, about)).toEqual({
      struct: {
        sign_with: "s",
        lightning_receive: { struct: { threshold: 2n, operator_recipients: [] } },
      },
    });
  });
});

describe("an input from JSON", () => {
  const message = (json: unknown) =>
    read({ eth: { eip_712: { message: inputFromJson(json) } } }, "eth", "eip_712", "message");

  test.each<[unknown, unknown]>([
    [{ $int: "-12" }, -12n],
    [
      { $uint: "115792089237316195423570985008687907853269984665640564039457584007913129639935" },
      2n ** 256n - 1n,
    ],
    [{ $int: "9".repeat(100) }, { unusable: LARGE }],
    [{ $ci: "aB" }, { ci: "aB" }],
    [{ $unread: "odd" }, { unusable: "odd" }],
    [{ $ci: 5 }, { $ci: 5n }],
    [
      { $ci: "a", $int: "1" },
      { $ci: "a", $int: "1" },
    ],
    [{ $other: "a" }, { $other: "a" }],
    [{}, {}],
    [
      [{ $int: "1" }, [true]],
      [1n, [true]],
    ],
    [{ a: { b: { $ci: "x" } } }, { a: { b: { ci: "x" } } }],
    ["text", "text"],
    [5, 5n],
    [1.5, { unusable: EXACT }],
    [false, false],
    [null, undefined],
    [undefined, undefined],
  ])("%o", (json, expected) => {
    expect(message({ x: json })).toEqual(expected === undefined ? {} : { x: expected });
  });

  test.each([
    { $int: "x" },
    { $int: "" },
    { $uint: "1.5" },
    { $int: "+1" },
    { $int: "1\n" },
    { $int: "1".repeat(101) },
    { $int: " 1" },
  ])("%o is not a number", (json) => {
    expect(() => inputFromJson(json)).toThrow(new TypeError("$int and $uint take decimal digits"));
  });

  test("without a value is not set", () => {
    expect([inputFromJson(null), inputFromJson(undefined)]).toEqual([undefined, undefined]);
  });

  test("keeps a name that JavaScript knows", () => {
    const read = message(JSON.parse('{"__proto__": "x"}'));
    expect(Object.entries(read as object)).toEqual([["__proto__", "x"]]);
  });
});
