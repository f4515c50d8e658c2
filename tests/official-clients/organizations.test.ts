import { ApiKeyStamper } from "@turnkey/api-key-stamper";
import type { TurnkeyApiClient } from "@turnkey/sdk-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type ApiKeyPair,
  apiKeyParams,
  newApiKeyPair,
  releases,
  rootUserParams,
} from "./clients.ts";
import { type Product, startProduct } from "./product.ts";

// Sub-organizations and features with the official clients. None of them knows that it is not at home.

let product: Product;

beforeAll(async () => {
  product = await startProduct({ KEYHEARTH_SIGNUP: "open" });
});

afterAll(async () => {
  await product?.stop();
});

const path = "m/44'/60'/0'/0/0";
const account = {
  curve: "CURVE_SECP256K1",
  pathFormat: "PATH_FORMAT_BIP32",
  path,
  addressFormat: "ADDRESS_FORMAT_ETHEREUM",
} as const;

describe.each(releases)("$name", (release) => {
  let root: TurnkeyApiClient;
  let parent: { organizationId: string; key: ApiKeyPair };

  beforeAll(async () => {
    parent = await signUp(`Parent for ${release.name}`);
    root = release.connect(product.url, parent.organizationId, parent.key);
  });

  async function newChild(name: string, email: string) {
    const key = newApiKeyPair();
    const { subOrganizationId, wallet } = await root.createSubOrganization({
      subOrganizationName: name,
      rootQuorumThreshold: 1,
      rootUsers: [{ ...rootUserParams(name, key), userEmail: email }],
      wallet: { walletName: "default", accounts: [account] },
    });
    const client = release.connect(product.url, subOrganizationId, key);
    return { subOrganizationId, address: wallet?.addresses[0] ?? "", key, client };
  }

  test("finds sub-organizations by every filter, and lists them all", async () => {
    const ada = await newChild("ada", "ada@example.com");
    const grace = await newChild("grace", "grace@example.com");
    const find = async (filterType: string, filterValue: string) =>
      (await root.getSubOrgIds({ filterType, filterValue })).organizationIds;
    for (const [filterType, filterValue] of [
      ["NAME", "ada"],
      ["USERNAME", "ada"],
      ["EMAIL", "ADA@example.com"],
      ["PUBLIC_KEY", ada.key.apiPublicKey],
      ["WALLET_ACCOUNT_ADDRESS", ada.address],
    ] as const) {
      expect(await find(filterType, filterValue)).toEqual([ada.subOrganizationId]);
    }
    expect(await find("CREDENTIAL_ID", "unknown")).toEqual([]);
    const { organizationIds } = await root.getSubOrgIds({});
    expect(organizationIds).toEqual([ada.subOrganizationId, grace.subOrganizationId].sort());
    const verified = { filterType: "EMAIL", filterValue: "ada@example.com" };
    expect((await root.getVerifiedSubOrgIds(verified)).organizationIds).toEqual([]);
    await expect(find("OIDC_TOKEN", "a.b.c")).rejects.toThrow(/OIDC_TOKEN/);
  });

  test("sets and removes features, and each result lists all of them", async () => {
    const origins = { name: "FEATURE_NAME_WEBAUTHN_ORIGINS", value: "https://app.example.com" };
    const first = await root.setOrganizationFeature(origins as never);
    expect(first.features).toEqual([origins]);
    const second = await root.setOrganizationFeature({
      name: "FEATURE_NAME_EMAIL_AUTH",
      value: "",
    });
    expect(second.features).toEqual([origins, { name: "FEATURE_NAME_EMAIL_AUTH" }]);
    const { configs } = await root.getOrganizationConfigs({
      organizationId: parent.organizationId,
    });
    expect(configs.features).toEqual(second.features);
    const { features } = await root.removeOrganizationFeature({
      name: "FEATURE_NAME_WEBAUTHN_ORIGINS",
    });
    expect(features).toEqual([{ name: "FEATURE_NAME_EMAIL_AUTH" }]);
    await expect(root.setOrganizationFeature({ name: "FEATURE_NAME_X" } as never)).rejects.toThrow(
      /invalid feature name/,
    );
  });

  test("deletes a sub-organization once its wallet may go", async () => {
    const { subOrganizationId, client } = await newChild("gone", "gone@example.com");
    await expect(client.deleteSubOrganization({ deleteWithoutExport: false })).rejects.toThrow(
      /wallet has not been exported/,
    );
    const refused = root.deleteSubOrganization({
      organizationId: subOrganizationId,
      deleteWithoutExport: true,
    });
    await expect(refused).rejects.toThrow(/request not authorized/);
    const { subOrganizationUuid, activity } = await client.deleteSubOrganization({
      deleteWithoutExport: true,
    });
    expect(subOrganizationUuid).toBe(subOrganizationId);
    expect(activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
    await expect(client.getWhoami()).rejects.toThrow(/no organization found with the given ID/);
    const found = await root.getSubOrgIds({ filterType: "NAME", filterValue: "gone" });
    expect(found.organizationIds).toEqual([]);
  });
});

/** Signs up as a stranger, with the id in the well-known file. The clients have no method for it. */
async function signUp(organizationName: string) {
  const key = newApiKeyPair();
  const wellKnown = await fetch(`${product.url}/.well-known/keyhearth.json`);
  const { rootOrganizationId } = await wellKnown.json();
  const body = JSON.stringify({
    type: "ACTIVITY_TYPE_CREATE_ORGANIZATION_V2",
    timestampMs: String(Date.now()),
    organizationId: rootOrganizationId,
    parameters: { organizationName, rootApiKey: apiKeyParams(key) },
  });
  const { stampHeaderName, stampHeaderValue } = await new ApiKeyStamper(key).stamp(body);
  const response = await fetch(`${product.url}/public/v1/submit/create_organization`, {
    method: "POST",
    headers: { [stampHeaderName]: stampHeaderValue },
    body,
  });
  const { activity } = await response.json();
  const organizationId: string = activity.result.createOrganizationResult.organizationId;
  return { organizationId, key };
}
