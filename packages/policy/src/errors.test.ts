import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Clause } from "./ast.ts";
import { cpuTime } from "./cpu-time.testing.ts";
import { nearest, PolicyError, describe as write } from "./errors.ts";
import { compile } from "./evaluate.ts";
import { parse } from "./parse.ts";
import { vectors } from "./vectors.testing.ts";

const isLong = process.env.KEYHEARTH_LONG === "1";

function errorOf(source: string, clause: Clause = "condition"): PolicyError {
  try {
    compile(clause, source);
  } catch (error) {
    if (error instanceof PolicyError) return error;
    throw error;
  }
  throw new Error(`\`${source}\` has no error`);
}

describe("an error", () => {
  test("points to the place, in lines and characters", () => {
    expect(write(errorOf("wallet.id == '\u{1f511}' &&\n\twalet.id == 'x'"))).toBe(
      [
        "field does not exist: `walet.id`; did you mean `wallet.id`?",
        "line 2, column 2",
        "\twalet.id == 'x'",
        "\t^^^^^^^^",
        "expected one of `activity`, `wallet`, `wallet_account`, `private_key`, `wallets`, " +
          "`secret`, `eth`, `solana`, `tron`, `bitcoin`, `tempo`",
      ].join("\n"),
    );
    expect(write(errorOf("CronSpan('0 9 * * *', '8 hours', 'UTC')", "time"))).toBe(
      [
        "this is not a duration of at most 7 days",
        "line 1, column 23",
        "CronSpan('0 9 * * *', '8 hours', 'UTC')",
        "                      ^^^^^^^^^",
        "expected days, hours and minutes such as `8h`, `90m` or `1d12h`",
      ].join("\n"),
    );
    expect(errorOf("'\u{1f511}' = 'x'")).toMatchObject({ start: 5, end: 6, line: 1, column: 5 });
  });

  test("shows a window of a long line", () => {
    const { excerpt, column } = errorOf(`${"true || ".repeat(500)}walet.id == 'x'`);
    const [line = "", carets = ""] = excerpt.split("\n");
    expect(column).toBe(4001);
    expect(line.slice(carets.indexOf("^"), carets.length)).toBe("walet.id");
    expect(line.length).toBeLessThanOrEqual(100);
  });

  test.each([
    ["walet.id == 'x'", "wallet.id"],
    ["walet == 'x'", "wallet"],
    ["wallet.idd == 'x'", "wallet.id"],
    ["eth.gas_price < 1", "eth.tx.gas_price"],
    ["eth.tx.gasPrice < 1", "eth.tx.gas_price"],
    ["solana.tx.transfers.any(t, t.ammount == 1)", "t.amount"],
    ["solana.tx.transfers[0].ammount == 1", "amount"],
    ["caseInsensitivestring('a') == 'a'", "CaseInsensitiveString"],
    ["wallets.contain('a')", "contains"],
    ["true and false", "&&"],
    ["true & false", "&&"],
    ["1 = 1", "=="],
    ['wallet.id == "x"', "'"],
    ["bank.tx.amount == 1", undefined],
  ])("%s: did you mean %s?", (source, suggestion) => {
    const error = errorOf(source);
    expect(error.suggestion).toBe(suggestion);
    expect(error.message.includes("did you mean")).toBe(suggestion !== undefined);
  });

  test.each<[string, Clause, string]>([
    ["true &&", "condition", "POLICY_PARSE"],
    ["", "consensus", "POLICY_PARSE"],
    ["1 == '1'", "condition", "POLICY_TYPE"],
    ["wallet.name == '1'", "condition", "POLICY_UNKNOWN_FIELD"],
    ["approvers.count() > 1", "condition", "POLICY_WRONG_ROOT"],
    ["activity.type == 'x'", "consensus", "POLICY_WRONG_ROOT"],
    ["wallet.id == 'x'", "time", "POLICY_WRONG_ROOT"],
    ["time.now == time.now", "condition", "POLICY_WRONG_ROOT"],
    ["CronSpan('0 9 * * *', '8h', 'UTC')", "condition", "POLICY_TYPE"],
  ])("%s as %s: %s", (source, clause, code) => {
    expect(errorOf(source, clause).code).toBe(code);
  });
});

