import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { describeReference } from "../../../plugins/api-reference/reference.ts";
import { anchorOfGroup, placeOfEarlierLink } from "./earlier-links.ts";

const contract = JSON.parse(
  readFileSync(new URL("../../../../../contract/openapi.json", import.meta.url), "utf8"),
);
const { groups } = describeReference(contract);

test("a deep link to each operation of the contract leads to it, in every spelling", () => {
  for (const { tag, operations } of groups) {
    for (const { name } of operations) {
      const { operationId } =
        contract.paths[Object.keys(contract.paths).find((path) => path.endsWith(`/${name}`)) ?? ""]
          .post;
      const pascal = operationId.charAt(0).toUpperCase() + operationId.slice(1);
      for (const id of [operationId, pascal, `PublicApiService_${pascal}`, name]) {
        const hash = `#tag/${encodeURIComponent(tag)}/operation/${id}`;
        expect(placeOfEarlierLink(hash, groups)).toBe(name);
      }
    }
  }
});

test.each([
  ["GetActivities", "list_activities"],
  ["GetPolicies", "list_policies"],
  ["GetPrivateKeys", "list_private_keys"],
  ["GetSmartContractInterfaces", "list_smart_contract_interfaces"],
  ["GetSubOrgIds", "list_suborgs"],
  ["GetUsers", "list_users"],
  ["GetVerifiedSubOrgIds", "list_verified_suborgs"],
  ["GetWalletAccounts", "list_wallet_accounts"],
  ["GetWallets", "list_wallets"],
  ["GetWhoami", "whoami"],
])("the earlier name %s leads to %s", (earlier, name) => {
  expect(placeOfEarlierLink(`#tag/Any/operation/${earlier}`, groups)).toBe(name);
});

test("a link to a tag, or to an operation that this service lacks, leads to the group", () => {
  expect(placeOfEarlierLink("#tag/API-keys", groups)).toBe(anchorOfGroup("API Keys"));
  expect(placeOfEarlierLink("#tag/Wallets/operation/GetBalances", groups)).toBe(
    anchorOfGroup("Wallets"),
  );
});

test.each(["", "#create_wallet", "#tag/", "#tag/Nothing/operation/Nothing", "#tag/%E0%A4%A"])(
  "the fragment %s stays as it is",
  (hash) => {
    expect(placeOfEarlierLink(hash, groups)).toBeNull();
  },
);
