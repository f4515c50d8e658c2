import { connectEmulator } from "@keyhearth/cli/emulator";
import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";

const emulator = connectEmulator(process.env.KEYHEARTH_URL);
const { organizationId, ...apiKey } = await emulator.createOrganization();
const stamper = new ApiKeyStamper(apiKey);
const client = new KeyhearthClient({ baseUrl: emulator.url, organizationId, stamper });

test("a wallet is made", async () => {
  await client.createWallet({ walletName: "Treasury", accounts: [] });
  const { wallets } = await client.listWallets();
  expect(wallets.map(({ walletName }) => walletName)).toEqual(["Treasury"]);
});
