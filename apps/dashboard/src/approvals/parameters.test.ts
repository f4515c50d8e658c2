import { expect, test } from "vitest";
import { isBlind, leavesOf } from "./parameters.ts";

test("a request is shown with each of its values, in their order", () => {
  const request = {
    policyName: "Payments",
    effect: "EFFECT_ALLOW",
    accounts: [{ path: "m/0" }, { path: "m/1" }],
    tags: [],
    deleteWithoutExport: true,
    notes: "",
  };
  expect(leavesOf(request)).toEqual([
    { path: "Policy name", value: "Payments" },
    { path: "Effect", value: "EFFECT_ALLOW" },
    { path: "Accounts 1, path", value: "m/0" },
    { path: "Accounts 2, path", value: "m/1" },
    { path: "Tags", value: "none" },
    { path: "Delete without export", value: "yes" },
    { path: "Notes", value: "none" },
  ]);
});

test("nothing is left out silently", () => {
  const accounts = Array.from({ length: 1001 }, (_, index) => index);
  const leaves = leavesOf({ accounts, condition: "true" });
  expect(leaves).toHaveLength(1001);
  expect(leaves.at(-1)).toMatchObject({ path: "More values" });
  expect(leavesOf({ accounts: accounts.slice(1) })).toHaveLength(1000);
});

test("bytes that can be a transaction are told from a text", () => {
  const hex = { encoding: "PAYLOAD_ENCODING_HEXADECIMAL" };
  expect(isBlind("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", hex)).toBe(true);
  expect(isBlind("ACTIVITY_TYPE_SIGN_RAW_PAYLOADS", hex)).toBe(true);
  const text = { encoding: "PAYLOAD_ENCODING_TEXT_UTF8", payload: "Sign in to example.com" };
  expect(isBlind("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", text)).toBe(false);
  const { encoding } = text;
  const several = { encoding, payloads: ["hello", "\u0001"] };
  expect(isBlind("ACTIVITY_TYPE_SIGN_RAW_PAYLOADS", several)).toBe(true);
  expect(isBlind("ACTIVITY_TYPE_SIGN_RAW_PAYLOADS", { encoding, payloads: ["hello"] })).toBe(false);
  expect(isBlind("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", { encoding })).toBe(true);
  expect(isBlind("ACTIVITY_TYPE_CREATE_WALLET", hex)).toBe(false);
});

test("what nobody would see in a text is shown", () => {
  expect(leavesOf({ payload: "pay\u202e 1\u200b\n2" })).toEqual([
    { path: "Payload", value: "pay\\u{202e} 1\\u{200b}\n2" },
  ]);
});
