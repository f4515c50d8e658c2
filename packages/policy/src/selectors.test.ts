import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { consensusEnvironment } from "./consensus.ts";
import { makeEnvironment } from "./environment.ts";
import { compile, evaluate } from "./evaluate.ts";
import { type Selector, SelectorError, translateSelectors } from "./selectors.ts";

function errorOf(selectors: readonly Selector[]): SelectorError {
  try {
    translateSelectors(selectors);
  } catch (error) {
    if (error instanceof SelectorError) return error;
    throw error;
  }
  throw new Error("these selectors have a translation");
}

function one(subject: string, operator: string, ...targets: string[]): Selector {
  return { subject, operator: `OPERATOR_${operator}`, targets };
}

describe("selectors", () => {
  test.each<[string, Selector[], object]>([
    [
      "about the request become the condition",
      [
        one("activity.type", "EQUAL", "ACTIVITY_TYPE_SIGN_TRANSACTION"),
        one("activity.private_key.id", "IN", "k1", "k2"),
      ],
      {
        condition:
          "activity.type == 'ACTIVITY_TYPE_SIGN_TRANSACTION' && private_key.id in ['k1', 'k2']",
      },
    ],
    [
      "about the user become the consensus",
      [one("user.id", "EQUAL", "u1")],
      { consensus: "approvers.any(u, u.id == 'u1')" },
    ],
    [
      "about the user must hold for one and the same user",
      [one("user.tags", "CONTAINS", "t1"), one("user.id", "NOT_EQUAL", "u1")],
      { consensus: "approvers.any(u, u.tags.contains('t1') && u.id != 'u1')" },
    ],
    [
      "of both sorts become both clauses",
      [
        one("user.tags", "CONTAINS_ONE", "t1", "t2"),
        one("activity.resource", "NOT_IN", "POLICY", "USER"),
        one("private_key.tags", "CONTAINS_ALL", "t3", "t4"),
        one("eth.tx.value", "LESS_THAN_OR_EQUAL", "0010"),
        one("wallet.imported", "EQUAL", "false"),
      ],
      {
        condition:
          "!(activity.resource in ['POLICY', 'USER']) && " +
          "['t3', 't4'].all(x, private_key.tags.contains(x)) && " +
          "eth.tx.value <= 10 && wallet.imported == false",
        consensus: "approvers.any(u, ['t1', 't2'].any(x, u.tags.contains(x)))",
      },
    ],
  ])("%s", (_, selectors, expected) => {
    expect(translateSelectors(selectors)).toEqual(expected);
  });

  test("two users who each match half do not count as one", () => {
    const { consensus = "" } = translateSelectors([
      one("user.tags", "CONTAINS", "t1"),
      one("user.alias", "EQUAL", "Ada"),
    ]);
    const user = (id: string, tags: string[], alias: string) => {
      return { user: { id, tags, alias, email: "" } };
    };
    const halves = [user("u1", ["t1"], "Bo"), user("u2", [], "Ada")];
    const compiled = compile("consensus", consensus);
    expect(evaluate(compiled, consensusEnvironment(halves))).toBe(false);
    const whole = [...halves, user("u3", ["t1"], "Ada")];
    expect(evaluate(compiled, consensusEnvironment(whole))).toBe(true);
  });
});

describe("a selector without a translation", () => {
  const fine = one("user.id", "EQUAL", "u1");
  test.each<[Selector, string]>([
    [
      one("user.tag", "CONTAINS", "t"),
      "selectors[1].subject: there is no subject `user.tag`; did you mean `user.tags`?; " +
        "accepted: a field of a user such as `user.id` and `user.tags`, or of a request such as " +
        "`activity.type`, `activity.private_key.id` and `wallet.id`",
    ],
    [
      one("user.id", "EQUALS", "u"),
      "selectors[1].operator: there is no operator `OPERATOR_EQUALS`; did you mean " +
        "`OPERATOR_EQUAL`?; accepted: `OPERATOR_EQUAL`, `OPERATOR_NOT_EQUAL`, `OPERATOR_IN`, " +
        "`OPERATOR_NOT_IN`",
    ],
    [
      one("user.id", "MORE_THAN", "1"),
      "selectors[1].operator: `OPERATOR_MORE_THAN` does not fit a subject of type string; " +
        "accepted: `OPERATOR_EQUAL`, `OPERATOR_NOT_EQUAL`, `OPERATOR_IN`, `OPERATOR_NOT_IN`",
    ],
    [
      one("user.tags", "EQUAL", "t"),
      "selectors[1].operator: `OPERATOR_EQUAL` does not fit a subject of type list<string>; " +
        "accepted: `OPERATOR_CONTAINS`, `OPERATOR_CONTAINS_ONE`, `OPERATOR_CONTAINS_ALL`",
    ],
    [
      one("eth.tx.value", "MORE_THAN", "1.5"),
      "selectors[1].targets: `1.5` is not a valid number; " +
        "accepted: decimal digits, from -2^127 to 2^256 - 1",
    ],
    [
      one("wallet.exported", "EQUAL", "yes"),
      "selectors[1].targets: `yes` is not a boolean; accepted: `true` or `false`",
    ],
    [
      one("wallet.id", "EQUAL", "x' || true || 'y' == 'y"),
      "selectors[1].targets: `x' || true || 'y' == 'y` has an apostrophe; " +
        "accepted: text without apostrophes",
    ],
    [
      one("wallet.id", "EQUAL", "a", "b"),
      "selectors[1].targets: `OPERATOR_EQUAL` has 2 targets; accepted: exactly 1 target",
    ],
    [
      one("wallet.id", "IN"),
      "selectors[1].targets: `OPERATOR_IN` has 0 targets; accepted: 1 to 100 targets",
    ],
  ])("%o", (selector, message) => {
    const error = errorOf([fine, selector]);
    expect(error.message).toBe(message);
    expect(error.index).toBe(1);
  });

  test("may be one too many, missing or too long", () => {
    expect(errorOf([]).message).toBe("selectors: 0 selectors; accepted: 1 to 100 selectors");
    expect(errorOf(Array(101).fill(fine)).field).toBe("selectors");
    expect(errorOf([one("wallet.id", "IN", ...Array(101).fill("w"))]).field).toBe("targets");
    expect(errorOf([one("wallet.id", "EQUAL", "w".repeat(16_384))]).message).toBe(
      "selectors: the condition they make has 16399 characters; accepted: at most 16384 characters",
    );
  });

  test.each(["", "__proto__", "constructor", "user", "u.id", "approvers", "eth.tx", "user.id "])(
    "names no subject: %o",
    (subject) => expect(errorOf([one(subject, "EQUAL", "x")]).field).toBe("subject"),
  );
});

