import { ethereumAccount } from "@keyhearth/engine/organization.testing";
import { expect, test } from "vitest";
import { newOrganization } from "../testing.ts";
import { expectNotFound, expectOnlyFamilyReads, someTimes, unknownId } from "./queries.testing.ts";

test("a wallet is shown without its accounts", async () => {
  const { root } = await newOrganization();
  const { walletId } = await root.createWallet({
    walletName: "treasury",
    accounts: [ethereumAccount],
  });
  expect(await root.getWallet({ walletId })).toEqual({
    wallet: {
      walletId,
      walletName: "treasury",
      ...someTimes,
      exported: false,
      imported: false,
    },
  });
});

test("a wallet that is unknown, or another organization's, is not found", async () => {
  const { root } = await newOrganization();
  const other = await newOrganization();
  const made = await other.root.createWallet({ walletName: "theirs", accounts: [] });
  for (const walletId of [unknownId, made.walletId]) {
    await expectNotFound(root.getWallet({ walletId }), {
      field: "walletId",
      message: `wallet not found: \`${walletId}\``,
    });
  }
});

test("the organization and its parent may read it, nobody else", async () => {
  await expectOnlyFamilyReads("get_wallet", async ({ root }) => {
    const { walletId } = await root.createWallet({ walletName: "treasury", accounts: [] });
    return { walletId };
  });
});
