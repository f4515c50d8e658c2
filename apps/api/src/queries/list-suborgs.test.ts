import { importMnemonic, known } from "@keyhearth/engine/bundles.testing";
import { newToken } from "@keyhearth/engine/oidc.testing";
import { newSocialFamily } from "@keyhearth/engine/oidc-logins.testing";
import {
  badRequest,
  ethereumAccount,
  refusal,
  solanaAccount,
} from "@keyhearth/engine/organization.testing";
import { beforeAll, expect, test, vi } from "vitest";
import { newOrganization, type TestOrganization } from "../testing.ts";
import {
  badPages,
  expectBadParameters,
  expectOnlyFamilyReads,
  newChild,
  newFamily,
  readPages,
  unknownId,
} from "./queries.testing.ts";

const accounts = [ethereumAccount, solanaAccount];

/** A parent with 13 sub-organizations, and their ids in order. */
let parent: TestOrganization;
let children: TestOrganization[];
let ids: string[];

beforeAll(async () => {
  parent = await newOrganization();
  children = [];
  for (let i = 0; i < 13; i++) children.push(await newChild(parent, { name: `child ${i}` }));
  ids = children.map(({ organizationId }) => organizationId).sort();
});

async function list(parameters: Parameters<typeof parent.root.listSuborgs>[0]): Promise<string[]> {
  return (await parent.root.listSuborgs(parameters)).organizationIds;
}

test("ids are listed in ascending order, ten by default", async () => {
  expect(await parent.root.listSuborgs()).toEqual({ organizationIds: ids.slice(0, 10) });
  expect(await list({ paginationOptions: { limit: "100" } })).toEqual(ids);
});

test("pages lead to the end in both directions, with a filter and without", async () => {
  for (const filter of [{}, { filterType: "EMAIL", filterValue: "ada@example.com" }]) {
    const forward = await readPages("after", 5, (paginationOptions) =>
      list({ ...filter, paginationOptions }),
    );
    expect(forward.map((page) => page.length)).toEqual([5, 5, 3]);
    expect(forward.flat()).toEqual(ids);

    const backward: string[] = [];
    for (;;) {
      const before = backward[0] ?? ids.at(-1) ?? "";
      const page = await list({ ...filter, paginationOptions: { limit: "5", before } });
      if (page.length === 0) break;
      backward.unshift(...page);
    }
    expect([...backward, ids.at(-1)]).toEqual(ids);
  }
});

test("a filter finds by name, user name, contact and public key", async () => {
  const [child] = children;
  const only = [child?.organizationId];
  expect(await list({ filterType: "NAME", filterValue: "child 0" })).toEqual(only);
  const publicKey = child?.rootKey.publicKey ?? "";
  for (const filterValue of [publicKey, publicKey.toUpperCase()]) {
    expect(await list({ filterType: "PUBLIC_KEY", filterValue })).toEqual(only);
  }

  const all = { paginationOptions: { limit: "100" } };
  expect(await list({ filterType: "USERNAME", filterValue: "Ada", ...all })).toEqual(ids);
  const phone = { filterType: "PHONE_NUMBER", filterValue: "+14155550100" };
  expect(await list({ ...phone, ...all })).toEqual(ids);
});

test("emails match in any case, everything else only exactly", async () => {
  for (const filterValue of ["ada@example.com", "ADA@EXAMPLE.COM"]) {
    expect(await list({ filterType: "EMAIL", filterValue })).toHaveLength(10);
  }
  expect(await list({ filterType: "USERNAME", filterValue: "ada" })).toEqual([]);
  expect(await list({ filterType: "NAME", filterValue: "Child 0" })).toEqual([]);
});

test("an address finds the sub-organizations that have an account of it, page by page", async () => {
  const mnemonic = known.mnemonic;
  const [one, two, three] = children;
  if (!one || !two || !three) throw new Error("three children");
  const filterType = "WALLET_ACCOUNT_ADDRESS";
  const { addresses } = await one.root.createWallet({ walletName: "own", accounts });
  const [ethereum = "", solana = ""] = addresses;
  for (const filterValue of [ethereum, ethereum.toLowerCase(), solana]) {
    expect(await list({ filterType, filterValue })).toEqual([one.organizationId]);
  }
  expect(await list({ filterType, filterValue: solana.toLowerCase() })).toEqual([]);

  for (const child of [two, three]) await importMnemonic(child, mnemonic, { accounts });
  const both = [two.organizationId, three.organizationId].sort();
  const shared = { filterType, filterValue: known.ethereum };
  expect(await list(shared)).toEqual(both);
  const page = (place: object) => list({ ...shared, paginationOptions: { limit: "1", ...place } });
  expect(await page({})).toEqual(both.slice(0, 1));
  expect(await page({ after: both[0] })).toEqual(both.slice(1));
  expect(await page({ before: both[1] })).toEqual(both.slice(0, 1));

  const { wallets } = await two.root.listWallets();
  const walletIds = wallets.map(({ walletId }) => walletId);
  await two.root.deleteWallets({ walletIds, deleteWithoutExport: true });
  expect(await list(shared)).toEqual([three.organizationId]);

  // Another parent's sub-organizations are not among them.
  const { parent: other, child } = await newFamily();
  await importMnemonic(child, mnemonic, { accounts });
  expect((await other.root.listSuborgs(shared)).organizationIds).toEqual([child.organizationId]);
  expect(await list(shared)).toEqual([three.organizationId]);
});

