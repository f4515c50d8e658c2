import { expect, test } from "vitest";
import { PRESETS } from "./presets.ts";
import { tryExpression } from "./try-expression.ts";

const payment = '{ "eth": { "tx": { "value": 1000000000000000001 } } }';

test("integers of the request are exact", () => {
  const tried = tryExpression("condition", "eth.tx.value <= 1000000000000000000", payment);
  expect(tried).toEqual({
    outcome: "false",
    steps: [
      { depth: 0, text: "eth.tx.value <= 1000000000000000000", value: "false" },
      { depth: 1, text: "eth.tx.value", value: "1000000000000000001" },
    ],
    warnings: [],
  });
});

test("an expression that does not compile shows the place", () => {
  const { outcome, message, excerpt } = tryExpression("condition", "eth.tx.valu <= 1", payment);
  expect(outcome).toBe("refused");
  expect(message).toBe("field does not exist: `eth.tx.valu`; did you mean `eth.tx.value`?");
  expect(excerpt).toBe("eth.tx.valu <= 1\n^^^^^^^^^^^");
});

test("a missing value is an error, and the trace shows its place", () => {
  const { outcome, message, steps } = tryExpression("condition", "wallet.id == 'w'", payment);
  expect([outcome, message]).toEqual(["error", "this request has no `wallet`"]);
  expect(steps[0]?.value).toBe("error: this request has no `wallet`");
});

test("warnings are reported", () => {
  const { outcome, warnings } = tryExpression("condition", "eth.tx.value > 1", payment);
  expect(outcome).toBe("true");
  expect(warnings.map((text) => text.split(":")[0])).toEqual(["wei-unit"]);
});

test.each([
  ["no JSON", "{", /JSON/],
  ["no object", "[1]", /not an object/],
  ["a name that does not exist", '{ "walet": {} }', /there is no root walet/],
  ["a value of another type", '{ "eth": { "tx": { "value": "1" } } }', /eth.tx.value is not int/],
])("a request that is %s is reported as unreadable", (_, request, message) => {
  const tried = tryExpression("condition", "true", request);
  expect(tried.outcome).toBe("unreadable request");
  expect(tried.message).toMatch(message);
});

test.each(PRESETS)(
  "the preset $id has the outcome that it names",
  ({ clause, expression, request, outcome }) => {
    expect(tryExpression(clause, expression, request).outcome).toBe(outcome);
  },
);
