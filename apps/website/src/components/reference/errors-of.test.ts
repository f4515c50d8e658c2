import { readFileSync } from "node:fs";
import { reasons } from "@keyhearth/engine/errors";
import { expect, test } from "vitest";
import { describeReference } from "../../../plugins/api-reference/reference.ts";
import { errorsOf } from "./errors-of.ts";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const reference = describeReference(JSON.parse(read("../../../../../contract/openapi.json")));
const operations = reference.groups.flatMap((group) => group.operations);
const page = read("../../../docs/developer-reference/api-overview/errors.mdx");

test("every code is one of the engine's, and has an entry on the page of errors", () => {
  const codes = [...new Set(operations.flatMap(errorsOf))];
  expect(codes.filter((code) => !reasons.some((reason) => reason === code))).toEqual([]);
  expect(codes.filter((code) => !page.includes(`code="${code}"`))).toEqual([]);
  // One of each rule, so that no rule has lost its field.
  expect(codes).toHaveLength(22);
});

test("an operation names what its fields can be refused for", () => {
  const of = (name: string) => {
    const operation = operations.find((each) => each.name === name);
    return operation ? errorsOf(operation).slice(7) : [];
  };
  expect(of("list_wallets")).toEqual([]);
  expect(of("get_wallet")).toEqual(["NOT_FOUND"]);
  expect(of("create_wallet")).toEqual([
    "ACTIVITY_TYPE_INVALID",
    "TIMESTAMP_OUT_OF_RANGE",
    "POLICY_DENIED",
    "NAME_TAKEN",
  ]);
  expect(of("sign_transaction")).toEqual([
    "ACTIVITY_TYPE_INVALID",
    "TIMESTAMP_OUT_OF_RANGE",
    "POLICY_DENIED",
    "NOT_FOUND",
    "TRANSACTION_INVALID",
  ]);
});
