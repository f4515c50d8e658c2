import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type OpenApi, STAMPED } from "../../../plugins/api-reference/reference.ts";
import { listRequests } from "../../../plugins/api-reference/requests.ts";
import { problemsOf } from "./body-problems.ts";

const contract: OpenApi = JSON.parse(
  readFileSync(new URL("../../../../../contract/openapi.json", import.meta.url), "utf8"),
);
const requests = listRequests(contract);
const stamped = Object.entries(contract.paths).filter(([path]) => STAMPED.test(path));
const operations = stamped.map(([path, { post }]) => ({
  name: path.slice(path.lastIndexOf("/") + 1),
  example: post?.requestBody?.content?.["application/json"]?.example,
}));

test.each(operations)("the example of $name has no problem", ({ name, example }) => {
  expect(problemsOf(JSON.stringify(example, null, 2), name, requests)).toEqual([]);
});

const organizationId = "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11";
const wallet = {
  type: "ACTIVITY_TYPE_CREATE_WALLET",
  timestampMs: "1767225600000",
  organizationId,
  parameters: {
    walletName: "treasury",
    accounts: [
      {
        curve: "CURVE_SECP256K1",
        pathFormat: "PATH_FORMAT_BIP32",
        path: "m/44'/60'/0'/0/0",
        addressFormat: "ADDRESS_FORMAT_ETHEREUM",
      },
    ],
  },
};

/** The faults of a body, each with the text at its place. */
function faultsOf(text: string, name = "create_wallet") {
  return problemsOf(text, name, requests).map(({ from, to, fault }) => [
    text.slice(from, to),
    fault,
  ]);
}

const withParameters = (change: object) =>
  JSON.stringify({ ...wallet, parameters: { ...wallet.parameters, ...change } });

describe("a problem is shown at its place", () => {
  test.each([
    ["nothing", "", [["", { kind: "syntax", code: "ValueExpected" }]]],
    ["a comma too many", '{"a": 1,}', [["}", { kind: "syntax", code: "PropertyNameExpected" }]]],
    [
      "a comment",
      "{/* here */}",
      [["/* here */", { kind: "syntax", code: "InvalidCommentToken" }]],
    ],
    ["more than one value", "{} {}", [["{", { kind: "syntax", code: "EndOfFileExpected" }]]],
    ["a list", "[]", [["[]", { kind: "type", expected: "object" }]]],
    [
      "an unknown field",
      withParameters({ walletNmae: "x" }),
      [['"walletNmae"', { kind: "unknown", name: "walletNmae" }]],
    ],
    [
      "an unknown field of the envelope",
      JSON.stringify({ ...wallet, params: {} }),
      [['"params"', { kind: "unknown", name: "params" }]],
    ],
    [
      "a missing field",
      withParameters({ walletName: undefined }),
      [['"parameters"', { kind: "missing", name: "walletName" }]],
    ],
    [
      "a body without anything",
      "{}",
      ["type", "timestampMs", "organizationId", "parameters"].map((name) => [
        "{",
        { kind: "missing", name },
      ]),
    ],
    [
      "another activity type",
      JSON.stringify({ ...wallet, type: "ACTIVITY_TYPE_CREATE_WALET" }),
      [
        [
          '"ACTIVITY_TYPE_CREATE_WALET"',
          { kind: "values", accepted: ["ACTIVITY_TYPE_CREATE_WALLET"] },
        ],
      ],
    ],
    [
      "an id of another form",
      JSON.stringify({ ...wallet, organizationId: "mine" }),
      [['"mine"', { kind: "pattern", name: "organizationId" }]],
    ],
    [
      "a number as text",
      withParameters({ mnemonicLength: "12" }),
      [
        ['"12"', { kind: "type", expected: "integer" }],
        ['"12"', { kind: "values", accepted: [12, 15, 18, 21, 24] }],
      ],
    ],
    [
      "an empty name",
      withParameters({ walletName: "" }),
      [['""', { kind: "limit", limit: "minLength", bound: 1 }]],
    ],
    [
      "fields within a list",
      withParameters({ accounts: [{ ...wallet.parameters.accounts[0], path: 5, curv: "x" }] }),
      [
        ["5", { kind: "type", expected: "string" }],
        ['"curv"', { kind: "unknown", name: "curv" }],
      ],
    ],
  ])("%s", (_, text, faults) => {
    expect(faultsOf(text)).toEqual(faults);
  });

  test("a name that an object has twice", () => {
    const text = `{"organizationId":"${organizationId}","organizationId":"${organizationId}"}`;
    expect(faultsOf(text, "whoami")).toEqual([
      ['"organizationId"', { kind: "twice", name: "organizationId" }],
    ]);
  });

  test("a number that may be text has one problem, about the form that it has", () => {
    const at = (expirationSeconds: unknown) =>
      JSON.stringify({
        type: "ACTIVITY_TYPE_STAMP_LOGIN",
        timestampMs: "1767225600000",
        organizationId,
        parameters: { publicKey: `02${"ab".repeat(32)}`, expirationSeconds },
      });
    expect(faultsOf(at(900), "stamp_login")).toEqual([]);
    expect(faultsOf(at("900"), "stamp_login")).toEqual([]);
    expect(faultsOf(at(0), "stamp_login")).toEqual([
      ["0", { kind: "limit", limit: "minimum", bound: 1 }],
    ]);
    expect(faultsOf(at("soon"), "stamp_login")).toEqual([
      ['"soon"', { kind: "pattern", name: "expirationSeconds" }],
    ]);
    expect(faultsOf(at(true), "stamp_login")).toEqual([
      ["true", { kind: "type", expected: "string or integer" }],
    ]);
  });

  test("by line and column", () => {
    const text = '{\n  "organizationId": 5\n}';
    expect(problemsOf(text, "whoami", requests)).toMatchObject([{ line: 2, column: 21 }]);
  });
});