describe("any selectors", () => {
  const subject = fc.constantFrom(
    ...["user.id", "user.tags", "user.email", "activity.type", "activity.private_key.id"],
    ...[
      "private_key.tags",
      "wallet.imported",
      "eth.tx.value",
      "eth.tx.to",
      "wallet_account.address",
    ],
    ...["activity.eip_712.domain.chain_id", "eth.eip_712.domain.chain_id", "activity.params"],
    ...["activity.wallet_account.path_indexes", "activity.bitcoin.tx.fee", "user.name"],
  );
  const operator = fc.constantFrom(
    ...["EQUAL", "NOT_EQUAL", "MORE_THAN", "MORE_THAN_OR_EQUAL", "LESS_THAN"],
    ...["LESS_THAN_OR_EQUAL", "CONTAINS", "IN", "NOT_IN", "CONTAINS_ONE", "CONTAINS_ALL", "X"],
  );
  const target = fc.oneof(
    fc.constantFrom("true", "0", "-5", `${2n ** 256n}`, "'", "\\", "\n", "||", "u1"),
    fc.string(),
  );
  const selector = fc
    .tuple(subject, operator, fc.array(target, { maxLength: 3 }))
    .map(([name, test, targets]) => one(name, test, ...targets));

  test("become clauses that compile, or are refused with an error of ours", () => {
    let translated = 0;
    fc.assert(
      fc.property(fc.array(selector, { minLength: 1, maxLength: 2 }), (selectors) => {
        try {
          const { condition, consensus } = translateSelectors(selectors);
          expect(condition ?? consensus).toBeDefined();
          if (condition !== undefined) compile("condition", condition);
          if (consensus !== undefined) compile("consensus", consensus);
          translated++;
        } catch (error) {
          if (!(error instanceof SelectorError)) throw error;
        }
      }),
      { numRuns: 10_000 },
    );
    expect(translated).toBeGreaterThan(300);
  });

  test("mean what their operators say", () => {
    const ids = fc.constantFrom<string>("a", "b", "c");
    const values = fc.uniqueArray(ids, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(
        ids,
        values,
        values,
        fc.bigInt(0n, 3n),
        fc.bigInt(0n, 3n),
        (id, tags, targets, n, m) => {
          const environment = makeEnvironment({
            private_key: { id, tags },
            eth: { tx: { value: n } },
          });
          const resultOf = (name: string, test: string, list: string[]) => {
            const { condition = "" } = translateSelectors([one(name, test, ...list)]);
            return evaluate(compile("condition", condition), environment);
          };
          const [first = ""] = targets;
          const key = "activity.private_key";
          expect(resultOf(`${key}.id`, "EQUAL", [first])).toBe(id === first);
          expect(resultOf(`${key}.id`, "NOT_EQUAL", [first])).toBe(id !== first);
          expect(resultOf(`${key}.id`, "IN", targets)).toBe(targets.includes(id));
          expect(resultOf(`${key}.id`, "NOT_IN", targets)).toBe(!targets.includes(id));
          expect(resultOf(`${key}.tags`, "CONTAINS", [first])).toBe(tags.includes(first));
          const has = (tag: string) => tags.includes(tag);
          expect(resultOf(`${key}.tags`, "CONTAINS_ONE", targets)).toBe(targets.some(has));
          expect(resultOf(`${key}.tags`, "CONTAINS_ALL", targets)).toBe(targets.every(has));
          expect(resultOf("eth.tx.value", "MORE_THAN", [`${m}`])).toBe(n > m);
          expect(resultOf("eth.tx.value", "MORE_THAN_OR_EQUAL", [`${m}`])).toBe(n >= m);
          expect(resultOf("eth.tx.value", "LESS_THAN", [`${m}`])).toBe(n < m);
          expect(resultOf("eth.tx.value", "LESS_THAN_OR_EQUAL", [`${m}`])).toBe(n <= m);
        },
      ),
    );
  });
});