describe("limits", () => {
  test("an expression has at most 16384 characters", () => {
    const longest = `'${"x".repeat(16_384 - 7)}'== ''`;
    expect(longest).toHaveLength(16_384);
    expect(() => compile("condition", longest)).not.toThrow();
    expect(errorOf(`${longest} `)).toMatchObject({ code: "POLICY_PARSE", start: 16_384 });
  });

  test.each([
    ["parentheses", (n: number) => `${"(".repeat(n)}true${")".repeat(n)}`],
    ["negations", (n: number) => `${"!".repeat(n)}true`],
    ["lists", (n: number) => `${"[".repeat(n)}1${"]".repeat(n)}.count() == 1`],
    ["fields", (n: number) => `activity.params${".a".repeat(n)}`],
    ["calls", (n: number) => `[1]${".filter(x, true)".repeat(n)}.count() == 1`],
  ])("%s are nested at most 64 levels deep", (_, nest) => {
    expect(() => compile("condition", nest(60))).not.toThrow();
    expect(errorOf(nest(70)).message).toBe("the expression is nested deeper than 64 levels");
    expect(errorOf(nest(900)).code).toBe("POLICY_PARSE");
  });

  test("a row of operators is not nesting", () => {
    expect(() => compile("condition", "true && ".repeat(2000).concat("true"))).not.toThrow();
  });
});

describe("any text", () => {
  const pieces = [
    ..."()[]{}<>!=&|.,:-'\"\\ \n\t",
    "..",
    "&&",
    "||",
    "==",
    "in",
    "true",
    "0",
    "99999999999999999999999999999999999999999999999999999999999999999999999999999999",
    "x",
    "wallet.id",
    "eth.tx.data[0..10]",
    "activity.params",
    ".any(x, ",
    ".count()",
    "Timestamp('2026-01-01T00:00:00Z')",
    "CronSpan('0 9 * * *', '8h', 'UTC')",
    "__proto__",
    "constructor",
    "\u{1f511}",
    "\ud800",
    "\0",
  ];
  const soup = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((some) => some.join(""));
  const cut = fc
    .tuple(fc.constantFrom(...vectors.cases), fc.nat(200), fc.nat(20), fc.constantFrom(...pieces))
    .map(([{ expression }, at, length, piece]) => {
      return expression.slice(0, at) + piece + expression.slice(at + length);
    });

  test("either compiles or fails with an error of ours that points into it", {
    timeout: 700_000,
  }, () => {
    const time = isLong ? 600_000 : 2000;
    fc.assert(
      fc.property(
        fc.oneof(soup, cut, fc.string({ unit: "binary" })),
        fc.constantFrom<Clause>("condition", "consensus", "time"),
        (source, clause) => {
          try {
            compile(clause, source);
          } catch (error) {
            if (!(error instanceof PolicyError)) throw error;
            expect(error.start).toBeGreaterThanOrEqual(0);
            expect(error.end).toBeGreaterThanOrEqual(error.start);
            expect(error.end).toBeLessThanOrEqual(source.length);
          }
        },
      ),
      {
        numRuns: Number.MAX_SAFE_INTEGER,
        interruptAfterTimeLimit: time,
        markInterruptAsFailure: false,
      },
    );
  });

  test("of the greatest length gets an answer at once", () => {
    const spent = cpuTime();
    for (const piece of pieces) {
      const source = piece.repeat(Math.ceil(16_384 / piece.length)).slice(0, 16_384);
      try {
        parse(source);
      } catch (error) {
        expect(error).toBeInstanceOf(PolicyError);
      }
    }
    expect(spent()).toBeLessThan(3000);
  });
});

describe("the nearest name", () => {
  /** All edits, swaps of neighbours among them, tried one after the other. */
  function edits(a: string, b: string): number {
    const known = new Map<string, number>();
    const between = (i: number, j: number): number => {
      if (i === 0 || j === 0) return i + j;
      const key = `${i} ${j}`;
      const before = known.get(key);
      if (before !== undefined) return before;
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const least = Math.min(
        between(i - 1, j) + 1,
        between(i, j - 1) + 1,
        between(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
        isSwap ? between(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
      known.set(key, least);
      return least;
    };
    return between(a.length, b.length);
  }

  test("is the first of those with the fewest edits, up to a third of what was typed", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 24 });
    fc.assert(
      fc.property(word, fc.array(word, { maxLength: 6 }), (typed, candidates) => {
        const most = Math.max(1, Math.floor(typed.length / 3));
        const counts = candidates.map((candidate) => edits(typed, candidate));
        const least = Math.min(...counts);
        const expected = least <= most ? candidates[counts.indexOf(least)] : undefined;
        expect(nearest(typed, candidates)).toBe(expected);
      }),
    );
  });

  test("of hundreds of unknown fields is found soon", () => {
    const typed = [60, 80, 98].flatMap((length) => [
      "eth.tx.q".padEnd(length, "q"),
      "solana.tx.instructions.parsedinstructiondata.".padEnd(length, "q"),
      "q".repeat(length - 40) + "bitcoin.tx.inputs.parsedinstructiondatatx".slice(0, 40),
    ]);
    const worked = cpuTime();
    for (let i = 0; i < 300; i++) {
      const path = typed[i % typed.length] ?? "";
      expect(() => compile("condition", `${path} == 1`)).toThrow(PolicyError);
    }
    expect(worked()).toBeLessThan(250);
  });
});
