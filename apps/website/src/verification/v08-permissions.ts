import type { Requirement } from "./requirement.ts";

export const permissions: readonly Requirement[] = [
  {
    number: "8.1.1",
    level: 1,
    asks: "The documentation says who may call which function, on which data.",
    answer: {
      note: "The root quorum and policies decide, and everything else is denied.",
      pages: [
        { title: "Policies", to: "/concepts/policies/overview" },
        { title: "Root quorum", to: "/concepts/users/root-quorum" },
        { title: "Queries", to: "/developer-reference/api-overview/queries" },
      ],
      tests: [
        {
          file: "packages/engine/src/policies/activity-kinds.test.ts",
          names: ["… is in the list with every version, its resource and its action"],
        },
        {
          file: "apps/website/src/components/reference/permissions.test.ts",
          names: ["activities that only the root quorum can allow are marked"],
        },
      ],
    },
  },
  {
    number: "8.1.2",
    level: 2,
    asks: "The documentation says who may read and write which fields.",
    answer: {
      note: "Policies read each parameter of a request. Every user may read what the organization has.",
      pages: [
        { title: "Policy language", to: "/concepts/policies/language" },
        { title: "Queries", to: "/developer-reference/api-overview/queries" },
      ],
      tests: [
        {
          file: "packages/engine/src/policies/activity-kinds.test.ts",
          names: ["policies know exactly the parameters of …"],
        },
        {
          file: "apps/website/src/components/policies/field-notes.test.ts",
          names: ["notes name exactly the fields of the language"],
        },
      ],
    },
  },
  {
    number: "8.2.1",
    level: 1,
    asks: "Functions are for those with a permission.",
    answer: {
      note: "Each submission and query has a test file, and the contract’s test checks that.",
      tests: [
        {
          file: "apps/api/src/policies/policies.test.ts",
          names: [
            "a user whom no policy allows is denied, and the error has the outcome of each policy",
            "no policy can allow activities that only the root quorum may do",
          ],
        },
        {
          file: "tests/attacks/users.test.ts",
          names: ["a user without permissions changes, tags and deletes nobody, not even itself"],
        },
        {
          file: "apps/api/src/openapi/contract.test.ts",
          names: ["submission … has file, test, texts, policy and example"],
        },
      ],
    },
  },
  {
    number: "8.2.2",
    level: 1,
    asks: "Data is for those with a permission for this very data.",
    answer: {
      tests: [
        {
          file: "apps/api/src/query/query.test.ts",
          names: ["a user of a sub-organization cannot read the other sub-organizations"],
        },
        {
          file: "apps/api/src/policies/policies.test.ts",
          names: [
            "a right for one wallet is a right for that wallet only, and ends with its policy",
          ],
        },
        {
          file: "apps/api/src/queries/get-private-key.test.ts",
          names: [
            "a private key that is unknown, or another organization's, is not found",
            "the organization and its parent may read it, nobody else",
          ],
        },
        {
          file: "tests/fuzz/fuzz.test.ts",
          names: ["…: no request makes the service fail, forget an answer or mix up tenants"],
        },
      ],
    },
  },
  {
    number: "8.2.3",
    level: 2,
    asks: "Fields are for those with a permission for this field.",
    answer: {
      tests: [
        {
          file: "packages/engine/src/activities/update-user.test.ts",
          names: [
            "only the root quorum changes the contacts of a root user, whatever policies allow",
          ],
        },
        {
          file: "apps/api/src/policies/policies.test.ts",
          names: [
            "conditions read the parameters of a policy: a user who may add only a DENY adds nothing else",
          ],
        },
        {
          file: "packages/engine/src/activities/create-read-only-session.test.ts",
          names: [
            "only the user who asked for the token is shown it, whoever sends the same bytes",
          ],
        },
      ],
    },
  },
  {
    number: "8.3.1",
    level: 1,
    asks: "Permissions are enforced where nobody outside can change them.",
    answer: {
      note: "The signer decides. It believes neither the API nor the database.",
      tests: [
        {
          file: "tests/attacks/database.test.ts",
          names: [
            "an edited document a credential added to a user opens nothing",
            "policies a policy that was added to the document, or changed there, allows nothing",
            "history a document older than the mark is refused, even after the signer restarts",
          ],
        },
        {
          file: "tests/attacks/signer-door.test.ts",
          names: [
            "a request without a stamp is refused",
            "records a record with any byte changed is refused",
          ],
        },
        {
          file: "tests/model/model.test.ts",
          names: [
            "whatever a host does, only what people asked for and the rules allow takes effect",
          ],
        },
      ],
    },
  },
  {
    number: "8.4.1",
    level: 2,
    asks: "One tenant can’t touch another.",
    answer: {
      tests: [
        {
          file: "tests/attacks/organizations.test.ts",
          names: [
            "a family a user of one sub-organization does nothing in another, or in the parent",
            "a family a parent's user neither deletes a sub-organization nor sets its features",
          ],
        },
        {
          file: "tests/attacks/database.test.ts",
          names: [
            "keys sealed keys swapped between organizations do not open",
            "keys a wallet moved to another organization signs nothing there",
            "votes and rows a stamp is worth nothing in another organization",
          ],
        },
        {
          file: "apps/api/src/query/query.test.ts",
          names: ["a user of a sub-organization cannot read the other sub-organizations"],
        },
      ],
    },
  },
];
