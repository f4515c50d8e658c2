import type { CommandGroup } from "../command.ts";
import { InputError } from "../errors.ts";

const TEST_HELP = `
A file is JSON: { "cases": [...], "decision_cases": [...] }, either list may be absent.

A case is an expression:
  { "name": "small-transfer", "kind": "condition",
    "expression": "eth.tx.value <= 1000",
    "context": { "eth": { "tx": { "value": 5 } } },
    "expected": true }
  kind      condition, consensus or time: the clause of a policy that it belongs to
  context   the fields that the expression reads. Integers of any size are exact;
            { "$ci": "0xAb" } is a text that is compared without regard to case
  expected  true, false, "error(parse)", "error(type)" or "error(runtime)"

A decision case is a request in an organization:
  { "name": "two-must-approve",
    "users": [{ "id": "alice", "tags": ["ops"] }, { "id": "bob", "tags": ["ops"] }],
    "rootQuorum": { "threshold": 1, "userIds": [] },
    "approvedBy": ["alice"],
    "context": { "activity": { "action": "SIGN" } },
    "policies": [{ "policyId": "p1", "effect": "EFFECT_ALLOW",
                   "consensus": "approvers.count() >= 2" }],
    "expected": { "outcome": "OUTCOME_REQUIRES_CONSENSUS",
                  "policyOutcomes": { "p1": "OUTCOME_REQUIRES_CONSENSUS" } } }
  users       all users of the organization: id, and tags (ids), email, alias
  approvedBy  ids of users in the order of their votes; the first one submitted the activity.
              If a consensus reads credentials: { "userId": "alice", "credentialId": "k1" },
              and for the user "credentials": [{ "id": "k1",
              "type": "CREDENTIAL_TYPE_API_KEY_P256", "public_key": "", "credential_id": "" }]
  now         time of the decision, if policies have a time clause: "2026-01-31T08:00:00Z"
  ownCredentialChange  true if the activity changes credentials of the user who submitted it
  policyOutcomes       of each policy; empty if the root quorum decided

name, expected and the members shown in the examples are required; basis, since, note and ambiguous
are allowed, but only for readers.

Exit code: 0 all passed, 1 some failed, 2 a file or an option is wrong.`;

const CHECK_HELP = `
A file is JSON: the parameters of create_policies, the answer of list_policies, a list of policies, or
one policy:
  { "policies": [
      { "policyName": "small transfers", "effect": "EFFECT_ALLOW",
        "condition": "activity.action == 'SIGN' && eth.tx.value <= 1000",
        "consensus": "approvers.any(u, u.tags.contains('ops'))",
        "notes": "" } ] }
  effect     EFFECT_ALLOW or EFFECT_DENY
  condition, consensus, time  expressions; a clause that is absent is true
  policyId, notes, createdAt and updatedAt are allowed; each policy needs a unique name or id

Or it is an activity that creates or updates policies, as get_activity returns it: check it before you
approve it. This command verifies the stamp and the fingerprint, reads the policies from the stamped
bytes and computes the warnings from them. It ignores everything else that the service shows.
An update needs --policies FILE with the answer of list_policies.

An error is something that the service would refuse. A warning means that a policy may not do what it
seems to do. For a single expression, only warnings that hold for both effects are shown.

An organization is JSON; each member may be absent:
  { "users": [{ "id": "alice", "tags": ["ops"], "email": "", "alias": "Alice" }],
    "rootQuorum": { "threshold": 1, "userIds": ["alice"] },
    "userTagIds": [], "privateKeyTagIds": [], "walletIds": [], "privateKeyIds": [] }

Exit code: 0 no errors, 1 errors (with --strict: or warnings), 2 a file or an option is wrong.`;

const EXPLAIN_HELP = `
A request is JSON: a decision case of \`policy test\` without name, policies and expected:
  { "users": [...], "rootQuorum": {...}, "approvedBy": [...], "context": {...} }

Shows the decision, the outcome of every policy, and for each clause the parts of the expression that
decided its value. For a request that waits, it also shows whose approvals would complete it.

Exit code: 0 explained, 2 a file or an option is wrong.`;

