import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Clause } from "../ast.ts";
import { check } from "../check.ts";
import { type Input, makeEnvironment } from "../environment.ts";
import { compile, evaluate } from "../evaluate.ts";
import { expression, roots } from "../generate.testing.ts";
import { parse } from "../parse.ts";
import { newReading, readPart } from "./clause-formulas.ts";
import { not } from "./formula.ts";
import { newVocabulary } from "./reading-context.ts";
import { isSatisfiable, type World } from "./satisfiability.ts";
import type { Statement } from "./terms.ts";

function statementOf(source: string, clause: Clause): Statement {
  const checked = check(clause, source, parse(source));
  const vocabulary = newVocabulary({
    isSatisfiable: (statement) => isSatisfiable([statement], { steps: 100 }),
  });
  return readPart(checked.expression, newReading(checked, vocabulary));
}

function verdict(source: string, clause: Clause = "condition", world?: World): boolean | undefined {
  const statement = statementOf(source, clause);
  if (!isSatisfiable([statement], { steps: 10_000 }, world)) return false;
  return isSatisfiable([not(statement)], { steps: 10_000 }, world) ? undefined : true;
}

describe("a clause is proved", () => {
  test.each<[string, boolean | undefined]>([
    ["true", true],
    ["1 == 2", false],
    ["wallet.id == 'a'", undefined],
    ["wallet.id == 'a' && wallet.id == 'b'", false],
    ["wallet.id == 'a' && wallet.id == 'A'", false],
    ["wallet.id != 'a' || wallet.id != 'b'", true],
    ["wallet.id in ['a', 'b'] && wallet.id == 'c'", false],
    ["wallet.id in ['a', 'b'] && !['b', 'c'].contains(wallet.id) && 'a' != wallet.id", false],
    ["wallet.id == 'a' && (wallet.id == 'b' || wallet.id in ['c'])", false],
    ["(wallet.id == 'a' || wallet.id == 'b') && wallet.id == 'b'", undefined],
    ["['a', 'b'].any(x, x == wallet.id) && wallet.id == 'c'", false],
    ["wallet.imported == wallet.imported", true],
    ["(wallet.imported == true) == (wallet.imported != false)", true],
    ["wallet.imported && wallet.imported == false", false],
    ["!(wallet.imported && !wallet.imported)", true],
    // Addresses of transactions compare without regard to case, ids do not.
    ["eth.tx.to == '0xAb' && eth.tx.to != '0xaB'", false],
    ["eth.tx.to == '0xab' && eth.tx.to == '0xaB'", undefined],
    ["wallet.id == '0xab' && wallet.id == '0xaB'", false],
    // The case of a contract's argument depends on its type.
    ["eth.tx.contract_call_args['x'] == 'ab' && eth.tx.contract_call_args['x'] == 'aB'", undefined],
    ["eth.tx.contract_call_args['x'] == 'ab' && eth.tx.contract_call_args['x'] == 'ac'", false],
    ["['x', eth.tx.to].any(y, y == 'ab' && y == 'AB')", undefined],
    ["CaseInsensitiveString(wallet.id) == 'Ab'", false],
    ["CaseInsensitiveString(wallet.id) == CaseInsensitiveString('Ab')", undefined],
    // Numbers.
    ["eth.tx.value > 5 && eth.tx.value < 5", false],
    ["eth.tx.value >= 5 && eth.tx.value <= 5 && eth.tx.value != 5", false],
    ["eth.tx.value > 4 && 6 > eth.tx.value && eth.tx.value != 5", false],
    ["eth.tx.value > 4 || eth.tx.value <= 4", true],
    ["eth.tx.value > 4 || eth.tx.value < 4", undefined],
    ["eth.tx.value in [1, 2, 3] && eth.tx.value > 3", false],
    ["eth.tx.value == eth.tx.nonce && eth.tx.value != eth.tx.nonce", false],
    ["eth.tx.value < eth.tx.nonce && eth.tx.nonce <= eth.tx.value", false],
    // Parts of text.
    ["eth.tx.data[0..10] == '0xa9059cb'", false],
    ["eth.tx.data[0..10] != '0xa9059cb'", true],
    ["eth.tx.data[0..10] == '0xa9059cbb'", undefined],
    ["eth.tx.data[0] == '0x'", false],
    ["eth.tx.data == '0x' && eth.tx.data[0..10] == '0xa9059cbb'", false],
    ["eth.tx.data == '0xa9059cbb' && eth.tx.data[0..4] != '0xa9'", false],
    // Lists.
    ["wallets.count() >= 0", true],
    ["wallets.count() < 0", false],
    ["wallets.count == 2 && wallets.count() == 3", false],
    ["wallets.any(w, w.id == 'a') && wallets.count() == 0", false],
    ["wallets.any(w, w.id == 'a') && wallets.all(x, x.id != 'a')", false],
    ["wallets.any(w, w.id == 'a' && w.id == 'b')", false],
    ["wallets.all(w, w.id == 'a' || w.id != 'a')", true],
    ["wallets.filter(w, w.id == 'a').count() > 3 && wallets.count() <= 3", false],
    ["wallets.any(w, wallets.any(v, v.id == w.label)) && wallets.count() < 1", false],
    ["'a' in private_key.tags && !private_key.tags.contains('a')", false],
    // Nothing is in an empty list, whatever form it has.
    ["secret.static_properties['k'] in []", false],
    ["eth.tx.contract_call_args['x'] in []", false],
    ["[wallet.id].all(x, x in [])", undefined],
    ["[secret.static_properties['k']].all(x, x in [])", undefined],
    // An inner name hides an outer one.
    ["wallets.any(w, w.id == 'a' && wallets.any(w, w.id == 'b'))", undefined],
    // Activities.
    [
      "activity.type == 'ACTIVITY_TYPE_CREATE_USERS_V4' && activity.kind == 'CREATE_USERS'",
      undefined,
    ],
    ["activity.type == 'ACTIVITY_TYPE_CREATE_USERS_V4' && activity.kind == 'CREATE_WALLET'", false],
  ])("%s: %o", (source, expected) => {
    expect(verdict(source)).toBe(expected);
  });

  test.each<[string, boolean | undefined]>([
    ["approvers.count() >= 1", true],
    ["approvers.count() == 0", false],
    ["approvers.filter(u, u.id == 'a').count() >= 1", undefined],
    ["approvers.any(u, u.id == 'a') && approvers.filter(v, v.id == 'a').count() == 0", false],
    ["approvers.filter(u, u.id == 'a').count() == approvers.count()", undefined],
  ])("%s as consensus: %o", (source, expected) => {
    expect(verdict(source, "consensus")).toBe(expected);
  });

  test.each<[string, boolean | undefined]>([
    [
      "time.now > Timestamp('2026-01-02T00:00:00Z') && time.now < Timestamp('2026-01-01T00:00:00Z')",
      false,
    ],
    [
      "time.now > Timestamp('2026-01-01T00:00:00Z') && time.now < Timestamp('2026-01-02T00:00:00Z')",
      undefined,
    ],
    ["CronSpan('0 9 * * *', '8h', 'UTC') && !CronSpan('0 9 * * *', '8h', 'UTC')", false],
    ["CronSpan('0 9 * * *', '8h', 'UTC')", undefined],
  ])("%s as time: %o", (source, expected) => {
    expect(verdict(source, "time")).toBe(expected);
  });
});