test("a value that matches no sub-organization gives an empty list", async () => {
  for (const [filterType, filterValue] of [
    ["NAME", "nobody"],
    ["PUBLIC_KEY", parent.rootKey.publicKey],
    ["CREDENTIAL_ID", "Y3JlZGVudGlhbA"],
    ["WALLET_ACCOUNT_ADDRESS", "0x0000000000000000000000000000000000000000"],
    ["WALLET_ACCOUNT_ADDRESS", "a\0b"],
  ] as const) {
    expect(await list({ filterType, filterValue })).toEqual([]);
  }
  expect(await list({ filterType: "", filterValue: "" })).toEqual(ids.slice(0, 10));
});

test("a cursor that names no sub-organization is refused, with and without a filter", async () => {
  const { child } = await newFamily();
  const filter = { filterType: "USERNAME", filterValue: "Ada" };
  for (const name of ["before", "after"] as const) {
    for (const id of [unknownId, child.organizationId, parent.organizationId]) {
      const field = `paginationOptions.${name}`;
      const message = `\`${field}\` must be the id of an object in the list: this organization has no sub-organization \`${id}\``;
      for (const filtered of [{}, filter]) {
        const asked = list({ ...filtered, paginationOptions: { [name]: id } });
        expect(await refusal(asked)).toEqual(badRequest("FIELD_INVALID", field, message));
      }
    }
  }
});

test("a name with a control character is refused: no organization or user has one", async () => {
  for (const filterType of ["NAME", "USERNAME"]) {
    const message = expect.stringMatching(/^must not contain control characters/);
    expect(await refusal(list({ filterType, filterValue: "a\u202eb" }))).toEqual(
      badRequest("FIELD_INVALID", "filterValue", message),
    );
  }
});

test("another parent's sub-organizations are not found, and a sub-organization has none", async () => {
  const { parent: other, child } = await newFamily();
  const all = await other.root.listSuborgs({ filterType: "USERNAME", filterValue: "Ada" });
  expect(all).toEqual({ organizationIds: [child.organizationId] });
  expect(await child.root.listSuborgs()).toEqual({ organizationIds: [] });
});

test("bad parameters are refused by field", async () => {
  const accepted =
    "NAME, USERNAME, EMAIL, PHONE_NUMBER, PUBLIC_KEY, CREDENTIAL_ID, OIDC_TOKEN, WALLET_ACCOUNT_ADDRESS";
  await expectBadParameters(parent, "list_suborgs", [
    ...badPages,
    [
      { filterType: "name", filterValue: "x" },
      "filterType",
      `\`filterType\` is \`name\`; it accepts ${accepted}`,
    ],
    [{ filterValue: "x" }, "filterType", `\`filterType\` is \`\`; it accepts ${accepted}`],
    [{ filterType: "EMAIL" }, "filterValue", "`filterValue` must be given with `filterType`"],
    [
      { filterType: "EMAIL", filterValue: "x".repeat(1025) },
      "filterValue",
      expect.stringMatching(/^must have at most 1024 characters: /),
    ],
  ]);
});

test("a token finds the sub-organization of its user, if it is valid", async () => {
  const { parent, organizationId, subject } = await newSocialFamily();
  const find = (filterValue: string, client = parent.root) =>
    client.listSuborgs({ filterType: "OIDC_TOKEN", filterValue });
  expect(await find(newToken({ sub: subject }))).toEqual({ organizationIds: [organizationId] });
  const { organizationIds } = await parent.root.listVerifiedSuborgs({
    filterType: "OIDC_TOKEN",
    filterValue: newToken({ sub: subject }),
  });
  expect(organizationIds).toEqual([organizationId]);
  for (const claims of [{ sub: "nobody" }, { sub: subject, aud: "other-app" }]) {
    expect(await find(newToken(claims))).toEqual({ organizationIds: [] });
  }
  // Another parent has no such sub-organization.
  const other = await newOrganization(parent.server);
  expect(await find(newToken({ sub: subject }), other.root)).toEqual({ organizationIds: [] });
  // A token that does not verify says nothing about anybody.
  for (const sub of [subject, "nobody"]) {
    expect(await refusal(find(newToken({ sub }, { signature: "AAAA" })))).toEqual({
      httpStatus: 400,
      grpcCode: 3,
      code: "OIDC_TOKEN_INVALID",
      field: "filterValue",
      message:
        "invalid OIDC token: `filterValue`: its signature does not verify with the keys of its issuer",
    });
  }
  const expired = newToken({ sub: subject, exp: 1 });
  expect(await refusal(find(expired))).toMatchObject({ code: "OIDC_TOKEN_INVALID" });
});

test("the signer checks a token in the turn of the family, also for a sub-organization", async () => {
  const child = await newChild(parent);
  const asks = vi.spyOn(parent.server.host, "askSigner");
  try {
    const filterValue = newToken({ sub: "nobody" });
    await child.root.listSuborgs({ filterType: "OIDC_TOKEN", filterValue });
    const checks = asks.mock.calls.filter(([{ call }]) => call === "describe");
    expect(checks).toEqual([
      [{ call: "describe", oidcToken: filterValue }, child.organizationId, parent.organizationId],
    ]);
  } finally {
    asks.mockRestore();
  }
});

test("the organization and its parent may list them, nobody else", async () => {
  await expectOnlyFamilyReads("list_suborgs");
});
