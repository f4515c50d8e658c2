import { randomBytes } from "node:crypto";
import type { ProxyFamily } from "@keyhearth/api/proxy/proxy.testing";
import { newEmail, signUpOf, verify } from "@keyhearth/api/proxy/proxy.testing";
import { newKey } from "@keyhearth/api/testing";
import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { publicKeyOf } from "@keyhearth/crypto/keys/keys";
import { newToken } from "@keyhearth/engine/oidc.testing";
import { newPasskey } from "@keyhearth/engine/passkey.testing";

// The rules of sign-ups, once: the service's login proxy and the handler for an app's own server are asked the same.

export type Outcome = 200 | readonly [status: number, code: string, field?: string];

export type SignUpCase = {
  name: string;
  /** What is sent. Two bodies are sent one after the other, and the last one is the case. */
  bodies(family: ProxyFamily): object[] | Promise<object[]>;
  /** What differs from a backend that offers everything. */
  settings?: { methods?: string[]; signUp?: boolean };
  outcome: Outcome;
};

const nobody = { apiKeys: [], authenticators: [], oauthProviders: [] };

/** A key of a page, which lasts for a minute. */
const pageKey = (more: object = {}) => ({
  apiKeyName: "page",
  publicKey: newKey().publicKey,
  curveType: "API_KEY_CURVE_P256",
  expirationSeconds: "60",
  ...more,
});

function walletKey(curve: "SECP256K1" | "ED25519" = "SECP256K1", more: object = {}) {
  const publicKey = encodeHex(publicKeyOf(`CURVE_${curve}`, randomBytes(32)));
  return { apiKeyName: "wallet", publicKey, curveType: `API_KEY_CURVE_${curve}`, ...more };
}

const passkey = () => newPasskey().params;

const social = (claims: object = {}) => ({
  providerName: "Example",
  oidcToken: newToken({ sub: `somebody ${Math.random()}`, ...claims }),
});

/** Somebody who has typed the code that was sent to them. */
async function proven(family: ProxyFamily, contact = newEmail()) {
  const key = newKey();
  return signUpOf(contact, await verify(family, { contact, key }), key);
}

const one = (body: object) => () => [{ ...nobody, ...body }];
const FIELD = "FIELD_INVALID";

