import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { generatePrivateKey, publicKeyOf } from "@keyhearth/crypto/keys/keys";
import { ApiKeyStamper } from "@turnkey/api-key-stamper";
import { TurnkeyClient } from "@turnkey/http";
import type { Browser, CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  addAuthenticator,
  closePages,
  hasBrowser,
  openAuthenticator,
  sharedBrowser,
} from "../start/browser.ts";
import { type Product, startProduct } from "./product.ts";

// Passkeys in a real browser, with a virtual authenticator of Chromium. The unmodified stamper runs in
// a page and stamps the requests of the unmodified client.

describe.runIf(hasBrowser)("passkeys", () => {
  let product: Product;
  let browser: Browser;
  let page: Page;
  let devTools: CDPSession;
  let rootOrganizationId: string;

  beforeAll(async () => {
    product = await startProduct({ KEYHEARTH_SIGNUP: "open" });
    const described = await fetch(`${product.url}/.well-known/keyhearth.json`);
    ({ rootOrganizationId } = (await described.json()) as { rootOrganizationId: string });
    browser = await sharedBrowser();
    page = await openPage(browser, product.url.replace("127.0.0.1", "localhost"));
    ({ devTools } = await openAuthenticator(page));
  });
  afterAll(async () => {
    await closePages();
    await product?.stop();
  });

  /** Makes a passkey in the page, in the form of the parameters. */
  function register(name: string, attestation: AttestationConveyancePreference = "none") {
    return page.evaluate(
      ([userName, conveyance]) => window.passkeys.register(userName, conveyance),
      [name, attestation] as const,
    );
  }

  type Passkey = Awaited<ReturnType<typeof register>>;

  /** The unmodified stamper, with one passkey. */
  function stamperOf({ attestation: { credentialId } }: Passkey) {
    return {
      stamp: (body: string) =>
        page.evaluate(([id, text]) => window.passkeys.stamp(id, text), [
          credentialId,
          body,
        ] as const),
    };
  }

  const clientOf = (passkey: Passkey) =>
    new TurnkeyClient({ baseUrl: product.url }, stamperOf(passkey));

  const now = () => String(Date.now());

  /** Signs up with a passkey. The official client does not know this endpoint. */
  async function signUp(passkey: Passkey) {
    const body = JSON.stringify({
      type: "ACTIVITY_TYPE_CREATE_ORGANIZATION_V2",
      timestampMs: now(),
      organizationId: rootOrganizationId,
      parameters: { organizationName: "Acme", rootUserName: "Ada", rootAuthenticator: passkey },
    });
    const answer = await submit("create_organization", body, await stamperOf(passkey).stamp(body));
    return answer.activity.result.createOrganizationResult as {
      organizationId: string;
      userId: string;
    };
  }

  async function submit(endpoint: string, body: string, stamp: Stamp) {
    const response = await fetch(`${product.url}/public/v1/submit/${endpoint}`, {
      method: "POST",
      headers: { [stamp.stampHeaderName]: stamp.stampHeaderValue },
      body,
    });
    const answer = (await response.json()) as {
      message?: string;
      activity: { result: Record<string, unknown> };
    };
    expect(answer.message).toBeUndefined();
    return answer;
  }

  test("a person signs up, creates a sub-organization, signs, adds a passkey, logs in and out", async () => {
    const passkey = await register("Ada");
    const { organizationId, userId } = await signUp(passkey);
    const client = clientOf(passkey);
    expect(await client.getWhoami({ organizationId })).toMatchObject({ organizationId, userId });
    const { origin } = new URL(page.url());
    await client.setOrganizationFeature({
      type: "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE",
      timestampMs: now(),
      organizationId,
      parameters: { name: "FEATURE_NAME_WEBAUTHN_ORIGINS", value: origin },
    });

    const childPasskey = await register("Grace");
    const { activity: created } = await client.createSubOrganization({
      type: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8",
      timestampMs: now(),
      organizationId,
      parameters: {
        subOrganizationName: "Grace",
        rootUsers: [
          { userName: "Grace", apiKeys: [], authenticators: [childPasskey], oauthProviders: [] },
        ],
        rootQuorumThreshold: 1,
        wallet: { walletName: "default", accounts: [ethereumAccount] },
      },
    });
    const made = created.result.createSubOrganizationResultV8;
    const child = made?.subOrganizationId ?? "";
    const childUserId = made?.rootUserIds?.[0] ?? "";
    const grace = clientOf(childPasskey);
    expect(await grace.getWhoami({ organizationId })).toMatchObject({ organizationId: child });

    const signWith = made?.wallet?.addresses[0] ?? "";
    const signed = await grace.signRawPayload(signature(child, signWith));
    expect(signed.activity.status).toBe("ACTIVITY_STATUS_COMPLETED");

    const second = await register("Grace's other one", "direct");
    await grace.createAuthenticators({
      type: "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2",
      timestampMs: now(),
      organizationId: child,
      parameters: { userId: childUserId, authenticators: [second] },
    });
    const { authenticators } = await grace.getAuthenticators({
      organizationId: child,
      userId: childUserId,
    });
    expect(authenticators.map(({ attestationType }) => attestationType)).toEqual([
      "none",
      "packed",
    ]);

    const privateKey = generatePrivateKey("CURVE_P256");
    const apiPublicKey = encodeHex(publicKeyOf("CURVE_P256", privateKey));
    const other = clientOf(second);
    const login = await other.stampLogin({
      type: "ACTIVITY_TYPE_STAMP_LOGIN",
      timestampMs: now(),
      organizationId: child,
      parameters: { publicKey: apiPublicKey },
    });
    expect(login.activity.result.stampLoginResult?.session).toMatch(/^ey/);
    const apiPrivateKey = encodeHex(privateKey);
    const session = new TurnkeyClient(
      { baseUrl: product.url },
      new ApiKeyStamper({ apiPublicKey, apiPrivateKey }),
    );
    await session.signRawPayload(signature(child, signWith));

    const body = JSON.stringify({
      type: "ACTIVITY_TYPE_LOG_OUT_EVERYWHERE",
      timestampMs: now(),
      organizationId: child,
      parameters: { userId: childUserId },
    });
    await submit("log_out_everywhere", body, await stamperOf(childPasskey).stamp(body));
    await expect(session.getWhoami({ organizationId: child })).rejects.toThrow(
      "could not find public key in organization or its parent organization",
    );
    expect(await grace.getWhoami({ organizationId: child })).toMatchObject({ userId: childUserId });
  });

  test("a security key of the first generation is registered with its statement", async () => {
    const passkey = await register("Ada");
    const { organizationId, userId } = await signUp(passkey);
    const authenticatorId = await addAuthenticator(devTools, "u2f");
    const old = await register("security key", "direct");
    await clientOf(passkey).createAuthenticators({
      type: "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2",
      timestampMs: now(),
      organizationId,
      parameters: { userId, authenticators: [old] },
    });
    expect(await clientOf(old).getWhoami({ organizationId })).toMatchObject({ userId });
    await devTools.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
  });

  const signature = (organizationId: string, signWith: string) => ({
    type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2" as const,
    timestampMs: now(),
    organizationId,
    parameters: {
      signWith,
      payload: "hello",
      encoding: "PAYLOAD_ENCODING_TEXT_UTF8" as const,
      hashFunction: "HASH_FUNCTION_SHA256" as const,
    },
  });
});