const isLong = process.env.KEYHEARTH_LONG === "1";

describe("a proof about generated clauses", () => {
  const some = fc.array(roots, { minLength: 5, maxLength: 20 });

  test("holds in generated requests", { timeout: 700_000 }, () => {
    let proved = 0;
    fc.assert(
      fc.property(expression, some, (source, requests) => {
        const claim = verdict(source);
        if (claim === undefined) return;
        proved++;
        const compiled = compile("condition", source);
        for (const request of requests) {
          const value = evaluate(compiled, makeEnvironment(request as Record<string, Input>));
          if (typeof value === "boolean") expect(value).toBe(claim);
        }
      }),
      {
        numRuns: Number.MAX_SAFE_INTEGER,
        interruptAfterTimeLimit: isLong ? 600_000 : 2000,
        markInterruptAsFailure: false,
      },
    );
    expect(proved).toBeGreaterThan(100);
  });
});

describe("among all requests of a small world", () => {
  const test1 = fc.constantFrom(
    ...["wallet.id == 'a'", "wallet.id != 'b'", "wallet.id in ['a', 'c']", "'c' != wallet.id"],
    ...["['a', 'b'].contains(wallet.id)"],
    ...["wallet.imported", "wallet.imported == false", "wallet.imported != wallet.exported"],
    ...["eth.tx.value > 1", "eth.tx.value <= 1", "2 > eth.tx.value", "eth.tx.value in [0, 3]"],
    ...["eth.tx.value != 2", "eth.tx.value == 3", "eth.tx.to == '0xA'", "eth.tx.to != '0xa'"],
    ...["eth.tx.to in ['0xa', '0xB']", "['0xB', '0xC'].any(x, x == eth.tx.to)"],
  );
  const tests = fc.oneof(
    { arbitrary: test1, weight: 5 },
    fc.constantFrom(
      ...["wallet.id[0] == 'a'", "wallet.id[0..1] != 'b'"],
      ...["wallets.any(w, w.id == 'a')", "wallets.all(w, w.id != 'a')", "wallets.count() > 1"],
      ...["wallets.filter(w, w.id == 'a').count() == 2", "wallets.all(v, v.id in ['a', 'b'])"],
      ...["wallets.filter(w, w.id != 'a').count() < 1", "wallets.count() == 0"],
    ),
  );
  const formula = (atom: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc.letrec<{ some: string }>((tie) => ({
      some: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        { arbitrary: atom, weight: 3 },
        fc.array(tie("some"), { minLength: 2, maxLength: 4 }).map((all) => `(${all.join(" && ")})`),
        fc.array(tie("some"), { minLength: 2, maxLength: 4 }).map((all) => `(${all.join(" || ")})`),
        tie("some").map((one) => `!(${one})`),
        fc.tuple(tie("some"), tie("some")).map(([a, b]) => `((${a}) == (${b}))`),
      ),
    })).some;

  function* requests(): Generator<Record<string, Input>> {
    for (const id of ["a", "b", "c", "d"])
      for (const imported of [true, false])
        for (const exported of [true, false])
          for (const value of [0, 1, 2, 3, 4])
            for (const to of ["0xa", "0xB", "0xC", "0xd"])
              yield { wallet: { id, imported, exported }, eth: { tx: { value, to } } };
  }
  const wallets = [[], ["a"], ["b"], ["a", "a"], ["a", "b"], ["b", "c"], ["c", "c"]].map((ids) =>
    ids.map((id) => ({ id })),
  );
  const single = [...requests()].map((request) => makeEnvironment({ ...request, wallets: [] }));
  const listed = wallets.flatMap((list) => {
    return [...requests()]
      .filter((_, i) => i % 9 === list.length)
      .map((request) => makeEnvironment({ ...request, wallets: list }));
  });
  const aWhile = {
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: isLong ? 600_000 : 1500,
    markInterruptAsFailure: false,
  };

  test("a statement is proved exactly if it always holds", { timeout: 700_000 }, () => {
    let constants = 0;
    fc.assert(
      fc.property(formula(test1), (source) => {
        const compiled = compile("condition", source);
        const values = new Set(single.map((request) => evaluate(compiled, request)));
        const [only] = values;
        const claim = verdict(source);
        if (claim !== undefined) constants++;
        expect(claim).toBe(values.size === 1 ? only : undefined);
      }),
      aWhile,
    );
    expect(constants).toBeGreaterThan(10);
  });

  test("a proof about lists holds", { timeout: 700_000 }, () => {
    fc.assert(
      fc.property(formula(tests), (source) => {
        const claim = verdict(source);
        if (claim === undefined) return;
        const compiled = compile("condition", source);
        for (const request of listed) expect(evaluate(compiled, request)).toBe(claim);
      }),
      aWhile,
    );
  });
});