export const cases: readonly SignUpCase[] = [
  {
    name: "a passkey with a key for a minute",
    bodies: () => one({ apiKeys: [pageKey()], authenticators: [passkey()] })(),
    outcome: 200,
  },
  {
    name: "a passkey without a key",
    bodies: () => one({ authenticators: [passkey()] })(),
    outcome: 200,
  },
  {
    name: "a wallet's key alone",
    bodies: () => one({ apiKeys: [walletKey()] })(),
    outcome: 200,
  },
  {
    name: "a key without an end, alone",
    bodies: () => one({ apiKeys: [pageKey({ expirationSeconds: undefined })] })(),
    outcome: 200,
  },
  {
    name: "a key that ends, alone",
    bodies: () => one({ apiKeys: [pageKey({ expirationSeconds: "901" })] })(),
    outcome: [400, "USER_WITHOUT_CREDENTIAL"],
  },
  {
    name: "a social login alone",
    bodies: () => one({ oauthProviders: [social()] })(),
    outcome: 200,
  },
  {
    name: "a contact with its token",
    bodies: async (family) => [await proven(family)],
    outcome: 200,
  },

  { name: "nothing", bodies: one({}), outcome: [400, FIELD, "authenticators"] },
  {
    name: "nothing but a key for a minute",
    bodies: () => one({ apiKeys: [pageKey()] })(),
    outcome: [400, FIELD, "authenticators"],
  },
  {
    name: "an email address without a token",
    bodies: () => one({ userEmail: newEmail(), authenticators: [passkey()] })(),
    outcome: [400, FIELD, "userEmail"],
  },
  {
    name: "a phone number without a token",
    bodies: () => one({ userPhoneNumber: "+14155550100", authenticators: [passkey()] })(),
    outcome: [400, FIELD, "userPhoneNumber"],
  },
  {
    name: "a contact with the token of another one",
    bodies: async (family) => [{ ...(await proven(family)), userEmail: newEmail() }],
    outcome: [400, FIELD, "userEmail"],
  },
  {
    name: "a token, and no contact",
    bodies: async (family) => [{ ...(await proven(family)), userEmail: undefined }],
    outcome: [400, FIELD, "userEmail"],
  },
  {
    name: "a second contact beside the proven one",
    bodies: async (family) => [{ ...(await proven(family)), userPhoneNumber: "+14155550100" }],
    outcome: [400, FIELD, "userEmail"],
  },
  {
    name: "a token that nobody signed",
    bodies: async (family) => [{ ...(await proven(family)), verificationToken: "e30.e30.e30" }],
    outcome: [400, "VERIFICATION_TOKEN_INVALID", "verificationToken"],
  },

  ...(
    [
      ["a key that lasts", () => pageKey({ expirationSeconds: "901" })],
      ["a key without an end", () => pageKey({ expirationSeconds: undefined })],
      ["a wallet's key for a minute", () => walletKey("SECP256K1", { expirationSeconds: "60" })],
      ["a Solana wallet's key", () => walletKey("ED25519", { expirationSeconds: "900" })],
    ] as const
  ).flatMap(([what, key]): SignUpCase[] => [
    {
      name: `${what} beside a passkey`,
      bodies: () => one({ apiKeys: [key()], authenticators: [passkey()] })(),
      outcome: [400, FIELD, "apiKeys"],
    },
    {
      name: `${what} beside a page's own`,
      bodies: () => one({ apiKeys: [key(), pageKey()] })(),
      outcome: [400, FIELD, "apiKeys"],
    },
    {
      name: `${what} beside a contact`,
      bodies: async (family) => [{ ...(await proven(family)), apiKeys: [key()] }],
      outcome: [400, FIELD, "apiKeys"],
    },
    {
      name: `${what} beside a social login`,
      bodies: () => one({ apiKeys: [key()], oauthProviders: [social()] })(),
      outcome: [400, FIELD, "apiKeys"],
    },
  ]),
  {
    name: "a key that ends at once, beside a passkey",
    bodies: () =>
      one({ apiKeys: [pageKey({ expirationSeconds: "0" })], authenticators: [passkey()] })(),
    outcome: [400, FIELD],
  },

  {
    name: "two social logins",
    bodies: () => one({ oauthProviders: [social(), social()] })(),
    outcome: [400, FIELD, "oauthProviders"],
  },
  {
    name: "a social login beside a passkey",
    bodies: () => one({ oauthProviders: [social()], authenticators: [passkey()] })(),
    outcome: [400, FIELD, "oauthProviders"],
  },
  {
    name: "a social login beside a page's key",
    bodies: () => one({ oauthProviders: [social()], apiKeys: [pageKey()] })(),
    outcome: [400, FIELD, "oauthProviders"],
  },
  {
    name: "a social login beside a contact",
    bodies: async (family) => [{ ...(await proven(family)), oauthProviders: [social()] }],
    outcome: [400, FIELD, "oauthProviders"],
  },
  {
    name: "a social login whose token is for another app",
    bodies: () => one({ oauthProviders: [social({ aud: "another-app" })] })(),
    outcome: [400, "OIDC_TOKEN_INVALID", "oauthProviders[0].oidcToken"],
  },
  {
    name: "claims of a social login without a token",
    bodies: () => {
      const oidcClaims = { iss: "https://a.example", sub: "1", aud: "2" };
      return one({ oauthProviders: [{ providerName: "Example", oidcClaims }] })();
    },
    outcome: [400, FIELD, "oauthProviders[0].oidcToken"],
  },

  {
    name: "a passkey that has an account",
    bodies: () => {
      const authenticators = [passkey()];
      return [one({ authenticators })(), one({ authenticators, apiKeys: [pageKey()] })()].flat();
    },
    outcome: [409, "ALREADY_EXISTS", "authenticators[0].attestation.credentialId"],
  },
  {
    name: "a wallet's key that has an account",
    bodies: () => {
      const key = walletKey();
      const written = { ...key, publicKey: key.publicKey.toUpperCase() };
      return [one({ apiKeys: [key] })(), one({ apiKeys: [written] })()].flat();
    },
    outcome: [409, "ALREADY_EXISTS", "apiKeys[0].publicKey"],
  },
  {
    name: "a social login that has an account",
    bodies: () => {
      const sub = `ada ${Math.random()}`;
      return ["1", "2"].flatMap((jti) => one({ oauthProviders: [social({ sub, jti })] })());
    },
    outcome: [409, "ALREADY_EXISTS", "oauthProviders[0].oidcToken"],
  },
  {
    name: "a contact that has an account",
    bodies: async (family) => {
      const contact = newEmail();
      return [await proven(family, contact), await proven(family, contact)];
    },
    outcome: [409, "ALREADY_EXISTS", "userEmail"],
  },

  {
    name: "a passkey, which is not offered",
    bodies: () => one({ authenticators: [passkey()] })(),
    settings: { methods: ["email"] },
    outcome: [403, "FEATURE_DISABLED", "authenticators"],
  },
  {
    name: "a wallet's key, which is not offered",
    bodies: () => one({ apiKeys: [walletKey()] })(),
    settings: { methods: ["email", "passkey"] },
    outcome: [403, "FEATURE_DISABLED", "apiKeys"],
  },
  {
    name: "a passkey, where nobody signs up",
    bodies: () => one({ authenticators: [passkey()] })(),
    settings: { signUp: false },
    outcome: [403, "FEATURE_DISABLED"],
  },
];

/** Which wallet an account gets: the organization's, before what a visitor's page asks for. */
export const wallets: readonly {
  name: string;
  set: string | undefined;
  given: string | undefined;
  made: string[];
}[] = [
  { name: "none", set: undefined, given: undefined, made: [] },
  { name: "that of the page", set: undefined, given: "page", made: ["page"] },
  { name: "that of the settings", set: "settings", given: undefined, made: ["settings"] },
  {
    name: "that of the settings alone, whatever the page asks for",
    set: "settings",
    given: "page",
    made: ["settings"],
  },
];

export const signUpWithWallet = (walletName: string | undefined) => ({
  ...nobody,
  authenticators: [passkey()],
  ...(walletName !== undefined && { wallet: { walletName, accounts: [] } }),
});
