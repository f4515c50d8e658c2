import { newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { generatePrivateKey, publicKeyOf } from "@keyhearth/crypto/keys/keys";
import { randomBytes } from "@keyhearth/crypto/primitives";
import { invite } from "@keyhearth/engine/invitations.testing";
import { passkeyOf, type TestPasskey } from "@keyhearth/engine/passkey.testing";
import { prepareAcceptance } from "@keyhearth/sdk/browser";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { accept } from "../../apps/website/snippets/browser/accept-invitation.ts";

// Somebody accepts an invitation in a page. The authenticator is one in software, and the page's requests go to
// the real service.

let organization: TestOrganization;
let made: PublicKeyCredentialCreationOptions[];
let bodies: string[];

beforeEach(async () => {
  organization = await newOrganization();
  made = [];
  bodies = [];
  const { server } = organization;
  vi.stubGlobal("location", new URL("https://app.example.com/join"));
  vi.stubGlobal("PublicKeyCredential", class {});
  vi.stubGlobal("navigator", { credentials: authenticator() });
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    bodies.push(String(init.body));
    return server.fetch(url, init);
  });
});

afterEach(() => void vi.unstubAllGlobals());

describe("a page with the mail of an invitation", () => {
  test("accepts it as the site shows, and the token never leaves the page", async () => {
    const { server, root } = organization;
    const mail = await invite(organization);
    const { userId, token } = mail;
    const accepted = await accept("http://keyhearth.test", mail, "Grace");
    expect(accepted).toMatchObject({ invitationId: mail.invitationId, userId });
    expect(bodies.length).toBeGreaterThan(0);
    expect(bodies.filter((body) => body.includes(token))).toEqual([]);
    const { user } = await root.getUser({ userId });
    expect(user).toMatchObject({
      userName: "Grace",
      authenticators: [{ authenticatorName: "Grace" }],
    });
    expect(JSON.stringify(server.events)).not.toContain(token);
  });

  test("registers the passkey with a random challenge, and the new user's id as the handle", async () => {
    const mail = await invite(organization);
    const options = { rp: { name: "Example" }, user: { name: "Grace" } };
    // A program in plain JavaScript may pass what the types do not allow.
    const careless = { ...options, challenge: mail.token };
    const parameters = [
      await prepareAcceptance(mail, options),
      await prepareAcceptance(mail, careless),
    ];
    const challenges = parameters.map(({ authenticator }) => authenticator.challenge);
    expect(new Set([...challenges, mail.token]).size).toBe(3);
    expect(challenges.map((text) => text.length)).toEqual([43, 43]);
    expect(made.map(({ user }) => user.id)).toEqual([mail.userId, mail.userId].map(encodeUtf8));
  });

  test.each(["organizationId", "invitationId", "userId", "token"] as const)(
    "shows no prompt if %s is malformed, and an error without the value",
    async (field) => {
      const mail = { ...(await invite(organization)), [field]: "no-such-thing" };
      const call = prepareAcceptance(mail, { rp: { name: "Example" }, user: { name: "Grace" } });
      await expect(call).rejects.toMatchObject({
        name: "InvalidField",
        field,
        message: expect.not.stringContaining("no-such-thing"),
      });
      expect(made).toEqual([]);
    },
  );
});

/** What a browser gives to pages, in front of passkeys in software. */
function authenticator() {
  const passkeys = new Map<string, TestPasskey>();
  const textOf = (source: BufferSource) => Buffer.from(source as Uint8Array).toString("base64url");
  return {
    async create({ publicKey }: { publicKey: PublicKeyCredentialCreationOptions }) {
      made.push(publicKey);
      const privateKey = generatePrivateKey("CURVE_P256");
      const keys = { privateKey, publicKey: publicKeyOf("CURVE_P256", privateKey) };
      const passkey = passkeyOf(
        { ...keys, id: randomBytes(16) },
        { challenge: textOf(publicKey.challenge), rpId: "app.example.com" },
      );
      passkeys.set(passkey.credentialId, passkey);
      const { attestation } = passkey.params;
      return {
        rawId: Buffer.from(passkey.credentialId, "base64url"),
        response: {
          clientDataJSON: Buffer.from(attestation.clientDataJson, "base64url"),
          attestationObject: Buffer.from(attestation.attestationObject, "base64url"),
        },
      };
    },
    async get({ publicKey }: { publicKey: PublicKeyCredentialRequestOptions }) {
      const [allowed] = publicKey.allowCredentials ?? [];
      const passkey = passkeys.get(allowed ? textOf(allowed.id) : "");
      if (!passkey) throw new DOMException("no passkey", "NotAllowedError");
      const stamp = JSON.parse(
        passkey.stamp("", { challenge: textOf(publicKey.challenge), rpId: "app.example.com" }),
      );
      const bytes = (text: string) => Buffer.from(text, "base64url");
      return {
        rawId: bytes(stamp.credentialId),
        response: {
          clientDataJSON: bytes(stamp.clientDataJson),
          authenticatorData: bytes(stamp.authenticatorData),
          signature: bytes(stamp.signature),
        },
      };
    },
  };
}
