import { describe, expect, test } from "vitest";
import contract from "../../../../../contract/openapi.json" with { type: "json" };
import { hasMeaning, synonyms } from "./synonyms.ts";

const names = Object.keys(contract.paths).map((path) => path.split("/").at(-1) ?? "");

function found(words: string[]): string[] {
  return names.filter((name) => hasMeaning(name, words));
}

test.each(synonyms)("%s finds operations", (synonym) => {
  expect(found([synonym])).not.toEqual([]);
});

describe("what readers type", () => {
  test.each([
    [["passkey"], "create_authenticators"],
    [["passkeys"], "create_authenticators"],
    [["passk"], "create_authenticators"],
    [["mnemonic"], "import_wallet"],
    [["add", "passkey"], "create_authenticators"],
    [["signup"], "create_sub_organization"],
    [["vote"], "approve_activity"],
    [["google"], "oauth_login"],
    [["address"], "create_wallet_accounts"],
  ])("%j finds %s", (words, name) => {
    expect(found(words)).toContain(name);
  });
});

test("two letters mean only themselves", () => {
  expect(found(["pa"])).toEqual(names.filter((name) => name.includes("pa")));
});
