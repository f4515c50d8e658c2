import type { Requirement } from "./requirement.ts";

const noAuthorizationServer = "Keyhearth isn’t an authorization server.";
const noAccessTokens = "The API accepts no access tokens. Requests carry stamps.";
const notTheClient =
  "Your app is the client of the provider, and Keyhearth gets the ID token from it.";
const noProvider = "Keyhearth isn’t an OpenID provider.";

export const oauth: readonly Requirement[] = [
  {
    number: "10.1.1",
    level: 2,
    asks: "Tokens go only to those who need them.",
    answer: {
      missing:
        "An ID token belongs to one key, but it stays in the stamped request of its login, which the organization’s users can read.",
    },
  },
  {
    number: "10.1.2",
    level: 2,
    asks: "Only answers of a login that this browser started count.",
    answer: {
      note: "The token’s nonce names the key that the browser made for this login.",
      tests: [
        {
          file: "tests/sdk/browser.test.ts",
          names: [
            "in a browser, somebody logs in at an OpenID provider and comes back by a redirect",
          ],
        },
        {
          file: "packages/engine/src/activities/oauth-login.test.ts",
          names: ["the nonce is of the key's text as it was sent, in `nonce` or `tknonce`"],
        },
        {
          file: "tests/attacks/social-logins.test.ts",
          names: ["a token for a key of its user logs in with no key of the attacker"],
        },
      ],
    },
  },
  {
    number: "10.2.1",
    level: 2,
    asks: "The client of a code flow uses PKCE or `state`.",
    answer: { doesNotApply: `${notTheClient} The page about social logins shows both.` },
  },
  {
    number: "10.2.2",
    level: 2,
    asks: "The client of several providers can’t mix them up.",
    answer: { doesNotApply: `${notTheClient} A token counts only for its own issuer: see 6.8.1.` },
  },
  {
    number: "10.3.1",
    level: 2,
    asks: "Access tokens are for this service.",
    answer: { doesNotApply: noAccessTokens },
  },
  {
    number: "10.3.2",
    level: 2,
    asks: "What an access token allows is part of the decision.",
    answer: { doesNotApply: noAccessTokens },
  },
  {
    number: "10.3.3",
    level: 2,
    asks: "Access tokens identify users by claims that stay theirs.",
    answer: { doesNotApply: noAccessTokens },
  },
  {
    number: "10.3.4",
    level: 2,
    asks: "The strength of the login behind an access token is checked.",
    answer: { doesNotApply: noAccessTokens },
  },
  {
    number: "10.4.1",
    level: 1,
    asks: "Redirect addresses are on a list, compared exactly.",
    answer: { doesNotApply: noAuthorizationServer },
  },
  {
    number: "10.4.2",
    level: 1,
    asks: "Authorization codes work once.",
    answer: { doesNotApply: noAuthorizationServer },
  },
  {
    number: "10.4.3",
    level: 1,
    asks: "Authorization codes last ten minutes at most.",
    answer: { doesNotApply: noAuthorizationServer },
  },
  {
    number: "10.4.4",
    level: 1,
    asks: "Clients use only the grants that they need.",
    answer: { doesNotApply: noAuthorizationServer },
  },
  {
    number: "10.4.5",
    level: 1,
    asks: "Refresh tokens can’t be used twice.",
    answer: { doesNotApply: noAuthorizationServer },
  },
  {
    number: "10.4.6",
    level: 2,
    asks: "PKCE is required.",
    answer: { doesNotApply: noAuthorizationServer },
  },
  {
    number: "10.4.7",
    level: 2,
    asks: "Clients that register themselves are checked.",
    answer: { doesNotApply: noAuthorizationServer },
  },
  {
    number: "10.4.8",
    level: 2,
    asks: "Refresh tokens expire.",
    answer: { doesNotApply: noAuthorizationServer },
  },
  {
    number: "10.4.9",
    level: 2,
    asks: "Users can revoke tokens.",
    answer: { doesNotApply: noAuthorizationServer },
  },
  {
    number: "10.4.10",
    level: 2,
    asks: "Confidential clients log in.",
    answer: { doesNotApply: noAuthorizationServer },
  },
  {
    number: "10.4.11",
    level: 2,
    asks: "Clients get only the scopes that they need.",
    answer: { doesNotApply: noAuthorizationServer },
  },
  {
    number: "10.5.1",
    level: 2,
    asks: "An ID token can’t be replayed.",
    answer: {
      note: "It counts for the key in its nonce alone, and not after its user logged out everywhere.",
      tests: [
        {
          file: "packages/engine/src/activities/oauth-login.test.ts",
          names: [
            "the nonce is of the key's text as it was sent, in `nonce` or `tknonce`",
            "the token of a session whose key was deleted starts no other one, not even in the same second",
          ],
        },
        {
          file: "tests/attacks/social-logins.test.ts",
          names: [
            "a token for a key of its user logs in with no key of the attacker",
            "a token that was used before its user logged out everywhere starts no session afterwards",
          ],
        },
      ],
    },
  },
  {
    number: "10.5.2",
    level: 2,
    asks: "Users are identified by claims that stay theirs.",
    answer: {
      note: "By issuer, audience and subject.",
      tests: [
        {
          file: "packages/engine/src/activities/oauth-login.test.ts",
          names: ["a token of another issuer, audience or subject logs nobody in"],
        },
        {
          file: "packages/engine/src/people/oidc-tokens.test.ts",
          names: ["a token says who, for whom, for which keys and when"],
        },
      ],
    },
  },
  {
    number: "10.5.3",
    level: 2,
    asks: "A provider’s metadata must be of exactly the issuer that was configured.",
    answer: {
      tests: [
        {
          file: "apps/signer/src/oidc/issuer-keys.test.ts",
          names: ["an issuer with … has no keys"],
        },
        { file: "apps/signer/src/oidc/issuers.test.ts", names: ["`…` is refused"] },
      ],
    },
  },
  {
    number: "10.5.4",
    level: 2,
    asks: "The audience of an ID token is checked.",
    answer: {
      tests: [
        {
          file: "packages/engine/src/activities/oauth-login.test.ts",
          names: ["a token of another issuer, audience or subject logs nobody in"],
        },
        {
          file: "packages/engine/src/people/oidc-tokens.test.ts",
          names: ["of several audiences, the token is for the one that asked for it"],
        },
      ],
    },
  },
  {
    number: "10.5.5",
    level: 2,
    asks: "Log-outs that a provider sends can’t be forged.",
    answer: { doesNotApply: "Providers can’t log users out here: see 7.1.3." },
  },
  {
    number: "10.6.1",
    level: 2,
    asks: "A provider offers only safe flows.",
    answer: { doesNotApply: noProvider },
  },
  {
    number: "10.6.2",
    level: 2,
    asks: "A provider doesn’t let others log its users out.",
    answer: { doesNotApply: noProvider },
  },
  {
    number: "10.7.1",
    level: 2,
    asks: "Users consent to each authorization.",
    answer: { doesNotApply: noAuthorizationServer },
  },
  {
    number: "10.7.2",
    level: 2,
    asks: "The question for consent says what it is about.",
    answer: { doesNotApply: noAuthorizationServer },
  },
  {
    number: "10.7.3",
    level: 2,
    asks: "Users can see and withdraw their consent.",
    answer: { doesNotApply: noAuthorizationServer },
  },
];
