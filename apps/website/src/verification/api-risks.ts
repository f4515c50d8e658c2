import type { Requirement } from "./requirement.ts";

export const apiRisks: readonly Requirement[] = [
  {
    number: "API1",
    asks: "Objects of others can be reached by their ids.",
    answer: {
      tests: [
        {
          file: "apps/api/src/query/query.test.ts",
          names: ["a user of a sub-organization cannot read the other sub-organizations"],
        },
        {
          file: "apps/api/src/queries/get-wallet.test.ts",
          names: ["a wallet that is unknown, or another organization's, is not found"],
        },
        {
          file: "apps/api/src/policies/policies.test.ts",
          names: [
            "a right for one wallet is a right for that wallet only, and ends with its policy",
          ],
        },
        {
          file: "tests/attacks/database.test.ts",
          names: ["keys a wallet moved to another organization signs nothing there"],
        },
        {
          file: "tests/fuzz/fuzz.test.ts",
          names: ["…: no request makes the service fail, forget an answer or mix up tenants"],
        },
      ],
    },
  },
  {
    number: "API2",
    asks: "Logins and sessions can be forged, guessed or stolen.",
    answer: {
      note: "What is missing is in chapters 6 and 7.",
      tests: [
        {
          file: "apps/api/src/query/query.test.ts",
          names: [
            "a stamp is valid only for the exact bytes, the key and the scheme that it names",
          ],
        },
        {
          file: "packages/engine/src/people/authenticate.test.ts",
          names: [
            "a request without a stamp, with another kind of stamp or with rubbish is refused",
          ],
        },
        {
          file: "tests/attacks/abused-codes.test.ts",
          names: ["many guesses at once lock the code, and then the right one is refused"],
        },
        {
          file: "tests/attacks/sessions.test.ts",
          names: [
            "a read-only session that is forged, altered or made for something else reads nothing",
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
    number: "API3",
    asks: "Fields can be read or changed that aren’t for the caller.",
    answer: {
      tests: [
        {
          file: "packages/engine/src/submission/envelope.test.ts",
          names: [
            "parameters unknown fields are refused by name, including members that every object has",
          ],
        },
        {
          file: "packages/engine/src/activities/update-user.test.ts",
          names: [
            "only the root quorum changes the contacts of a root user, whatever policies allow",
          ],
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
    number: "API4",
    asks: "Callers use up memory, time, messages or money.",
    answer: {
      tests: [
        {
          file: "apps/api/src/app.test.ts",
          names: ["a body that is too large is refused, by its stated length or while it is read"],
        },
        {
          file: "tests/attacks/families.test.ts",
          names: [
            "a list of the largest activities has pages of a bounded size, soon, which together have all of them",
          ],
        },
        {
          file: "tests/attacks/starvation.test.ts",
          names: [
            "at the signer, one organization with more calls than may wait is refused, and another one is served",
          ],
        },
        {
          file: "tests/attacks/strangers.test.ts",
          names: ["a body of a megabyte that stalls holds 32 MiB of an address at most"],
        },
        {
          file: "tests/attacks/rate-limits.test.ts",
          names: [
            "a victim's mailbox and phone and those of others together get as many SMS as a family may send, also at once",
          ],
        },
      ],
    },
  },
  {
    number: "API5",
    asks: "Functions can be called that aren’t for the caller.",
    answer: {
      tests: [
        {
          file: "apps/api/src/policies/policies.test.ts",
          names: [
            "a user whom no policy allows is denied, and the error has the outcome of each policy",
            "no policy can allow activities that only the root quorum may do",
          ],
        },
        {
          file: "tests/attacks/organizations.test.ts",
          names: [
            "a policy that allows everything sets no feature, renames nothing and deletes nothing",
          ],
        },
        {
          file: "tests/attacks/users.test.ts",
          names: [
            "a user who may update users does not become root by the contacts of a root user",
          ],
        },
      ],
    },
  },
  {
    number: "API6",
    asks: "Programs misuse sign-ups, codes and the like.",
    answer: {
      tests: [
        {
          file: "tests/attacks/organizations.test.ts",
          names: [
            "signing up a flood of signups from one address stops after ten, and then creates nothing",
          ],
        },
        {
          file: "tests/attacks/rate-limits.test.ts",
          names: [
            "a victim's mailbox and phone get six messages at once from a family, however it spells the address and whatever it sends",
            "a victim's mailbox and phone are not closed to the application by the users of sub-organizations",
          ],
        },
        {
          file: "tests/attacks/abused-codes.test.ts",
          names: [
            "a contact that a user has and one that nobody has get the same answer in the same time",
          ],
        },
      ],
    },
  },
  {
    number: "API7",
    asks: "Callers make the service send requests into its own network.",
    answer: {
      tests: [
        {
          file: "packages/outbound/src/guarded-request.test.ts",
          names: [
            "a URL … is refused as not public",
            "a name that changes its address after the check still reaches the checked one",
          ],
        },
        {
          file: "tests/attacks/webhooks.test.ts",
          names: [
            "a tenant who points a webhook at the service's own network … is not reached, and nothing but that is learned",
          ],
        },
        {
          file: "tests/attacks/messages.test.ts",
          names: [
            "an application that chooses the style of a message gets no logo that is oversized, no PNG, a bomb, or at a private address",
          ],
        },
        {
          file: "tests/attacks/passkeys.test.ts",
          names: ["a registration makes the signer ask no address that a certificate names"],
        },
      ],
    },
  },
  {
    number: "API8",
    asks: "Parts are configured unsafely.",
    answer: {
      missing:
        "Errors show nothing of the inside, and defaults are closed. But answers of the API lack headers, and TLS is left to the proxy: see 3.4.1 to 3.4.6, 4.1.2 and 14.3.2.",
      tests: [
        {
          file: "apps/api/src/app.test.ts",
          names: ["an internal error shows the request's id and nothing about its cause"],
        },
        {
          file: "apps/api/src/config/config.test.ts",
          names: [
            "an empty environment gives a working loopback service with the embedded database",
            "a service that is open for signup without any limit gives a warning",
          ],
        },
        {
          file: "tests/self-hosting/production.test.ts",
          names: ["an installation by the units of the site the user … cannot read …"],
        },
      ],
    },
  },
  {
    number: "API9",
    asks: "Nobody knows which endpoints and versions there are.",
    answer: {
      note: "The contract is generated from what the service accepts, and older versions of requests are in it.",
      tests: [
        {
          file: "apps/api/src/openapi/contract.test.ts",
          names: [
            "contract/openapi.json is what the declarations generate (npm run generate)",
            "submission … has file, test, texts, policy and example",
            "query … has file, test, texts and example",
          ],
        },
        {
          file: "apps/api/src/app.test.ts",
          names: [
            "an unknown endpoint is a 404 in JSON, even if every object has a member of that name",
          ],
        },
        {
          file: "tests/negative/surface.test.ts",
          names: ["what this version does not offer is refused clearly: … is no endpoint"],
        },
      ],
    },
  },
  {
    number: "API10",
    asks: "What other services answer is believed.",
    answer: {
      tests: [
        {
          file: "packages/outbound/src/guarded-request.test.ts",
          names: [
            "a response that never ends is cut off by the size, and one that drips by the time",
            "TLS is verified for the name of the URL, not for the address",
          ],
        },
        {
          file: "apps/signer/src/oidc/issuer-keys.test.ts",
          names: ["an issuer with … has no keys"],
        },
        {
          file: "tests/attacks/lying-services.test.ts",
          names: [
            "a signature … over other bytes, by the same key or another, is not handed out",
            "with a pinned quorum key, an address without what its proof is about is not believed",
          ],
        },
      ],
    },
  },
];
