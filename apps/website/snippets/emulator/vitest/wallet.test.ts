import { expect, test } from "vitest";
import { emulator, newClient } from "./client.ts";

const client = await newClient();

test("a wallet is made", async () => {
  await client.createWallet({ walletName: "Treasury", accounts: [] });
  const { wallets } = await client.listWallets();
  expect(wallets.map(({ walletName }) => walletName)).toEqual(["Treasury"]);
});

test("somebody who is invited gets a mail", async () => {
  const { userId } = await client.whoami();
  await client.createInvitations({
    invitations: [
      {
        receiverUserName: "Grace",
        receiverUserEmail: "grace@example.com",
        receiverUserTags: [],
        accessType: "ACCESS_TYPE_ALL",
        senderUserId: userId,
      },
    ],
  });
  const [mail] = await emulator.messages("grace@example.com");
  expect(mail?.code).toBeTruthy();
});
