import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nonceFor } from "../oidc.testing.ts";
import { proveContact, proveContactOfSignup, proveIdentity } from "./proven-facts.ts";

const publicKey = `02${"ab".repeat(32)}`;
const other = `03${"ab".repeat(32)}`;
const code = {
  tokenId: "01980000-0000-7000-8000-000000000000",
  type: "OTP_TYPE_EMAIL" as const,
  contact: "ada@example.com",
  publicKey,
  sentAtMs: 0,
};
const contact = { type: "email", contact: "ada@example.com" };
const identity = { issuer: "https://accounts.example.com", audience: "my-app", subject: "ada" };

describe("a verification token proves its contact", () => {
  test("for what the key that it names has started, and for no other key", () => {
    expect(proveContact(code, { publicKey })?.fact).toEqual(contact);
    expect(proveContact(code, { publicKey: other })).toBeNull();
  });

  test("not if it names no key, whatever started the activity", () => {
    for (const starter of [publicKey, ""]) {
      expect(proveContact({ ...code, publicKey: null }, { publicKey: starter })).toBeNull();
    }
  });

  test("for a sign-up without a signature only if it names no key", () => {
    const given = { signature: undefined, field: "parameters.clientSignature" };
    const usage = { type: "USAGE_TYPE_SIGNUP", signupV2: {} } as const;
    const keyless = { ...code, publicKey: null };
    expect(proveContactOfSignup(keyless, given, usage, true)?.fact).toEqual(contact);
    for (const isOnlyRootUser of [true, false]) {
      expect(() => proveContactOfSignup(code, given, usage, isOnlyRootUser)).toThrow(
        "invalid client signature",
      );
    }
  });

  test("for no sign-up with other root users, whose word could count there", () => {
    const given = { signature: undefined, field: "parameters.clientSignature" };
    const usage = { type: "USAGE_TYPE_SIGNUP", signupV2: {} } as const;
    const keyless = { ...code, publicKey: null };
    expect(proveContactOfSignup(keyless, given, usage, false)).toBeNull();
  });
});

describe("an OpenID Connect token proves its identity", () => {
  const claims = (...keys: string[]) => ({
    ...identity,
    nonces: keys.map(nonceFor),
    issuedAtMs: 0,
  });

  test("for what the key of one of its nonces has started, and for no other key", () => {
    expect(proveIdentity(claims(other, publicKey), { publicKey })?.fact).toEqual(identity);
    expect(proveIdentity(claims(other), { publicKey })).toBeNull();
    expect(proveIdentity(claims(), { publicKey })).toBeNull();
    // The nonce is of the text in lower case.
    expect(proveIdentity(claims(publicKey.toUpperCase()), { publicKey })).toBeNull();
  });

  test("in a sub-organization that the parent creates, and never for nobody", () => {
    expect(proveIdentity(claims(), "parent")?.fact).toEqual(identity);
    expect(proveIdentity(claims(publicKey), "nobody")).toBeNull();
  });
});

test("nothing else in the core says that a contact or an identity is proven", () => {
  const root = join(import.meta.dirname, "..");
  const name = "(?:isProven|isEmailVerified|isPhoneNumberVerified)";
  const marks = new RegExp(`\\.${name} = |\\b${name}: true`);
  const writing = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !/\.(?:test|testing)\.ts$/.test(name))
    .filter((name) => marks.test(readFileSync(join(root, name), "utf8")));
  expect(writing.toSorted()).toEqual(["people/oauth-providers.ts", "people/verified-contacts.ts"]);
});
