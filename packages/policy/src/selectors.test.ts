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

const MAX = 2n ** 256n - 1n;
const MIN = -(2n ** 127n);

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

  test.each<[Selector, string]>([
    [one("activity.type", "EQUAL", "a"), "activity.type == 'a'"],
    [one("wallet.id", "NOT_EQUAL", "a b"), "wallet.id != 'a b'"],
    [one("activity.wallet.id", "IN", "a"), "wallet.id in ['a']"],
    [one("wallet.imported", "NOT_IN", "true", "false"), "!(wallet.imported in [true, false])"],
    [one("eth.tx.value", "MORE_THAN", "-5"), "eth.tx.value > -5"],
    [one("activity.eth.tx.gas", "MORE_THAN_OR_EQUAL", "007"), "eth.tx.gas >= 7"],
    [one("eth.eip_712.domain.chain_id", "LESS_THAN", "1"), "eth.eip_712.domain.chain_id < 1"],
    [one("eth.tx.value", "LESS_THAN_OR_EQUAL", `${MAX}`), `eth.tx.value <= ${MAX}`],
    [one("eth.tx.value", "EQUAL", `${MIN}`), `eth.tx.value == ${MIN}`],
    [one("eth.tx.value", "EQUAL", "1".padStart(80, "0")), "eth.tx.value == 1"],
    [one("private_key.tags", "CONTAINS", "a"), "private_key.tags.contains('a')"],
    [
      one("wallet_account.path_indexes", "CONTAINS_ONE", "1", "02"),
      "[1, 2].any(x, wallet_account.path_indexes.contains(x))",
    ],
    [
      one("activity.wallet_account.path_hardened", "CONTAINS_ALL", "true"),
      "[true].all(x, wallet_account.path_hardened.contains(x))",
    ],
  ])("%o", (selector, condition) => {
    expect(translateSelectors([selector])).toEqual({ condition });
  });

  test.each(["id", "email", "alias"])("reach the %s of the user", (field) => {
    expect(translateSelectors([one(`user.${field}`, "EQUAL", "x")])).toEqual({
      consensus: `approvers.any(u, u.${field} == 'x')`,
    });
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
      one("user.tags", "CONTAINS", "a", "b"),
      "selectors[1].targets: `OPERATOR_CONTAINS` has 2 targets; accepted: exactly 1 target",
    ],
    [
      one("user.tags", "CONTAINS_ONE"),
      "selectors[1].targets: `OPERATOR_CONTAINS_ONE` has 0 targets; accepted: 1 to 100 targets",
    ],
    [
      one("eth.tx.value", "NOTHING_LIKE_IT_AT_ALL", "1"),
      "selectors[1].operator: there is no operator `OPERATOR_NOTHING_LIKE_IT_AT_ALL`; accepted: " +
        "`OPERATOR_EQUAL`, `OPERATOR_NOT_EQUAL`, `OPERATOR_MORE_THAN`, " +
        "`OPERATOR_MORE_THAN_OR_EQUAL`, `OPERATOR_LESS_THAN`, `OPERATOR_LESS_THAN_OR_EQUAL`, " +
        "`OPERATOR_IN`, `OPERATOR_NOT_IN`",
    ],
    [
      one("wallet.imported", "MORE_THAN", "1"),
      "selectors[1].operator: `OPERATOR_MORE_THAN` does not fit a subject of type bool; " +
        "accepted: `OPERATOR_EQUAL`, `OPERATOR_NOT_EQUAL`, `OPERATOR_IN`, `OPERATOR_NOT_IN`",
    ],
    [
      one("wallet.id", "CONTAINS", "1"),
      "selectors[1].operator: `OPERATOR_CONTAINS` does not fit a subject of type string; " +
        "accepted: `OPERATOR_EQUAL`, `OPERATOR_NOT_EQUAL`, `OPERATOR_IN`, `OPERATOR_NOT_IN`",
    ],
    [
      one("wallet.id", "IN"),
      "selectors[1].targets: `OPERATOR_IN` has 0 targets; accepted: 1 to 100 targets",
    ],
  ])("%o", (selector, message) => {
    const error = errorOf([fine, selector]);
    expect(error.message).toBe(message);
    expect(error.name).toBe("SelectorError");
    const { index, field, expected } = error;
    expect(message.startsWith(`selectors[${index}].${field}: `)).toBe(true);
    expect(message.endsWith(`; accepted: ${expected}`)).toBe(true);
    expect(index).toBe(1);
  });

  test("has no suggestion if no subject is like it", () => {
    expect(errorOf([one("something.else.entirely", "EQUAL", "x")]).message).toMatch(
      /^selectors\[0\]\.subject: there is no subject `something\.else\.entirely`; accepted: /,
    );
  });

  test.each([
    "1.5",
    "",
    "-",
    "x1",
    "1x",
    " 1",
    "1".repeat(80),
    "0".repeat(81),
    `${MAX + 1n}`,
    `${MIN - 1n}`,
  ])("has a number that is none: %o", (text) => {
    const { field, message } = errorOf([one("eth.tx.value", "EQUAL", text)]);
    expect(field).toBe("targets");
    expect(message).toMatch("is not a valid number");
  });

  test("may have as many targets, and there may be as many, as the limits say", () => {
    expect(translateSelectors(Array(100).fill(fine)).consensus).toMatch(
      /^approvers\.any\(u, u\.id/,
    );
    const targets = Array.from({ length: 100 }, (_, i) => `w${i}`);
    const list = targets.map((id) => `'${id}'`).join(", ");
    expect(translateSelectors([one("wallet.id", "IN", ...targets)]).condition).toBe(
      `wallet.id in [${list}]`,
    );
    const [longest, tooLong] = [16_384 - 15, 16_385 - 15].map((length) => "w".repeat(length));
    expect(translateSelectors([one("wallet.id", "EQUAL", longest ?? "")]).condition).toHaveLength(
      16_384,
    );
    expect(errorOf([one("wallet.id", "EQUAL", tooLong ?? "")]).message).toBe(
      "selectors: the condition they make has 16385 characters; accepted: at most 16384 characters",
    );
    expect(errorOf([fine, one("user.id", "EQUAL", tooLong ?? "")])).toMatchObject({
      index: undefined,
      field: "selectors",
      message: expect.stringMatching(/^selectors: the consensus they make has \d+ characters; /),
    });
  });

  test("may be one too many, missing or too long", () => {
    expect(errorOf([]).message).toBe("selectors: 0 selectors; accepted: 1 to 100 selectors");
    expect(errorOf(Array(101).fill(fine)).message).toBe(
      "selectors: 101 selectors; accepted: 1 to 100 selectors",
    );
    expect(errorOf([one("wallet.id", "IN", ...Array(101).fill("w"))]).message).toBe(
      "selectors[0].targets: `OPERATOR_IN` has 101 targets; accepted: 1 to 100 targets",
    );
    expect(errorOf([one("wallet.id", "EQUAL", "w".repeat(16_384))]).message).toBe(
      "selectors: the condition they make has 16399 characters; accepted: at most 16384 characters",
    );
  });

  test.each([
    ...["", "__proto__", "constructor", "user", "u.id", "approvers", "eth.tx", "user.id "],
    ...["activity.activity.type", "wallets", "secret.static_properties", "activity.params"],
    ...["time.now", "solana.tx.transfers", "approvers.id", "user.credentials", "activity.user.id"],
  ])("names no subject: %o", (subject) =>
    expect(errorOf([one(subject, "EQUAL", "x")]).field).toBe("subject"),
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
