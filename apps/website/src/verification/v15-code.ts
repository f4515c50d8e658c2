import type { Requirement } from "./requirement.ts";

export const code: readonly Requirement[] = [
  {
    number: "15.1.1",
    level: 1,
    asks: "The documentation says how soon dependencies are updated, by risk.",
    answer: { missing: "No page names times." },
  },
  {
    number: "15.1.2",
    level: 2,
    asks: "There is an inventory of all libraries, from trusted places.",
    answer: {
      note: "The lock file lists every package with its digest, Node.js too.",
      tests: [
        {
          file: "scripts/lock-file.test.ts",
          names: [
            "each package has a digest, and none the address of the registry that wrote the lock file",
            "the Node.js of a platform is a package with a digest, and not what a script downloads",
          ],
        },
        {
          file: "scripts/setup.test.ts",
          names: [
            "npm ci runs if a package has another digest than the lock file, and not if it has the same",
          ],
        },
      ],
    },
  },
  {
    number: "15.1.3",
    level: 2,
    asks: "The documentation says what is costly, and how others are kept from suffering.",
    answer: {
      note: "Limits, turns and what all organizations share.",
      pages: [
        { title: "What organizations share", to: "/concepts/resource-limits#shared" },
        { title: "Scaling", to: "/self-hosting/scaling" },
      ],
    },
  },
  {
    number: "15.2.1",
    level: 1,
    asks: "No dependency is older than those times allow.",
    answer: { missing: "There are no such times: see 15.1.1." },
  },
  {
    number: "15.2.2",
    level: 2,
    asks: "Costly functions can’t stop the service.",
    answer: {
      tests: [
        {
          file: "tests/attacks/starvation.test.ts",
          names: [
            "at the signer, one organization with many waiting calls does not hold up another one",
            "at the API, a large body that the key did not stamp is refused before it is parsed",
          ],
        },
        {
          file: "tests/attacks/families.test.ts",
          names: [
            "policies that take long to evaluate hold up nobody else's queries, however many are sent at once",
            "a list of the largest activities that nobody reads holds a bounded part of the memory, and nothing once it is gone",
          ],
        },
        {
          file: "tests/attacks/tenants.test.ts",
          names: ["memory versions of a document with large policies do not pile up"],
        },
        {
          file: "packages/policy/src/decide.test.ts",
          names: [
            "work that a request makes all policies together take a bounded time, and the limit allows nothing",
          ],
        },
      ],
    },
  },
  {
    number: "15.2.3",
    level: 2,
    asks: "Production has only what it needs.",
    answer: {
      missing:
        "A clone brings tests and examples along, which nothing serves or loads. What is for developers is off once others can reach the service.",
      tests: [
        {
          file: "scripts/signer-size.test.ts",
          names: ["the signer loads nothing else of ours, and nothing that only advises"],
        },
        {
          file: "apps/api/src/config/config.test.ts",
          names: [
            "there is a mailbox only without a mail server, on this machine alone, with the courier in this process",
          ],
        },
      ],
    },
  },
  {
    number: "15.3.1",
    level: 1,
    asks: "Answers have only the fields that readers may see.",
    answer: {
      tests: [
        {
          file: "apps/api/src/queries/get-private-key.test.ts",
          names: ["a private key is shown by its public key and addresses, each with a proof"],
        },
        {
          file: "apps/api/src/presentation/render.test.ts",
          names: ["a user shows only those expiring keys that are still valid"],
        },
        {
          file: "packages/engine/src/activities/create-read-only-session.test.ts",
          names: [
            "only the user who asked for the token is shown it, whoever sends the same bytes",
          ],
        },
        {
          file: "apps/api/src/jobs/webhooks/deliver.test.ts",
          names: ["a delivery does not show what the API shows only to the user who asked"],
        },
      ],
    },
  },
  {
    number: "15.3.2",
    level: 2,
    asks: "Requests to other services follow no redirects.",
    answer: {
      tests: [
        {
          file: "packages/outbound/src/guarded-request.test.ts",
          names: ["a request does not follow a redirect"],
        },
        {
          file: "tests/attacks/webhooks.test.ts",
          names: [
            "a tenant who points a webhook at the service's own network is not led there by a redirect of an allowed receiver",
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
    number: "15.3.3",
    level: 2,
    asks: "Each operation takes only its own fields.",
    answer: {
      tests: [
        {
          file: "packages/engine/src/submission/envelope.test.ts",
          names: [
            "parameters unknown fields are refused by name, including members that every object has",
          ],
        },
        {
          file: "tests/negative/negative.test.ts",
          names: ["… refuses every mistake in every field"],
        },
        {
          file: "tests/attacks/feedback.test.ts",
          names: [
            "a body of feedback of the wrong shape is refused before anything is stored, and never an internal error",
          ],
        },
      ],
    },
  },
  {
    number: "15.3.4",
    level: 2,
    asks: "The client’s address comes from a source that clients can’t forge.",
    answer: {
      note: "Limits use it. Lines of the log have no address.",
      tests: [
        {
          file: "apps/api/src/host/rate-limit.test.ts",
          names: [
            "the client's address behind a trusted proxy is …",
            "the client's address is the socket's when the peer is not a trusted proxy",
          ],
        },
        {
          file: "tests/self-hosting/production.test.ts",
          names: [
            "an installation by the units of the site behind the proxy, the client's address counts, and metrics need the token",
          ],
        },
      ],
    },
  },
  {
    number: "15.3.5",
    level: 2,
    asks: "Types are checked and compared strictly.",
    answer: {
      tests: [
        {
          file: "packages/engine/src/submission/envelope.test.ts",
          names: ["parameters a wrong type names the field and shows the value"],
        },
        {
          file: "tests/negative/negative.test.ts",
          names: ["… refuses every mistake in every field"],
        },
        {
          file: "packages/engine/src/chains/ethereum-messages.test.ts",
          names: ["a member that is declared as … and compared with a number is an error"],
        },
      ],
    },
  },
  {
    number: "15.3.6",
    level: 2,
    asks: "Names such as `__proto__` do nothing.",
    answer: {
      tests: [
        {
          file: "tests/attacks/signer-door.test.ts",
          names: ["a request with a member name that every object inherits is refused"],
        },
        {
          file: "apps/api/src/app.test.ts",
          names: [
            "an unknown endpoint is a 404 in JSON, even if every object has a member of that name",
          ],
        },
        {
          file: "packages/policy/src/evaluate.test.ts",
          names: ["names that JavaScript knows … is not a key"],
        },
      ],
    },
  },
  {
    number: "15.3.7",
    level: 2,
    asks: "A parameter that is given twice can’t confuse the service.",
    answer: {
      tests: [
        {
          file: "packages/crypto/src/encoding/json.test.ts",
          names: [
            "text that parsers read differently is refused a duplicate key, anywhere and in any spelling",
          ],
        },
        {
          file: "apps/api/src/app.test.ts",
          names: ["a request carries exactly one stamp, of a known kind"],
        },
      ],
    },
  },
];
