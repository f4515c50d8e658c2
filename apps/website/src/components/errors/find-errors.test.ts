import { expect, test } from "vitest";
import { findErrors } from "./find-errors.ts";

const known = new Set(["FIELD_INVALID", "FIELD_UNKNOWN", "NOT_FOUND", "ORGANIZATION_NOT_FOUND"]);

test("each wrong field of an answer is found, with its own message", () => {
  const answer = {
    code: 3,
    message: "both",
    details: [
      { "@type": "keyhearth.dev/ErrorDetail", code: "FIELD_INVALID", field: "a", message: "first" },
      { "@type": "keyhearth.dev/ErrorDetail", code: "FIELD_UNKNOWN", field: "b" },
      { "@type": "keyhearth.dev/PolicyError", clause: "condition" },
    ],
  };
  expect(findErrors(`HTTP 400 ${JSON.stringify(answer)}\n`, known)).toEqual([
    { code: "FIELD_INVALID", field: "a", message: "first" },
    { code: "FIELD_UNKNOWN", field: "b", message: "both" },
  ]);
});

test("a code is found in a stack trace, as a whole word and once", () => {
  const trace =
    "NotFound: no organization (ORGANIZATION_NOT_FOUND)\n  at x\ncode: ORGANIZATION_NOT_FOUND";
  expect(findErrors(trace, known)).toEqual([
    { code: "ORGANIZATION_NOT_FOUND", field: undefined, message: undefined },
  ]);
});

test.each([
  "",
  "{",
  "{}",
  '{"details":null}',
  '{"details":[null,1,{"code":7}]}',
  "Something broke",
])("nothing is found in %s", (text) => {
  expect(findErrors(text, known)).toEqual([]);
});

test("the message of the SDK is found by its link", () => {
  const message =
    "no organization found. See http://localhost:3000/developer-reference/api-overview/errors#organization-not-found";
  expect(findErrors(message, known).map(({ code }) => code)).toEqual(["ORGANIZATION_NOT_FOUND"]);
  expect(findErrors("/errors#nothing-known", known)).toEqual([]);
});
