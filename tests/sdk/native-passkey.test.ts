import { newOrganization, startTestServer, type TestServer } from "@keyhearth/api/testing";
import { newPasskey } from "@keyhearth/engine/passkey.testing";
import { KeyhearthClient } from "@keyhearth/sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type GetPasskey,
  NativePasskeyStamper,
} from "../../apps/website/snippets/react-native/passkey-stamper.ts";

// The stamper of the page about native passkeys, with a phone of the tests behind it: it answers as the native modules
// do, and the real service verifies the stamp.

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

test("a stamp of a native passkey is that of its user, for the bytes of one request", async () => {
  const { organizationId, userId, root } = await newOrganization(server);
  const passkey = newPasskey();
  await root.createAuthenticators({ userId, authenticators: [passkey.params] });

  const asked: Parameters<GetPasskey>[0][] = [];
  let body = "";
  const stamper = new NativePasskeyStamper({
    rpId: "app.example.com",
    credentialIds: [passkey.params.attestation.credentialId],
    async get(options) {
      asked.push(options);
      const stamp = JSON.parse(passkey.stamp(body));
      const { credentialId: id, clientDataJson: clientDataJSON, ...response } = stamp;
      // The phone signs the challenge that it was given, or the service refuses the stamp.
      const client = JSON.parse(Buffer.from(clientDataJSON, "base64url").toString());
      expect(client.challenge).toBe(options.challenge);
      return { id, response: { ...response, clientDataJSON } };
    },
  });
  const stamped = {
    stamp(text: string) {
      body = text;
      return stamper.stamp(text);
    },
  };
  const client = new KeyhearthClient({
    baseUrl: "http://keyhearth.test",
    organizationId,
    stamper: stamped,
    fetch: server.fetch,
  });
  expect((await client.whoami()).userId).toBe(userId);
  const { walletId } = await client.createWallet({ walletName: "Phone", accounts: [] });
  expect(walletId).toMatch(/^[0-9a-f-]{36}$/);
  expect(asked.map(({ rpId }) => rpId)).toEqual(["app.example.com", "app.example.com"]);
  expect(asked[0]?.allowCredentials).toEqual([
    { type: "public-key", id: passkey.params.attestation.credentialId },
  ]);
});
