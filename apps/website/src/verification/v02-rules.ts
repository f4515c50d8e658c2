import type { Requirement } from "./requirement.ts";

export const rules: readonly Requirement[] = [
  {
    number: "2.1.1",
    level: 1,
    asks: "The documentation says what each field accepts.",
    answer: {
      note: "The reference is made from the schemas that check requests.",
      pages: [{ title: "API reference", to: "/api" }],
      tests: [
        {
          file: "apps/api/src/openapi/contract.test.ts",
          names: [
            "every schema and every field is described",
            "contract/openapi.json is what the declarations generate (npm run generate)",
          ],
        },
      ],
    },
  },
  {
    number: "2.1.2",
    level: 2,
    asks: "The documentation says which values fit together.",
    answer: {
      note: "Curves, formats and paths of accounts are in a table, and the reference says of each field what it depends on.",
      pages: [
        { title: "Wallets", to: "/concepts/wallets" },
        { title: "API reference", to: "/api" },
      ],
      tests: [
        {
          file: "apps/website/src/wallets-page.test.ts",
          names: ["each row has the curves of its formats, and a path"],
        },
      ],
    },
  },
  {
    number: "2.1.3",
    level: 2,
    asks: "The documentation says what each user, and all together, may do how often.",
    answer: {
      note: "The tables are generated from the limits in the code.",
      pages: [{ title: "Resource limits", to: "/concepts/resource-limits" }],
      tests: [
        {
          file: "apps/website/src/concept-pages.test.ts",
          names: ["… the page about users names every field of a user, and the limits"],
        },
        {
          file: "apps/website/src/components/policies/pages.test.ts",
          names: ["the pages name the limits"],
        },
      ],
    },
  },
  {
    number: "2.2.1",
    level: 1,
    asks: "All input is checked against what is expected.",
    answer: {
      note: "Every field of every operation is sent with each kind of mistake.",
      tests: [
        {
          file: "tests/negative/negative.test.ts",
          names: [
            "… refuses every mistake in every field",
            "only fields that are not supported yet are left out",
          ],
        },
        {
          file: "apps/api/src/app.test.ts",
          names: ["everything that is wrong with a request comes back at once, field by field"],
        },
      ],
    },
  },
  {
    number: "2.2.2",
    level: 1,
    asks: "Input is checked where the client can’t skip it.",
    answer: {
      note: "The signer checks the stamped bytes itself, also if the API didn’t.",
      tests: [
        {
          file: "tests/attacks/signer-door.test.ts",
          names: [
            "a request that is ambiguous is refused",
            "a request with a member name that every object inherits is refused",
            "a request at an endpoint that its type does not belong to is refused",
          ],
        },
      ],
    },
  },
  {
    number: "2.2.3",
    level: 2,
    asks: "Values that belong together are checked together.",
    answer: {
      tests: [
        {
          file: "packages/engine/src/activities/create-wallet-accounts.test.ts",
          names: ["a name that is taken, a wrong curve and a path in use are refused at once"],
        },
        {
          file: "packages/engine/src/chains/payload.test.ts",
          names: ["each combination is signed so that others verify it, or refused by its field"],
        },
        {
          file: "apps/api/src/clients.test.ts",
          names: [
            "a transaction that is signed by the first type names one key: both fields, or neither, are refused",
          ],
        },
      ],
    },
  },
  {
    number: "2.3.1",
    level: 1,
    asks: "Steps of a process can’t be skipped, repeated or taken out of order.",
    answer: {
      tests: [
        {
          file: "tests/attacks/bundles.test.ts",
          names: [
            "an import does not happen twice, even if the host hides the first one",
            "an import does not happen with a key that an older document has as unused",
          ],
        },
        {
          file: "tests/attacks/one-time-codes.test.ts",
          names: [
            "a code is used once, although the host hides that, and only the same request is repeated",
          ],
        },
        {
          file: "tests/attacks/email-logins.test.ts",
          names: [
            "a recovery that is over is not started again by its bytes, even if the host hides the activity",
          ],
        },
        {
          file: "tests/attacks/replays.test.ts",
          names: [
            "consensus that was rolled back a rejected activity is not executed from an older record",
          ],
        },
      ],
    },
  },
  {
    number: "2.3.2",
    level: 2,
    asks: "The documented limits hold.",
    answer: {
      tests: [
        {
          file: "packages/engine/src/activities/create-users.test.ts",
          names: ["an organization has at most 100 users, and a user at most 10 long-lived keys"],
        },
        {
          file: "packages/engine/src/submission/closed-activities.test.ts",
          names: [
            "a user changes own credentials twenty times an hour without a permission",
            "a user changes the organization a thousand times an hour",
          ],
        },
        {
          file: "apps/api/src/limits/messages.test.ts",
          names: [
            "a contact gets three messages in ten minutes, and ten in a day",
            "the sub-organizations of a family send a hundred SMS in ten minutes, whoever gets them",
          ],
        },
      ],
    },
  },
  {
    number: "2.3.3",
    level: 2,
    asks: "An operation happens as a whole or not at all.",
    answer: {
      tests: [
        {
          file: "apps/api/src/store/commit.test.ts",
          names: [
            "what was decided by another document writes nothing",
            "a message is in the outbox exactly if its unit is committed",
          ],
        },
        {
          file: "tests/kill/embedded.test.ts",
          names: [
            "the embedded database keeps every answered request through … kills of the process",
          ],
        },
        {
          file: "tests/kill/confirm.test.ts",
          names: [
            "if the API is killed between a commit and its confirmation, the next process makes up for it",
          ],
        },
      ],
    },
  },
  {
    number: "2.3.4",
    level: 2,
    asks: "Simultaneous requests can’t take the same thing twice.",
    answer: {
      tests: [
        {
          file: "apps/api/src/submission/submit.test.ts",
          names: ["if two hosts race for a name, one gets it and the other gets an error"],
        },
        {
          file: "packages/engine/src/activities/approve-activity.test.ts",
          names: ["ten concurrent approvals execute the activity once"],
        },
        {
          file: "apps/api/src/store/code-sends.test.ts",
          names: ["of many at once, as many are counted as there is room for"],
        },
        {
          file: "tests/kill/two-processes.test.ts",
          names: [
            "two API processes on one PostgreSQL and one signer count racing votes through both processes, and execute once",
          ],
        },
      ],
    },
  },
  {
    number: "2.4.1",
    level: 2,
    asks: "Programs can’t call functions so often that it harms.",
    answer: {
      tests: [
        {
          file: "tests/attacks/rate-limits.test.ts",
          names: [
            "the allowance of a credential ends, for queries and submissions together",
            "the codes and links of a contact end, for all its users, for all spellings and at once",
          ],
        },
        {
          file: "tests/attacks/organizations.test.ts",
          names: [
            "signing up a flood of signups from one address stops after ten, and then creates nothing",
          ],
        },
        {
          file: "tests/attacks/strangers.test.ts",
          names: ["limits on requests count … … too, for an IPv6 site and its networks"],
        },
        {
          file: "tests/attacks/feedback.test.ts",
          names: [
            "a flood of feedback from many addresses ends too, and what is wrong does not count for all",
          ],
        },
      ],
    },
  },
];
