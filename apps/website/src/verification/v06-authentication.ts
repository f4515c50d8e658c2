import type { Requirement } from "./requirement.ts";

const noPasswords = "There are no passwords. Users hold keys, or get codes that work once.";
const email = { title: "Email", to: "/authentication/email" };
const sms = { title: "SMS", to: "/authentication/sms" };
const credentials = { title: "Credentials", to: "/concepts/users/credentials" };

export const authentication: readonly Requirement[] = [
  {
    number: "6.1.1",
    level: 1,
    asks: "The documentation says how guessing is slowed, how to configure it, and why nobody can lock others out.",
    answer: {
      note: "Limits belong to a credential, an address or a contact. `userIdentifier` keeps strangers from using up somebody’s codes.",
      pages: [
        { title: "Resource limits", to: "/concepts/resource-limits#rate-limits" },
        { title: "Limits of email", to: "/authentication/email#limits" },
        sms,
      ],
    },
  },
  {
    number: "6.1.2",
    level: 2,
    asks: "Words that passwords may not contain are listed.",
    answer: { doesNotApply: noPasswords },
  },
  {
    number: "6.1.3",
    level: 2,
    asks: "All ways to log in are documented with their strength.",
    answer: {
      note: "Each kind of credential is listed with what it may do and how long it lasts. The pages about email and SMS say that such a login is only as strong as the mailbox or phone.",
      pages: [
        credentials,
        email,
        sms,
        { title: "Social logins", to: "/authentication/social-logins" },
      ],
    },
  },
  {
    number: "6.2.1",
    level: 1,
    asks: "Passwords have eight characters at least.",
    answer: { doesNotApply: noPasswords },
  },
  {
    number: "6.2.2",
    level: 1,
    asks: "Users can change their password.",
    answer: { doesNotApply: noPasswords },
  },
  {
    number: "6.2.3",
    level: 1,
    asks: "A change of password asks for the old one.",
    answer: { doesNotApply: noPasswords },
  },
  {
    number: "6.2.4",
    level: 1,
    asks: "Common passwords are refused.",
    answer: { doesNotApply: noPasswords },
  },
  {
    number: "6.2.5",
    level: 1,
    asks: "Passwords may have any characters.",
    answer: { doesNotApply: noPasswords },
  },
  {
    number: "6.2.6",
    level: 1,
    asks: "Password fields hide what is typed.",
    answer: { doesNotApply: noPasswords },
  },
  {
    number: "6.2.7",
    level: 1,
    asks: "Passwords can be pasted and kept in a manager.",
    answer: { doesNotApply: noPasswords },
  },
  {
    number: "6.2.8",
    level: 1,
    asks: "Passwords are compared as they were typed.",
    answer: { doesNotApply: noPasswords },
  },
  {
    number: "6.2.9",
    level: 2,
    asks: "Passwords may have 64 characters.",
    answer: { doesNotApply: noPasswords },
  },
  {
    number: "6.2.10",
    level: 2,
    asks: "Passwords needn’t be changed from time to time.",
    answer: { doesNotApply: noPasswords },
  },
  {
    number: "6.2.11",
    level: 2,
    asks: "Words of the context are refused in passwords.",
    answer: { doesNotApply: noPasswords },
  },
  {
    number: "6.2.12",
    level: 2,
    asks: "Passwords that were leaked elsewhere are refused.",
    answer: { doesNotApply: noPasswords },
  },
  {
    number: "6.3.1",
    level: 1,
    asks: "Guessing is slowed as documented.",
    answer: {
      tests: [
        {
          file: "packages/engine/src/people/waiting-codes.test.ts",
          names: [
            "three wrong attempts lock a code, and a repeated one does not count again",
            "many codes of a contact do not give many attempts",
            "wrong attempts count for a day after the last code, and until a right one",
          ],
        },
        {
          file: "tests/attacks/abused-codes.test.ts",
          names: ["many guesses at once lock the code, and then the right one is refused"],
        },
        {
          file: "tests/attacks/rate-limits.test.ts",
          names: [
            "the allowance of a credential is not used up by stamps that its key did not make",
          ],
        },
      ],
    },
  },
  {
    number: "6.3.2",
    level: 1,
    asks: "There are no default accounts.",
    answer: {
      note: "The first start makes the root user’s key and writes it to a file for its owner alone.",
      tests: [
        {
          file: "tests/start/start.test.ts",
          names: [
            "the first start creates the root key and shows where everything is; the second is quick",
          ],
        },
        {
          file: "tests/attacks/starts.test.ts",
          names: [
            "database and signer never replace a root API key, neither another organization's nor a damaged one",
          ],
        },
      ],
    },
  },
  {
    number: "6.3.3",
    level: 2,
    asks: "A login takes two factors.",
    answer: {
      missing:
        "One credential logs in, and no setting asks for a second. Policies can ask for a passkey, or for approvals of several users.",
      tests: [
        {
          file: "tests/negative/surface.test.ts",
          names: ["every user in every answer has `mfaPolicies`, which is empty"],
        },
        {
          file: "packages/engine/src/activities/create-authenticators.test.ts",
          names: ["policies see which credential approved"],
        },
      ],
    },
  },
  {
    number: "6.3.4",
    level: 2,
    asks: "There are no other ways to log in than the documented ones, and rules hold for all of them.",
    answer: {
      tests: [
        {
          file: "apps/api/src/openapi/contract.test.ts",
          names: [
            "queries accept a read-only session, stamp_login an attested stamp, and every operation a stamp",
          ],
        },
        {
          file: "packages/engine/src/people/authenticate.test.ts",
          names: [
            "a request without a stamp, with another kind of stamp or with rubbish is refused",
            "a stamp in the header of another kind is refused, even if it would verify",
          ],
        },
        {
          file: "tests/attacks/named-users.test.ts",
          names: [
            "a user whom nobody may log in is protected by a DENY about the user's id, however a request names the user",
          ],
        },
      ],
    },
  },
  {
    number: "6.4.1",
    level: 1,
    asks: "First secrets, such as invitations, are random, expire soon and don’t stay.",
    answer: {
      tests: [
        {
          file: "packages/engine/src/activities/create-invitations.test.ts",
          names: [
            "the token is nowhere but in the sealed message",
            "each invitation has a token and a new user's id of its own",
          ],
        },
        {
          file: "packages/engine/src/activities/accept-invitation.test.ts",
          names: ["an invitation lapses after a week"],
        },
        {
          file: "tests/attacks/invitations.test.ts",
          names: [
            "an invitation that is not in force is not accepted a second time, whatever document the host brings",
            "an invitation that is open is not accepted with a token that was guessed, or with that of another invitation",
          ],
        },
      ],
    },
  },
  {
    number: "6.4.2",
    level: 1,
    asks: "There are no secret questions.",
    answer: { doesNotApply: "Nothing asks for knowledge." },
  },
  {
    number: "6.4.3",
    level: 2,
    asks: "Recovery doesn’t bypass other factors.",
    answer: {
      note: "A recovery key registers one passkey of its own user and does nothing else. In a root quorum it recovers one vote.",
      tests: [
        {
          file: "packages/engine/src/activities/recover-user.test.ts",
          names: [
            "the recovery key registers a passkey of its user, once",
            "without the recovery key it needs a permission, for oneself too, and the feature",
          ],
        },
        {
          file: "tests/attacks/email-logins.test.ts",
          names: [
            "a recovery key recovers no other user, and counts in no other organization",
            "a DENY about new credentials is not passed by a recovery that nobody began",
          ],
        },
      ],
    },
  },
  {
    number: "6.4.4",
    level: 2,
    asks: "A lost second factor is replaced only after proof of identity.",
    answer: { doesNotApply: "There are no second factors: see 6.3.3." },
  },
  {
    number: "6.5.1",
    level: 2,
    asks: "Codes work once.",
    answer: {
      tests: [
        { file: "packages/engine/src/activities/verify-otp.test.ts", names: ["a code works once"] },
        {
          file: "tests/attacks/abused-codes.test.ts",
          names: ["one right code among many at once is used once"],
        },
        {
          file: "tests/attacks/one-time-codes.test.ts",
          names: [
            "a code is used once, although the host hides that, and only the same request is repeated",
          ],
        },
      ],
    },
  },
  {
    number: "6.5.2",
    level: 2,
    asks: "Printed recovery codes are stored as slow hashes.",
    answer: {
      doesNotApply:
        "There are no printed codes. Codes by email and SMS are in no record: the signer makes them again from a secret in its memory.",
    },
  },
  {
    number: "6.5.3",
    level: 2,
    asks: "Codes are random.",
    answer: {
      note: "Their secret is 32 bytes of the operating system’s generator.",
      tests: [
        {
          file: "packages/engine/src/people/one-time-codes.test.ts",
          names: [
            "every character of a code is equally likely",
            "bytes that would favour some digits are left out, over as many blocks as it takes",
          ],
        },
        {
          file: "packages/engine/src/people/waiting-codes.test.ts",
          names: ["a code is forgotten after ten minutes, whatever it was sent for"],
        },
      ],
    },
  },
  {
    number: "6.5.4",
    level: 2,
    asks: "Codes have six digits or more.",
    answer: {
      tests: [
        {
          file: "packages/engine/src/activities/init-otp.test.ts",
          names: ["a code has the length, characters and lifetime that were asked for"],
        },
        {
          file: "packages/engine/src/activities/init-otp-auth.test.ts",
          names: [
            "codes of the first version are six digits, and the newest may say how long they live",
          ],
        },
      ],
    },
  },
  {
    number: "6.5.5",
    level: 2,
    asks: "Codes and links expire within ten minutes.",
    answer: {
      missing:
        "Codes do. The key in a login link lasts 15 minutes, or as long as the request says, and an invitation a week.",
      tests: [
        {
          file: "packages/engine/src/activities/init-otp.test.ts",
          names: ["a code has the length, characters and lifetime that were asked for"],
        },
        {
          file: "packages/engine/src/activities/verify-otp.test.ts",
          names: ["a code ends after its time"],
        },
      ],
    },
  },
  {
    number: "6.6.1",
    level: 2,
    asks: "Codes go by SMS only to verified numbers, stronger ways are offered too, and users learn of the risk.",
    answer: {
      missing:
        "Passkeys are offered, and the page about SMS names the risk. But a number that nobody verified counts too: it may be stated when the user is created.",
    },
  },
  {
    number: "6.6.2",
    level: 2,
    asks: "A code belongs to the login that asked for it.",
    answer: {
      note: "The oldest versions of the requests don’t bind a code to a key. SECURITY.md says what follows from that.",
      tests: [
        {
          file: "packages/engine/src/activities/verify-otp.test.ts",
          names: [
            "a code becomes a token that names contact, organization and key",
            "a code of another organization, or of init_otp_auth, does not exist",
          ],
        },
        {
          file: "tests/attacks/one-time-codes.test.ts",
          names: [
            "a code of one contact does not verify another, if the host swaps the records",
            "a request with a code that the host holds back gives a colleague who may verify codes no login, whichever way they send what is in it",
          ],
        },
      ],
    },
  },
  {
    number: "6.6.3",
    level: 2,
    asks: "Codes can’t be guessed by trying.",
    answer: {
      tests: [
        {
          file: "packages/engine/src/activities/verify-otp.test.ts",
          names: ["three wrong attempts lock a code, and the answers say how many are left"],
        },
        {
          file: "packages/engine/src/people/waiting-codes.test.ts",
          names: ["many codes of a contact do not give many attempts"],
        },
        {
          file: "tests/attacks/abused-codes.test.ts",
          names: ["many guesses at once lock the code, and then the right one is refused"],
        },
      ],
    },
  },
  {
    number: "6.8.1",
    level: 2,
    asks: "One identity provider can’t stand for another.",
    answer: {
      note: "Issuer, audience and subject together are the identity.",
      tests: [
        {
          file: "packages/engine/src/activities/oauth-login.test.ts",
          names: ["a token of another issuer, audience or subject logs nobody in"],
        },
        {
          file: "packages/engine/src/activities/create-oauth-providers.test.ts",
          names: ["an identity belongs to one user, also within one request"],
        },
        {
          file: "tests/attacks/social-logins.test.ts",
          names: ["a token for another app, of another issuer or of somebody else logs nobody in"],
        },
      ],
    },
  },
  {
    number: "6.8.2",
    level: 2,
    asks: "The signature of a login at a provider is always verified.",
    answer: {
      tests: [
        {
          file: "packages/engine/src/activities/oauth-login.test.ts",
          names: [
            "an expired or malformed token, or one that is not signed by its issuer, is refused",
          ],
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
    number: "6.8.3",
    level: 2,
    asks: "SAML assertions count once.",
    answer: { doesNotApply: "Nothing speaks SAML." },
  },
  {
    number: "6.8.4",
    level: 2,
    asks: "Where a login at a provider must be strong or recent, that is checked.",
    answer: {
      doesNotApply:
        "No function asks for a certain strength. The documentation says that a social login is as strong as the account at the provider.",
    },
  },
];
