import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { newOrganization, startTestServer, type TestServer } from "@keyhearth/api/testing";
import { codeOf, offerCodes, signLogin, tokenIdOf } from "@keyhearth/engine/otps.testing";
import { encryptOtpCodeToBundle, verifyOtpVerificationToken } from "@turnkey/crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newApiKeyPair, type Release, releases, rootUserParams } from "./clients.ts";

// Logins by one-time codes with the unmodified client, which checks the bundle and the token, and encrypts
// the code, with its own cryptography. The service runs in this process, so that the test reads the codes in
// the courier's place.

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

function verificationKey(): string {
  const described = service.signer.handle({ call: "describe" });
  if (described.kind !== "description") throw new Error("the signer does not describe itself");
  return described.verificationPublicKey;
}

describe("@turnkey/sdk-server", () => {
  test.each(["ada@example.com", "+14155550100"])(
    "logs in by a code sent to %s",
    async (contact) => {
      const organization = await newOrganization(service);
      await offerCodes(organization);
      const { organizationId: parentId, rootKey } = organization;
      const { publicKey: apiPublicKey, privateKey: apiPrivateKey } = rootKey;
      const parent = newest.connect(url, parentId, { apiPublicKey, apiPrivateKey });
      const { subOrganizationId: organizationId, rootUserIds } = await parent.createSubOrganization(
        {
          subOrganizationName: "by code",
          rootUsers: [
            {
              ...rootUserParams("Ada", newApiKeyPair()),
              ...(contact.startsWith("+") ? { userPhoneNumber: contact } : { userEmail: contact }),
            },
          ],
          rootQuorumThreshold: 1,
        },
      );

      const { otpId, otpEncryptionTargetBundle } = await parent.initOtp({
        otpType: contact.startsWith("+") ? "OTP_TYPE_SMS" : "OTP_TYPE_EMAIL",
        contact,
        appName: "Example",
        alphanumeric: true,
      });
      const code = await codeOf(service, parentId, otpId);
      const device = newApiKeyPair();
      const pinned = verificationKey();
      const encryptedOtpBundle = await encryptOtpCodeToBundle(
        code,
        otpEncryptionTargetBundle,
        device.apiPublicKey,
        pinned,
      );
      const { verificationToken } = await parent.verifyOtp({ otpId, encryptedOtpBundle });
      const claims = await verifyOtpVerificationToken(verificationToken, pinned);
      expect(claims).toMatchObject({ contact, id: tokenIdOf(verificationToken) });

      const key = { publicKey: device.apiPublicKey, privateKey: device.apiPrivateKey };
      await parent.otpLogin({
        organizationId,
        verificationToken,
        publicKey: device.apiPublicKey,
        clientSignature: signLogin(key, verificationToken, device.apiPublicKey),
      });
      const ada = newest.connect(url, organizationId, device);
      expect(await ada.getWhoami()).toMatchObject({ organizationId, userId: rootUserIds?.[0] });
      await ada.createWallet({ walletName: "by code", accounts: [] });
    },
  );
});