type Stamp = { stampHeaderName: string; stampHeaderValue: string };

const ethereumAccount = {
  curve: "CURVE_SECP256K1" as const,
  pathFormat: "PATH_FORMAT_BIP32" as const,
  path: "m/44'/60'/0'/0/0",
  addressFormat: "ADDRESS_FORMAT_ETHEREUM" as const,
};

/** What the page offers to the tests. */
declare global {
  interface Window {
    passkeys: {
      register(
        name: string,
        attestation: AttestationConveyancePreference,
      ): Promise<{
        authenticatorName: string;
        challenge: string;
        attestation: {
          credentialId: string;
          clientDataJson: string;
          attestationObject: string;
          transports: "AUTHENTICATOR_TRANSPORT_INTERNAL"[];
        };
      }>;
      stamp(credentialId: string, body: string): Promise<Stamp>;
    };
  }
}

/** A page of the service's origin that loads the stamper as it was published. */
async function openPage(browser: Browser, url: string): Promise<Page> {
  const page = await browser.newPage();
  const modules = fileURLToPath(new URL("../../node_modules/", import.meta.url));
  await page.route("**/test-modules/**", (route) => {
    const path = new URL(route.request().url()).pathname.replace("/test-modules/", "");
    return route.fulfill({
      contentType: "text/javascript",
      body: readFileSync(modules + path, "utf8"),
    });
  });
  await page.route("**/test-page", (route) =>
    route.fulfill({ contentType: "text/html", body: html }),
  );
  await page.goto(`${url}/test-page`);
  await page.waitForFunction(() => window.passkeys !== undefined);
  return page;
}

const html = `<!doctype html>
<script type="importmap">
{
  "imports": {
    "@turnkey/webauthn-stamper": "/test-modules/@turnkey/webauthn-stamper/dist/index.mjs",
    "sha256-uint8array": "/test-modules/sha256-uint8array/dist/sha256-uint8array.mjs"
  }
}
</script>
<script type="module">
import { WebauthnStamper } from "@turnkey/webauthn-stamper";

const options = { alphabet: "base64url", omitPadding: true };
const encode = (bytes) => new Uint8Array(bytes).toBase64(options);

window.passkeys = {
  async register(name, attestation) {
    const challenge = crypto.getRandomValues(new Uint8Array(32));
    const credential = await navigator.credentials.create({
      publicKey: {
        rp: { id: location.hostname, name: "Keyhearth" },
        user: { id: crypto.getRandomValues(new Uint8Array(16)), name, displayName: name },
        challenge,
        pubKeyCredParams: [-7, -257].map((alg) => ({ type: "public-key", alg })),
        authenticatorSelection: { authenticatorAttachment: name === "security key" ? "cross-platform" : "platform" },
        attestation,
      },
    });
    const { response } = credential;
    return {
      authenticatorName: name,
      challenge: encode(challenge),
      attestation: {
        credentialId: encode(credential.rawId),
        clientDataJson: encode(response.clientDataJSON),
        attestationObject: encode(response.attestationObject),
        transports: response.getTransports().map((name) => "AUTHENTICATOR_TRANSPORT_" + name.toUpperCase()),
      },
    };
  },
  stamp(credentialId, body) {
    const id = Uint8Array.fromBase64(credentialId, { alphabet: "base64url" });
    const allowCredentials = [{ type: "public-key", id }];
    return new WebauthnStamper({ rpId: location.hostname, allowCredentials }).stamp(body);
  },
};
</script>`;
