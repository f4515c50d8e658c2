import { expect, test } from "vitest";
import { newOrganization } from "../testing.ts";
import { expectOnlyFamilyReads, someTimes } from "./queries.testing.ts";

test("all wallets are listed in the order of creation", async () => {
  const { root } = await newOrganization();
  expect(await root.listWallets()).toEqual({ wallets: [] });
  const expected: object[] = [];
  for (const walletName of ["treasury", "ops"]) {
    const { walletId } = await root.createWallet({ walletName, accounts: [] });
    expected.push({ walletId, walletName, ...someTimes, exported: false, imported: false });
  }
  expect(await root.listWallets()).toEqual({ wallets: expected });
});

test("a body without a good organization id is refused", async () => {
  const { root } = await newOrganization();
  await expect(
    root.request("/public/v1/query/list_wallets", '{"organizationId":""}'),
  ).rejects.toMatchObject({
    code: "ORGANIZATION_ID_MALFORMED",
    field: "organizationId",
    httpStatus: 400,
  });
});

test("the organization and its parent may list them, nobody else", async () => {
  await expectOnlyFamilyReads("list_wallets", async ({ root }) => {
    await root.createWallet({ walletName: "treasury", accounts: [] });
    return {};
  });
});
