import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { newOrganization, startTestServer, type TestServer } from "@keyhearth/api/testing";
import { credentialMailsOf, offerMails } from "@keyhearth/engine/credential-mails.testing";
import { newPasskey } from "@keyhearth/engine/passkey.testing";
import { decryptCredentialBundle, generateP256KeyPair, getPublicKey } from "@turnkey/crypto";
import { uint8ArrayFromHexString, uint8ArrayToHexString } from "@turnkey/encoding";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newApiKeyPair, type Release, releases, rootUserParams } from "./clients.ts";

// Logins and recoveries by mail with the unmodified client, which opens the bundle of the mail with its own
// cryptography. The service runs in this process, so that the test reads the mails in the courier's place.

let service: TestServer;
let front: Server;
let url: string;

// The list begins with the newest release.
const newest = releases[0] as Release;

beforeAll(async () => {
  service = await startTestServer();
  front = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const answer = await service.fetch(`http://keyhearth.test${request.url}`, {
      method: request.method ?? "POST",
      // Node.js joins all of these but cookies, which no client sends.
      headers: request.headers as Record<string, string>,
      body: Buffer.concat(chunks),
    });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((listening) => front.listen(0, "127.0.0.1", listening));
  url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await new Promise((closed) => front?.close(closed));
  await service?.stop();
});

/** A parent that offers mails, with a client of its key, and a sub-organization whose user is Ada. */
async function newUser() {
  const organization = await newOrganization(service);
  await offerMails(organization);
  const { publicKey: apiPublicKey, privateKey: apiPrivateKey } = organization.rootKey;
  const parent = newest.connect(url, organization.organizationId, { apiPublicKey, apiPrivateKey });
  const { subOrganizationId: organizationId, rootUserIds } = await parent.createSubOrganization({
    subOrganizationName: "by mail",
    rootUsers: [{ ...rootUserParams("Ada", newApiKeyPair()), userEmail: "ada@example.com" }],
    rootQuorumThreshold: 1,
  });
  return { parent, organizationId, userId: rootUserIds?.[0] ?? "" };
}

/** What Ada's device does with the newest mail: it opens the bundle, and stamps with the key. */
async function openMail(organizationId: string, targetPrivateKey: string) {
  const mails = await credentialMailsOf({ server: service, organizationId });
  const { recipient, content } = mails.at(-1) ?? {};
  const apiPrivateKey = decryptCredentialBundle(content?.credentialBundle ?? "", targetPrivateKey);
  const apiPublicKey = uint8ArrayToHexString(
    getPublicKey(uint8ArrayFromHexString(apiPrivateKey), true),
  );
  return {
    recipient,
    client: newest.connect(url, organizationId, { apiPublicKey, apiPrivateKey }),
  };
}

describe("@turnkey/sdk-server", () => {
  test("logs in by mail", async () => {
    const { parent, organizationId, userId } = await newUser();
    const target = generateP256KeyPair();
    const asked = await parent.emailAuth({
      organizationId,
      email: "ada@example.com",
      targetPublicKey: target.publicKeyUncompressed,
      emailCustomization: { appName: "Example" },
      invalidateExisting: true,
    });
    expect(asked.userId).toBe(userId);
    const { recipient, client } = await openMail(organizationId, target.privateKey);
    expect(recipient).toBe("ada@example.com");
    expect(await client.getWhoami()).toMatchObject({ organizationId, userId });
    await client.createWallet({ walletName: "by mail", accounts: [] });
    const { apiKey } = await client.getApiKey({ apiKeyId: asked.apiKeyId });
    expect(apiKey.credential.type).toBe("CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256");
  });

  test("recovers a user by mail", async () => {
    const { parent, organizationId, userId } = await newUser();
    const target = generateP256KeyPair();
    const asked = await parent.initUserEmailRecovery({
      organizationId,
      email: "ada@example.com",
      targetPublicKey: target.publicKeyUncompressed,
      emailCustomization: { appName: "Example" },
    });
    expect(asked.userId).toBe(userId);
    const { client } = await openMail(organizationId, target.privateKey);
    await expect(client.createWallet({ walletName: "w", accounts: [] })).rejects.toThrow(
      /request not authorized/,
    );
    const { authenticatorId } = await client.recoverUser({
      userId,
      authenticator: newPasskey().params,
    });
    expect(authenticatorId).toHaveLength(1);
    const { user } = await parent.getUser({ organizationId, userId });
    expect(user.authenticators.map((each) => each.authenticatorId)).toEqual(authenticatorId);
    // What clients that poll with the key take as the end of the recovery.
    const again = client.recoverUser({ userId, authenticator: newPasskey().params });
    await expect(again).rejects.toThrow(/could not find public key in organization/);
  });
});
