import { secret } from "@keyhearth/crypto/secret";
import { secretBytes } from "@keyhearth/crypto/secret-bytes";
import type { CodeExchange, ExchangeOutcome } from "@keyhearth/engine/people/code-exchanges";
import { expect, test } from "vitest";
import { createBoundedExchange } from "./bounded.ts";

function exchangeOf(familyId: string): CodeExchange {
  return {
    name: "name",
    familyId,
    askedAtMs: 0,
    provider: "OAUTH2_PROVIDER_X",
    clientId: "client",
    clientSecret: secretBytes(Uint8Array.of(1, 2, 3)),
    code: secret("code"),
    codeVerifier: secret("verifier"),
    redirectUri: "https://app.example.com",
    wantsBearerToken: false,
  };
}

const found: ExchangeOutcome = { subject: "1", bearerToken: null, askedAtMs: 0 };
const wrong: ExchangeOutcome = { refusal: "refused it", because: "refused" };

/** A provider that answers when the test says so. */
function controlled(given: Parameters<typeof createBoundedExchange>[1] = {}) {
  const answers: ((outcome: ExchangeOutcome) => void)[] = [];
  const state = { nowMs: 0, answers };
  const ask = () => new Promise<ExchangeOutcome>((resolve) => void answers.push(resolve));
  return { state, exchangeCode: createBoundedExchange(ask, { now: () => state.nowMs, ...given }) };
}

const busy = { because: "busy" };

test("a family whose provider is slow holds a bounded number of connections, and another one gets its own", async () => {
  const { state, exchangeCode } = controlled();
  const waiting = Array.from({ length: 32 }, () => exchangeCode(exchangeOf("family")));
  expect(state.answers).toHaveLength(32);
  const refused = exchangeOf("family");
  expect(await exchangeCode(refused)).toMatchObject(busy);
  expect([...refused.clientSecret]).toEqual([0, 0, 0]);
  const other = exchangeCode(exchangeOf("another"));
  expect(state.answers).toHaveLength(33);
  for (const answer of state.answers) answer(found);
  expect(await Promise.all([...waiting, other])).toEqual(new Array(33).fill(found));
  void exchangeCode(exchangeOf("family"));
  expect(state.answers).toHaveLength(34);
});

test("many families hold a bounded number together, which leaves one for a family without any", async () => {
  const { state, exchangeCode } = controlled({ atOnce: { ofFamily: 2, inTotal: 4 } });
  for (const family of ["a", "a", "b", "b"]) void exchangeCode(exchangeOf(family));
  void exchangeCode(exchangeOf("c"));
  expect(state.answers).toHaveLength(5);
  expect(await exchangeCode(exchangeOf("c"))).toMatchObject(busy);
  for (const family of ["d", "e", "f"]) void exchangeCode(exchangeOf(family));
  expect(state.answers).toHaveLength(8);
  expect(await exchangeCode(exchangeOf("g"))).toMatchObject(busy);
});

test("a family with many wrong codes reaches no provider for a minute, and another one does", async () => {
  const { state, exchangeCode } = controlled();
  const ask = async (familyId: string, outcome: ExchangeOutcome = wrong) => {
    const asked = exchangeCode(exchangeOf(familyId));
    state.answers.pop()?.(outcome);
    return asked;
  };
  expect(await ask("family", found)).toEqual(found);
  for (let i = 0; i < 60; i++) expect(await ask("family")).toEqual(wrong);
  expect(await ask("family", found)).toMatchObject(busy);
  expect(await ask("another", found)).toEqual(found);
  state.nowMs = 60_000;
  expect(await ask("family", found)).toEqual(found);
});
