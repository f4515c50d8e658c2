import { secret } from "@keyhearth/crypto/secret";
import { secretBytes } from "@keyhearth/crypto/secret-bytes";
import type { CodeExchange, ExchangeOutcome } from "@keyhearth/engine/people/code-exchanges";
import { expect, test } from "vitest";
import { createRememberedExchange } from "./remembered.ts";

const minute = 60_000;

function exchangeOf(
  name: string,
  code = "code",
  clientId = "client",
  familyId = "family",
): CodeExchange {
  return {
    name,
    familyId,
    askedAtMs: 0,
    provider: "OAUTH2_PROVIDER_DISCORD",
    clientId,
    clientSecret: secretBytes(Uint8Array.of(1, 2, 3)),
    code: secret(code),
    codeVerifier: secret("verifier"),
    redirectUri: "https://app.example.com",
    wantsBearerToken: false,
  };
}

function controlled(most?: number) {
  const state = {
    nowMs: 0,
    asked: 0,
    outcome: { subject: "1", bearerToken: null, askedAtMs: 0 } as ExchangeOutcome,
  };
  const exchangeCode = createRememberedExchange(
    async () => {
      state.asked += 1;
      return state.outcome;
    },
    { now: () => state.nowMs, ...(most && { most }) },
  );
  return { state, exchangeCode };
}

test("one request has one outcome, also while the provider is asked", async () => {
  const { state, exchangeCode } = controlled();
  const asked = [exchangeOf("a"), exchangeOf("a")];
  const outcomes = await Promise.all(asked.map(exchangeCode));
  expect([...outcomes, await exchangeCode(exchangeOf("a"))]).toEqual(
    [1, 2, 3].map(() => ({ subject: "1", bearerToken: null, askedAtMs: 0 })),
  );
  expect(state.asked).toBe(1);
});

test("a code of another request is refused, and its secret is wiped", async () => {
  const { state, exchangeCode } = controlled();
  await exchangeCode(exchangeOf("a"));
  const other = exchangeOf("b");
  expect(await exchangeCode(other)).toMatchObject({ refusal: expect.stringMatching(/works once/) });
  expect([...other.clientSecret]).toEqual([0, 0, 0]);
  expect(state.asked).toBe(1);
  // Another client’s codes are others, however they read.
  expect(await exchangeCode(exchangeOf("b", "code", "another"))).toMatchObject({ subject: "1" });
});

test("a failure is forgotten, and what was found is after ten minutes", async () => {
  const { state, exchangeCode } = controlled();
  state.outcome = { refusal: "did not answer", because: "refused" };
  await exchangeCode(exchangeOf("a"));
  state.outcome = { subject: "1", bearerToken: null, askedAtMs: 0 };
  expect(await exchangeCode(exchangeOf("b"))).toMatchObject({ subject: "1" });
  state.nowMs += 10 * minute - 1;
  expect(await exchangeCode(exchangeOf("c"))).toHaveProperty("refusal");
  state.nowMs += 1;
  expect(await exchangeCode(exchangeOf("c"))).toMatchObject({ subject: "1" });
});

test("no more are remembered than there is room for", async () => {
  const { state, exchangeCode } = controlled(2);
  for (const code of ["1", "2", "3"]) await exchangeCode(exchangeOf("a", code));
  await exchangeCode(exchangeOf("a", "3"));
  expect(state.asked).toBe(3);
  await exchangeCode(exchangeOf("a", "1"));
  expect(state.asked).toBe(4);
});

test("a family with many codes makes the signer forget its own, and none of another family", async () => {
  const { state, exchangeCode } = controlled(4);
  await exchangeCode(exchangeOf("a", "of another", "client", "another"));
  const codes = Array.from({ length: 50 }, (_, at) => `code ${at}`);
  for (const code of codes) await exchangeCode(exchangeOf("b", code));
  expect(state.asked).toBe(51);
  const stolen = exchangeOf("b", "of another", "client", "another");
  expect(await exchangeCode(stolen)).toMatchObject({
    refusal: expect.stringMatching(/works once/),
  });
  expect(await exchangeCode(exchangeOf("c", "code 49"))).toHaveProperty("refusal");
  expect(state.asked).toBe(51);
});
