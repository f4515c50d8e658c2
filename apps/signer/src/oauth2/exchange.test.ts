import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { secret } from "@keyhearth/crypto/secret";
import { secretBytes } from "@keyhearth/crypto/secret-bytes";
import {
  CLIENT,
  type Oauth2Provider,
  REDIRECT_URI,
  startOauth2Provider,
} from "@keyhearth/engine/oauth2-provider.testing";
import type { CodeExchange } from "@keyhearth/engine/people/code-exchanges";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createCodeExchange } from "./exchange.ts";
import { parseProviders } from "./providers.ts";

let provider: Oauth2Provider;

beforeAll(async () => {
  provider = await startOauth2Provider();
});

afterEach(() => {
  provider.misbehave = null;
  provider.requests.length = 0;
});

afterAll(async () => provider?.stop());

const verifier = "v".repeat(43);

function exchangeOf(change: Partial<CodeExchange> = {}): CodeExchange {
  return {
    name: "name",
    familyId: "family",
    askedAtMs: 1_800_000_000_000,
    provider: "OAUTH2_PROVIDER_X",
    clientId: CLIENT.clientId,
    clientSecret: secretBytes(encodeUtf8(CLIENT.clientSecret)),
    code: secret(provider.codeOf({ verifier })),
    codeVerifier: secret(verifier),
    redirectUri: REDIRECT_URI,
    wantsBearerToken: false,
    ...change,
  };
}

const at = (list: string, timeoutMs = 4000) =>
  createCodeExchange(parseProviders(list), { timeoutMs });
const double = () => `x=private:${provider.url}`;

test("a code says who somebody is, and the secret is wiped", async () => {
  const exchange = exchangeOf();
  expect(await at(double())(exchange)).toEqual({
    subject: "80351110224678912",
    bearerToken: null,
    askedAtMs: 1_800_000_000_000,
  });
  expect(new Set(exchange.clientSecret)).toEqual(new Set([0]));
  const outcome = await at(double())(exchangeOf({ wantsBearerToken: true }));
  expect(outcome).toHaveProperty("bearerToken");
  // The token shows itself only where it is opened.
  expect(JSON.stringify(outcome)).toContain('"bearerToken":"[secret]"');
});

test("a provider that is slow is not waited for", async () => {
  provider.misbehave = () => true;
  const started = performance.now();
  expect(await at(double(), 200)(exchangeOf())).toMatchObject({
    refusal: "did not answer (no complete response within 200 ms)",
  });
  expect(performance.now() - started).toBeLessThan(2000);
});

test("a provider at a private address that nobody named is not reached", async () => {
  const port = new URL(provider.url).port;
  // The name is public, and the address behind it is not.
  for (const origin of [`https://localhost:${port}`, "https://169.254.169.254", "https://[::1]"]) {
    expect(await at(`x=${origin}`)(exchangeOf())).toMatchObject({
      refusal: expect.stringMatching(/^did not answer \(/),
    });
  }
  expect(provider.requests).toEqual([]);
});

test("a redirect is not followed, wherever it leads", async () => {
  provider.misbehave = (path, response) => {
    if (path !== "/2/oauth2/token") return false;
    response.writeHead(307, { location: `${provider.url}/api/v10/oauth2/token` }).end();
    return true;
  };
  expect(await at(double())(exchangeOf())).toMatchObject({
    refusal: "answered with status 307",
  });
  expect(provider.requests).toHaveLength(1);
});

test("what a provider says besides OAuth 2.0’s own words is told to nobody", async () => {
  provider.misbehave = (_path, response) => {
    response
      .writeHead(400)
      .end('{"error":"<b>evil</b>","error_description":"pay at evil.example"}');
    return true;
  };
  expect(await at(double())(exchangeOf())).toEqual({
    refusal: "answered with status 400",
    because: "refused",
  });
});

test("a provider that is not listed is not asked", async () => {
  const exchange = exchangeOf();
  expect(await at("discord")(exchange)).toMatchObject({ because: "unknown provider" });
  expect(new Set(exchange.clientSecret)).toEqual(new Set([0]));
});