const COMPARE_HELP = `
Prints "no more" if <before> also allows everything that <after> allows. Prints "more" with a request
that only <after> allows, and how both decide it. Prints "unknown" with the parts of the policies that
cannot be compared. Swap the files to find out whether <after> allows less.

An organization is JSON, as for \`policy check\`; only users and root quorum count:
  { "users": [{ "id": "alice", "tags": ["ops"], "email": "", "alias": "Alice" }],
    "rootQuorum": { "threshold": 1, "userIds": ["alice"] } }

Exit code: 0 no more, 1 more, 2 a file or an option is wrong, 3 unknown.`;

const YES = ["--yes", "do not ask"] as const;

const CHANGE_HELP = `
Before the change, the command prints whether it allows more than the policies of the organization, with
an example, as \`policy compare\` does, and asks. A program adds --yes, and then names a policy by its id: which
one has a name is the service's word.

Exit code: 0 changed, 2 an argument is wrong, 4 refused, 5 waits for approvals, 6 no service.`;

/** Policies: those in files, without a server, and those of an organization. */
export const policyCommands: CommandGroup = {
  heading: "Policies:",
  words: {
    policy: "test, check, explain and compare policies, and change those of an organization",
  },
  entries: [
    {
      name: "policy test",
      summary: "run cases: expressions and decisions with their expected outcome",
      args: [["<file...>", "files with cases; `-` reads standard input"]],
      options: [["--filter <text>", "only cases with this text in their name"]],
      examples: [
        "keyhearth policy test cases.json",
        "keyhearth policy test cases.json --filter large",
      ],
      help: TEST_HELP,
      run: async (given, { progress }) => {
        const { policyTest } = await import("../commands/policy-test.ts");
        return policyTest(given.words(0), { filter: given.option("filter"), progress });
      },
    },
    {
      name: "policy check",
      summary: "check policies, and point to errors and suspicious parts",
      args: [
        [
          "[file...]",
          "files with policies, or with activities that change policies; `-` reads standard input",
        ],
      ],
      options: [
        ["--condition <text>", "check an expression as the condition of a policy"],
        ["--consensus <text>", "check an expression as the consensus of a policy"],
        ["--time <text>", "check an expression as the time of a policy"],
        ["--organization <file>", "users, tags and keys of the organization, to look up ids"],
        ["--policies <file>", "the organization's current policies, for files with activities"],
        ["--strict", "fail on warnings too"],
      ],
      examples: [
        "keyhearth policy check --strict policies.json",
        'keyhearth policy check --condition "eth.tx.value <= 1000"',
      ],
      help: CHECK_HELP,
      run: async (given) => {
        const { checkExpressions, checkFiles } = await import("../commands/policy-check.ts");
        const [organization, policies] = [given.option("organization"), given.option("policies")];
        const known = { isStrict: given.has("strict"), organization };
        const expressions = Object.fromEntries(
          (["condition", "consensus", "time"] as const).flatMap((clause) => {
            const text = given.option(clause);
            return text === undefined ? [] : [[clause, text]];
          }),
        );
        const hasExpressions = Object.keys(expressions).length > 0;
        if (hasExpressions && policies !== undefined) {
          throw new InputError("--policies is for activities, not for expressions");
        }
        const files = given.words(0);
        if (hasExpressions === files.length > 0) {
          throw new InputError("check takes either files or expressions (--condition TEXT, ...)");
        }
        return hasExpressions
          ? checkExpressions(expressions, known)
          : checkFiles(files, { ...known, policies });
      },
    },
    {
      name: "policy explain",
      summary: "show how a request is decided, and why",
      args: [["[file]", "a file with cases, as for `policy test`"]],
      options: [
        ["--case <name>", "the case to explain"],
        ["--policies <file>", "a file with policies, as for `policy check`"],
        ["--request <file>", "a file with the request"],
      ],
      examples: [
        'keyhearth policy explain cases.json --case "large transfers do not match"',
        "keyhearth policy explain --policies policies.json --request request.json",
      ],
      help: EXPLAIN_HELP,
      run: async (given) => {
        const { explainCase, explainRequest } = await import("../commands/policy-explain.ts");
        const file = given.wordIfAny(0);
        const [name, policies, request] = ["case", "policies", "request"].map((option) =>
          given.option(option),
        );
        if (file !== undefined && policies === undefined && request === undefined) {
          return explainCase(file, name);
        }
        if (file === undefined && policies && request && name === undefined) {
          return explainRequest(policies, request);
        }
        throw new InputError(
          "explain needs FILE and --case NAME, or --policies FILE and --request FILE",
        );
      },
    },
    {
      name: "policy compare",
      summary: "find out whether new policies allow more, with an example",
      args: [
        ["<before>", "a file with policies, as for `policy check`"],
        ["<after>", "a file with the policies that would replace them"],
      ],
      options: [["--organization <file>", "users and root quorum; without it, anyone may approve"]],
      examples: ["keyhearth policy compare live.json policies.json"],
      help: COMPARE_HELP,
      run: async (given, { progress }) => {
        const { policyCompare } = await import("../commands/policy-compare.ts");
        const organization = given.option("organization");
        return policyCompare(given.word(0), given.word(1), { organization, progress });
      },
    },
    {
      name: "policy list",
      summary: "list the policies of the organization",
      connects: true,
      examples: ["keyhearth policy list", "keyhearth policy list --json > live.json"],
      run: async (given, surroundings) => {
        const { policyList } = await import("../commands/policy-list.ts");
        return policyList(given, surroundings);
      },
    },
    {
      name: "policy create",
      summary: "create the policies of a file, after showing what they allow",
      args: [["<file>", "a file with policies, as for `policy check`"]],
      options: [YES],
      connects: true,
      examples: ["keyhearth policy create policies.json"],
      help: CHANGE_HELP,
      run: async (given, surroundings) => {
        const { policyCreate } = await import("../commands/policy-create.ts");
        return policyCreate(given, surroundings);
      },
    },
    {
      name: "policy update",
      summary: "replace a policy by that of a file, after showing what this allows",
      args: [
        ["<policy>", "name or id of the policy"],
        [
          "<file>",
          "a file with one policy, as for `policy check`: a clause that is absent is removed",
        ],
      ],
      options: [YES],
      connects: true,
      examples: [
        'keyhearth policy update "small payments" raised.json',
        "keyhearth policy update f4a6b5c1-03ed-4d17-92a3-b4c5d6e7f809 raised.json --yes",
      ],
      help: CHANGE_HELP,
      run: async (given, surroundings) => {
        const { policyUpdate } = await import("../commands/policy-update.ts");
        return policyUpdate(given, surroundings);
      },
    },
    {
      name: "policy delete",
      summary: "delete a policy, after showing what this allows",
      args: [["<policy>", "name or id of the policy"]],
      options: [YES],
      connects: true,
      examples: [
        'keyhearth policy delete "small payments"',
        "keyhearth policy delete f4a6b5c1-03ed-4d17-92a3-b4c5d6e7f809 --yes",
      ],
      help: CHANGE_HELP,
      run: async (given, surroundings) => {
        const { policyDelete } = await import("../commands/policy-delete.ts");
        return policyDelete(given, surroundings);
      },
    },
    {
      name: "policy simulate",
      summary: "ask what the organization's policies decide about a request, without sending it",
      args: [
        ["<name>", "an operation, such as sign_transaction"],
        ["[field...]", "fields, such as signWith=0x…, as for `call`"],
      ],
      options: [
        ["--parameters <file>", "a file with the fields as JSON; `-` reads standard input"],
        ["--type <type>", "the version of the activity, if not the usual one"],
        ["--user <id>", "the user who would submit it, if not you"],
        ["--approver... <id>", "a user who would have approved it; give it again for more"],
      ],
      connects: true,
      examples: ["keyhearth policy simulate sign_transaction --parameters request.json"],
      help: `
Exit code: 0 allowed, 2 a field is wrong, 4 denied, 5 it would wait for approvals.`,
      run: async (given, surroundings) => {
        const { policySimulate } = await import("../commands/policy-simulate.ts");
        return policySimulate(given, surroundings);
      },
    },
  ],
};
