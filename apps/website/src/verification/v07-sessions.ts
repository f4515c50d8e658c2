import type { Requirement } from "./requirement.ts";

const sessionsPage = { title: "Sessions", to: "/authentication/sessions" };

export const sessions: readonly Requirement[] = [
  {
    number: "7.1.1",
    level: 2,
    asks: "The documentation says when sessions end, without use and at the latest, and why it differs from NIST SP 800-63B.",
    answer: {
      missing: "Lifetimes are documented. That there is no limit without use isn’t explained.",
    },
  },
  {
    number: "7.1.2",
    level: 2,
    asks: "The documentation says how many sessions a user may have, and what happens with one more.",
    answer: {
      note: "Ten, and the next one displaces the oldest.",
      pages: [sessionsPage],
      tests: [
        {
          file: "packages/engine/src/activities/stamp-login.test.ts",
          names: ["a user keeps ten sessions, and those of others stay"],
        },
      ],
    },
  },
  {
    number: "7.1.3",
    level: 2,
    asks: "The documentation says how sessions here and at identity providers depend on each other.",
    answer: {
      missing:
        "They don’t, and no page says so: a session isn’t ended by a log-out at the provider.",
    },
  },
  {
    number: "7.2.1",
    level: 1,
    asks: "Sessions are verified on the server.",
    answer: {
      tests: [
        {
          file: "apps/api/src/callers/session-caller.test.ts",
          names: [
            "a session of the parent reads its sub-organizations, and no other organization",
            "a stamp decides, if there is one",
          ],
        },
        {
          file: "tests/attacks/sessions.test.ts",
          names: [
            "a read-only session that is forged, altered or made for something else reads nothing",
            "a read-only session submits nothing",
          ],
        },
      ],
    },
  },
  {
    number: "7.2.2",
    level: 1,
    asks: "Sessions use tokens made for them, not lasting secrets.",
    answer: {
      tests: [
        {
          file: "packages/engine/src/activities/stamp-login.test.ts",
          names: [
            "the session's key stamps requests as the user, and the JWT says whose it is",
            "a session ends after its time, by the signer's clock",
          ],
        },
        {
          file: "apps/api/src/callers/session-caller.test.ts",
          names: ["a session ends after an hour"],
        },
      ],
    },
  },
  {
    number: "7.2.3",
    level: 1,
    asks: "Tokens that stand for a stored session have 128 random bits.",
    answer: {
      doesNotApply:
        "No token only names a session. One is a key that stamps, and the other is signed and says whose it is.",
    },
  },
  {
    number: "7.2.4",
    level: 1,
    asks: "A login makes a new session and ends the current one.",
    answer: {
      missing:
        "Each login has a new key. Earlier sessions end only if the request asks for it (`invalidateExisting`).",
      tests: [
        {
          file: "packages/engine/src/activities/stamp-login.test.ts",
          names: ["invalidateExisting ends the user's other logins, and nothing else"],
        },
        {
          file: "packages/sdk/src/browser/session-keeper.test.ts",
          names: [
            "the browser prolongs a session by itself if it is told to, as long as the login asked for",
          ],
        },
      ],
    },
  },
  {
    number: "7.3.1",
    level: 2,
    asks: "Sessions end when nobody uses them.",
    answer: {
      missing:
        "A session ends at its time, 15 minutes after the login by default, whether it was used or not.",
    },
  },
  {
    number: "7.3.2",
    level: 2,
    asks: "Sessions end at the latest after a set time.",
    answer: {
      missing:
        "A session ends at its time. But its key may stamp the login of the next one, so a chain of sessions has no end. Policies can limit how long each lasts.",
      tests: [
        {
          file: "packages/engine/src/activities/stamp-login.test.ts",
          names: [
            "a session ends after its time, by the signer's clock",
            "a policy can refuse a login",
          ],
        },
        {
          file: "tests/attacks/sessions.test.ts",
          names: ["an older sessions record does not make a session last longer than its time"],
        },
      ],
    },
  },
  {
    number: "7.4.1",
    level: 1,
    asks: "A session that ended can’t be used.",
    answer: {
      tests: [
        {
          file: "packages/engine/src/activities/log-out-everywhere.test.ts",
          names: [
            "ends everything of the user that expires, and nothing else",
            "a login that was stamped before is refused, and says why",
          ],
        },
        {
          file: "tests/attacks/sessions.test.ts",
          names: [
            "an older sessions record does not bring back a session that a login ended",
            "a read-only session ends with the user's other sessions",
          ],
        },
      ],
    },
  },
  {
    number: "7.4.2",
    level: 1,
    asks: "A deleted user’s sessions end.",
    answer: {
      tests: [
        {
          file: "tests/attacks/sessions.test.ts",
          names: ["the sessions of a deleted user end with the user"],
        },
        {
          file: "tests/attacks/users.test.ts",
          names: [
            "a deleted user stamps nothing with a lasting key or a session, even if the host brings its records",
          ],
        },
      ],
    },
  },
  {
    number: "7.4.3",
    level: 2,
    asks: "After a change of credentials, users can end all other sessions.",
    answer: {
      tests: [
        {
          file: "packages/engine/src/activities/log-out-everywhere.test.ts",
          names: [
            "ends everything of the user that expires, and nothing else",
            "a user who changed own credentials too often may still end them",
          ],
        },
        {
          file: "packages/engine/src/activities/delete-oauth-providers.test.ts",
          names: ["logins end with a social login, and other expiring keys stay"],
        },
      ],
    },
  },
  {
    number: "7.4.4",
    level: 2,
    asks: "Every page behind a login has a visible way to log out.",
    answer: {
      doesNotApply:
        "Keyhearth has no pages behind a login. Your app has, and the SDK gives it `logOut`.",
    },
  },
  {
    number: "7.4.5",
    level: 2,
    asks: "Administrators can end the sessions of a user.",
    answer: {
      tests: [
        {
          file: "packages/engine/src/activities/log-out-everywhere.test.ts",
          names: ["only the user may do it, or whom a policy allows to update users"],
        },
      ],
    },
  },
  {
    number: "7.5.1",
    level: 2,
    asks: "Users log in again before they change contacts or credentials.",
    answer: {
      missing:
        "A session may register credentials of its user without another login. Policies can deny that, and contacts need a permission.",
      tests: [
        {
          file: "apps/api/src/policies/policies.test.ts",
          names: ["users may create keys for themselves until a policy denies it"],
        },
        {
          file: "packages/engine/src/activities/update-user-email.test.ts",
          names: [
            "users need a permission, and only the root quorum changes a root user's contact",
          ],
        },
      ],
    },
  },
  {
    number: "7.5.2",
    level: 2,
    asks: "Users can see their sessions and end each, after they logged in again.",
    answer: {
      missing:
        "Users see and end sessions that stamp. Read-only sessions aren’t listed and end with all others, and no other login is asked for.",
      tests: [
        {
          file: "packages/engine/src/activities/stamp-login.test.ts",
          names: ["the session's key stamps requests as the user, and the JWT says whose it is"],
        },
        {
          file: "packages/engine/src/activities/delete-api-keys.test.ts",
          names: [
            "deleting one expiring key does not affect the others",
            "users can delete their own keys, but not those of others",
          ],
        },
      ],
    },
  },
  {
    number: "7.6.1",
    level: 2,
    asks: "Sessions after a login at a provider end as documented.",
    answer: {
      missing:
        "They end after their own time. How that depends on the provider isn’t documented: see 7.1.3.",
    },
  },
  {
    number: "7.6.2",
    level: 2,
    asks: "No session begins without an action of its user.",
    answer: {
      note: "A user with a permission may begin sessions of others, if the organization’s policies say so.",
      tests: [
        {
          file: "tests/attacks/sessions.test.ts",
          names: ["a login is for the user who stamped it, and for no other"],
        },
        {
          file: "packages/engine/src/activities/create-read-write-session.test.ts",
          names: [
            "for another user it needs a permission, and a DENY about the user cannot be avoided",
          ],
        },
        {
          file: "tests/sdk/browser.test.ts",
          names: [
            "in a browser, somebody logs in at an OpenID provider and comes back by a redirect",
          ],
        },
      ],
    },
  },
];
