import { decodeBase64Url, encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { expect, test } from "vitest";
import { ApiError } from "../errors.ts";
import { browserParams, newPasskey, passkeyOf } from "../passkey.testing.ts";
import type { Authenticator, User } from "../records/organization.ts";
import {
  checkAuthenticatorCount,
  checkAuthenticators,
  createAuthenticators,
  fromBrowser,
} from "./authenticators.ts";
import { createRegistrations } from "./passkey-registrations.ts";

const nowMs = 1_767_225_600_000;
const registrations = createRegistrations({
  origins: () => ["*"],
  verdicts: new Map(),
  nowMs,
});

function errorOf(act: () => unknown): ApiError {
  try {
    act();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

test("a passkey in the document has an id, a name, what its authenticator says, and times", () => {
  const [one, two] = [newPasskey(), newPasskey()];
  const newId = (name: string) => `id of ${name}`;
  const params = [one.params, { ...two.params, authenticatorName: "key" }];
  const created = createAuthenticators(params, { newId, nowMs, registrations });
  const times = { createdAtMs: nowMs, updatedAtMs: nowMs };
  expect(created).toEqual([
    {
      authenticatorId: "id of authenticator/0",
      authenticatorName: "phone",
      ...registrations.read(one.params, "field"),
      ...times,
    },
    {
      authenticatorId: "id of authenticator/1",
      authenticatorName: "key",
      ...registrations.read(two.params, "field"),
      ...times,
    },
  ]);
});

test("what an authenticator says wrongly is named by its place in the list", () => {
  const { params } = newPasskey();
  const wrong = { ...params, challenge: "AAAA" };
  const given = { newId: (name: string) => name, nowMs, registrations };
  expect(errorOf(() => createAuthenticators([params, wrong], given)).field).toBe(
    "authenticators[1].attestation.clientDataJson",
  );
  const taken = new Set<string>();
  const check = () =>
    checkAuthenticators([wrong, params, wrong], "field", { taken, registrations });
  const { details } = errorOf(check);
  expect(details.map(({ field }) => field)).toEqual([
    "field[0].attestation.clientDataJson",
    "field[2].attestation.clientDataJson",
  ]);
});

test("nobody may have the key or the credential id of a passkey already", () => {
  const passkey = newPasskey();
  const sameKey = passkeyOf({ ...passkey, id: new Uint8Array(16) });
  const sameId = passkeyOf({ ...newPasskey(), id: decodeBase64Url(passkey.credentialId) });
  const names = new Set<string>();
  const check = (taken: Set<string>, ...passkeys: { params: typeof passkey.params }[]) =>
    checkAuthenticators(
      passkeys.map(({ params }) => params),
      "field",
      { taken, registrations },
    );
  check(names, passkey, newPasskey());
  expect(names.size).toBe(4);
  expect(names).toContain(`credential id ${passkey.credentialId}`);
  expect(names).toContain(encodeHex(passkey.publicKey));
  for (const again of [passkey, sameKey, sameId]) {
    const expected = {
      code: "ALREADY_EXISTS",
      reason: "PUBLIC_KEY_TAKEN",
      field: "field[1].attestation",
      message: `a credential with the credential ID \`${again.credentialId}\`, or with its public key, already exists in this organization`,
    };
    expect(errorOf(() => check(new Set(names), newPasskey(), again))).toMatchObject(expected);
    expect(errorOf(() => check(new Set(), passkey, again))).toMatchObject(expected);
  }
});

test("a user has at most ten passkeys, with those that the user has", () => {
  const userWith = (count: number) => {
    // Only their number is read.
    const authenticators = Array.from({ length: count }, () => ({}) as Authenticator);
    return { authenticators } as User;
  };
  const params = (count: number) => Array.from({ length: count }, () => newPasskey().params);
  const check = (user: User | null, count: number) => () =>
    checkAuthenticatorCount(user, params(count), "parameters.authenticators");
  expect(check(null, 10)).not.toThrow();
  expect(check(userWith(8), 2)).not.toThrow();
  for (const refused of [check(null, 11), check(userWith(8), 3), check(userWith(10), 1)]) {
    expect(errorOf(refused)).toMatchObject({
      code: "RESOURCE_EXHAUSTED",
      reason: "LIMIT_EXCEEDED",
      field: "parameters.authenticators",
      message: "user has exceeded maximum authenticators: a user may have 10",
    });
  }
});

test("what a browser returns is the same passkey, with or without transports", () => {
  const passkey = newPasskey();
  const { params } = passkey;
  const returned = browserParams(passkey, "ada");
  expect(fromBrowser(returned)).toEqual(params);
  const { transports: _, ...response } = returned.attestation.response;
  const older = { ...returned, attestation: { ...returned.attestation, response } };
  expect(fromBrowser(older)).toEqual({
    ...params,
    attestation: { ...params.attestation, transports: [] },
  });
});
