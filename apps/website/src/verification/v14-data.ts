import type { Requirement } from "./requirement.ts";

export const data: readonly Requirement[] = [
  {
    number: "14.1.1",
    level: 2,
    asks: "Sensitive data is identified and put into classes.",
    answer: {
      missing:
        "Pages say where keys, codes, tokens and contacts are and who can read them. There is no list with classes.",
    },
  },
  {
    number: "14.1.2",
    level: 2,
    asks: "Each class has rules for encryption, logs, access and retention.",
    answer: { missing: "There are no classes: see 14.1.1." },
  },
  {
    number: "14.2.1",
    level: 1,
    asks: "Nothing sensitive is in an address.",
    answer: {
      note: "Requests to the API are bodies and headers. The mailbox’s token is behind the `#` of its link.",
      tests: [
        { file: "apps/api/src/app.test.ts", names: ["the API accepts only POST"] },
        {
          file: "tests/mailbox/mailbox.test.ts",
          names: [
            "the token is made by the start, for the link and for programs, and is in no log line",
            "the mailbox in a browser takes the token out of the address, keeps it for this tab, and says so without it",
          ],
        },
      ],
    },
  },
  {
    number: "14.2.2",
    level: 2,
    asks: "Servers don’t keep sensitive data in caches.",
    answer: {
      tests: [
        {
          file: "packages/engine/src/keys/unsealed-keys.test.ts",
          names: ["keys that are too old are wiped when the next request comes, whatever it is"],
        },
        {
          file: "apps/api/src/documents/cache.test.ts",
          names: ["sessions are never kept, because they change"],
        },
        {
          file: "tests/attacks/secret-results.test.ts",
          names: [
            "a secret result is in the answer to the client, and not in the proposal or the database",
          ],
        },
      ],
    },
  },
  {
    number: "14.2.3",
    level: 2,
    asks: "Nothing sensitive goes to others, such as trackers.",
    answer: {
      tests: [
        {
          file: "tests/site/pages.test.ts",
          names: [
            "every page opens without an error, a fault that axe finds, sideways scrolling or a request elsewhere",
          ],
        },
        {
          file: "tests/site/feedback.test.ts",
          names: [
            "the question below a page from the service asks the service for nothing until an answer is sent",
          ],
        },
        {
          file: "tests/attacks/messages.test.ts",
          names: [
            "a host without the courier's key reads neither the receiver nor the code of a message",
          ],
        },
      ],
    },
  },
  {
    number: "14.2.4",
    level: 2,
    asks: "The rules of each class are followed.",
    answer: {
      missing:
        "There are no classes: see 14.1.1. Keys, codes and tokens are treated alike: they are sealed, and in no log.",
      tests: [
        {
          file: "tests/attacks/bundles.test.ts",
          names: ["an export writes no part of a secret into any record, log line or answer"],
        },
        {
          file: "apps/api/src/app.test.ts",
          names: ["no key, stamp or signature is ever written to the log"],
        },
      ],
    },
  },
  {
    number: "14.3.1",
    level: 1,
    asks: "After a log-out, nothing is left in the browser.",
    answer: {
      tests: [
        {
          file: "packages/sdk/src/browser/session-keeper.test.ts",
          names: [
            "a log-out everywhere deletes the key, even if the service cannot be reached",
            "a log-out while the session is being prolonged stays a log-out",
          ],
        },
        {
          file: "tests/sdk/browser.test.ts",
          names: [
            "in a browser, somebody signs up with a passkey, signs, reloads, signs again, and logs out in all tabs",
          ],
        },
        {
          file: "tests/sdk/react.test.ts",
          names: ["in a browser, what one person has signed is shown to nobody who logs in later"],
        },
      ],
    },
  },
  {
    number: "14.3.2",
    level: 2,
    asks: "Browsers are told not to keep sensitive answers (`no-store`).",
    answer: {
      tests: [
        {
          file: "apps/api/src/app.test.ts",
          names: ["no browser keeps an answer, guesses its type or shows it in a frame"],
        },
      ],
    },
  },
  {
    number: "14.3.3",
    level: 2,
    asks: "The storage of browsers holds nothing sensitive except sessions.",
    answer: {
      note: "The SDK keeps a key that no script can read, and says whose it is.",
      tests: [
        {
          file: "tests/sdk/browser.test.ts",
          names: [
            "in a browser, tabs that open a stamper at once share one key, which survives a reload and cannot be read",
          ],
        },
        {
          file: "tests/snippets/emails-in-browser.test.ts",
          names: [
            "in a browser, words and keys are imported and exported again, and their bytes stay in the page",
          ],
        },
      ],
    },
  },
];
