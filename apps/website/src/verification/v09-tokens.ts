import type { Requirement } from "./requirement.ts";

export const tokens: readonly Requirement[] = [
  {
    number: "9.1.1",
    level: 1,
    asks: "The signature of a token is verified before its content counts.",
    answer: {
      tests: [
        {
          file: "packages/crypto/src/tokens/session-token.test.ts",
          names: ["no part of a read-only session can be changed"],
        },
        {
          file: "packages/crypto/src/tokens/verification-token.test.ts",
          names: ["no character of a token can be changed"],
        },
        {
          file: "tests/attacks/social-logins.test.ts",
          names: [
            "a token without a signature, or signed with the issuer's public key as a secret, is refused",
          ],
        },
      ],
    },
  },
  {
    number: "9.1.2",
    level: 1,
    asks: "Only listed algorithms count, never `none`.",
    answer: {
      tests: [
        {
          file: "packages/engine/src/people/oidc-tokens.test.ts",
          names: ["a token is refused for the … of its header: …"],
        },
        {
          file: "apps/signer/src/oidc/issuer-keys.test.ts",
          names: ["only keys that may verify with the algorithm count"],
        },
        {
          file: "packages/crypto/src/tokens/verification-token.test.ts",
          names: ["even what this key signed is refused in any other form"],
        },
      ],
    },
  },
  {
    number: "9.1.3",
    level: 1,
    asks: "A token can’t say with which key to verify it.",
    answer: {
      tests: [
        {
          file: "tests/attacks/social-logins.test.ts",
          names: [
            "a token with keys of the host's own logs nobody in, wherever its header says that they are",
          ],
        },
        {
          file: "apps/signer/src/oidc/issuer-keys.test.ts",
          names: ["an issuer with … has no keys"],
        },
      ],
    },
  },
  {
    number: "9.2.1",
    level: 1,
    asks: "A token counts only in its time.",
    answer: {
      tests: [
        {
          file: "packages/engine/src/people/verification-tokens.test.ts",
          names: ["an expired token, one from the future and one of another key are refused"],
        },
        {
          file: "packages/engine/src/people/oidc-tokens.test.ts",
          names: ["clocks may be a minute off"],
        },
        {
          file: "apps/api/src/callers/session-caller.test.ts",
          names: ["a session ends after an hour"],
        },
      ],
    },
  },
  {
    number: "9.2.2",
    level: 2,
    asks: "A token of one kind doesn’t pass for another.",
    answer: {
      tests: [
        {
          file: "tests/sdk/sessions.test.ts",
          names: [
            "the session of a login a read-only session is another token, and neither passes for the other",
          ],
        },
        {
          file: "packages/crypto/src/tokens/session-token.test.ts",
          names: ["what the key signed for another purpose is not a read-only session"],
        },
        {
          file: "packages/engine/src/people/oidc-tokens.test.ts",
          names: ["a token is refused for the … of its header: …"],
        },
      ],
    },
  },
  {
    number: "9.2.3",
    level: 2,
    asks: "A token counts only for its audience.",
    answer: {
      tests: [
        {
          file: "packages/engine/src/people/oidc-tokens.test.ts",
          names: ["of several audiences, the token is for the one that asked for it"],
        },
        {
          file: "packages/engine/src/activities/oauth-login.test.ts",
          names: ["a token of another issuer, audience or subject logs nobody in"],
        },
        {
          file: "tests/attacks/sessions.test.ts",
          names: ["a read-only session reads no other organization"],
        },
      ],
    },
  },
  {
    number: "9.2.4",
    level: 2,
    asks: "Tokens that one key signs for several audiences name theirs.",
    answer: {
      note: "Tokens of the signer name the organization that they are for.",
      tests: [
        {
          file: "packages/engine/src/people/verification-tokens.test.ts",
          names: [
            "a parent's token counts in its sub-organizations, and a sub-organization's only there",
          ],
        },
        {
          file: "tests/attacks/sessions.test.ts",
          names: ["a read-only session reads no other organization"],
        },
        {
          file: "packages/engine/src/activities/stamp-login.test.ts",
          names: ["the session's key stamps requests as the user, and the JWT says whose it is"],
        },
      ],
    },
  },
];
