import { newOrganization } from "@keyhearth/api/testing";
import { KeyhearthClient } from "@keyhearth/sdk";
import { expect, test } from "vitest";
import {
  passkeyStamper,
  registerPasskey,
} from "../../apps/website/snippets/react-native/passkeys.ts";
import { newPhone } from "../../packages/sdk/src/stampers/phone.testing.ts";

// The snippet of the page about native passkeys, with a phone in software behind it. The real service verifies the stamps.

test("the page's functions register a passkey, and stamp as its user", async () => {
  const { organizationId, userId, root, server } = await newOrganization();
  const { passkeys } = newPhone();
  const authenticator = await registerPasskey(passkeys, "Ada");
  await root.createAuthenticators({ userId, authenticators: [authenticator] });
  const client = new KeyhearthClient({
    baseUrl: "http://keyhearth.test",
    organizationId,
    stamper: passkeyStamper(passkeys),
    fetch: server.fetch,
  });
  expect((await client.whoami()).userId).toBe(userId);
  const { walletId } = await client.createWallet({ walletName: "Phone", accounts: [] });
  expect(walletId).toMatch(/^[0-9a-f-]{36}$/);
});
