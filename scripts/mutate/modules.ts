/** A part of the core whose tests must notice a fault in any of its lines. */
export type Module = {
  name: string;
  /** The files that get faults, as patterns of the tree. */
  mutate: readonly string[];
  /** The tests that must notice them. */
  tests: readonly string[];
};

const engine = (path: string) => `packages/engine/src/${path}`;
const policy = (path: string) => `packages/policy/src/${path}`;

// Fast tests come first: the first that fails ends the run of a fault. A fault that no test notices runs
// all of them, so tests that start a service are here only if no other one reaches the lines.
export const modules: readonly Module[] = [
  {
    name: "authenticate",
    mutate: [engine("people/authenticate.ts")],
    tests: [engine("people/authenticate.test.ts")],
  },
  {
    name: "passkeys",
    mutate: [
      engine("people/passkey-registrations.ts"),
      engine("people/authenticators.ts"),
      engine("people/passkey-origins.ts"),
      engine("people/self-stamp.ts"),
      engine("people/taken-keys.ts"),
    ],
    tests: [
      engine("people/passkey-origins.test.ts"),
      engine("people/self-stamp.test.ts"),
      engine("people/authenticators.test.ts"),
      engine("people/taken-keys.test.ts"),
      engine("people/passkey-registrations.test.ts"),
    ],
  },
  {
    name: "authorize",
    mutate: [engine("policies/authorize.ts")],
    tests: [engine("policies/authorize.test.ts")],
  },
  {
    name: "votes",
    mutate: [engine("submission/vote*.ts"), engine("submission/approvals.ts")],
    tests: [engine("submission/approvals.test.ts"), engine("submission/vote.test.ts")],
  },
  {
    name: "closed activities",
    mutate: [engine("submission/closed-activities.ts")],
    tests: [engine("submission/closed-activities.test.ts"), engine("submission/vote.test.ts")],
  },
  {
    name: "notarization",
    mutate: [engine("records/notarize.ts"), engine("records/facts.ts")],
    tests: [
      engine("records/notarize.test.ts"),
      engine("records/facts.test.ts"),
      engine("records/kind.test.ts"),
    ],
  },
  {
    name: "commits",
    mutate: ["apps/api/src/store/commit*.ts", "apps/api/src/store/statements/*.ts"],
    tests: ["statements/statement", "commit-unit", "commit"].map(
      (name) => `apps/api/src/store/${name}.test.ts`,
    ),
  },
  {
    name: "marks",
    mutate: ["apps/signer/src/marks*.ts", "apps/signer/src/clock.ts"],
    // The tests of damage anywhere, of scale and of the whole signer are slow, and notice nothing more.
    tests: [
      "clock",
      "marks-buckets",
      "marks-log",
      "marks-wal",
      "marks-store",
      "marks",
      "marks-file",
    ].map((name) => `apps/signer/src/${name}.test.ts`),
  },
  {
    name: "policy decision",
    mutate: [policy("decide.ts"), policy("consensus.ts")],
    tests: [
      policy("outcomes.test.ts"),
      policy("electorate.test.ts"),
      policy("vectors.test.ts"),
      policy("decide.test.ts"),
      policy("denial.test.ts"),
      policy("consensus.test.ts"),
      policy("advice/approvals.test.ts"),
      engine("policies/authorize.test.ts"),
    ],
  },
  {
    name: "policy evaluation",
    mutate: ["evaluate", "alike", "environment", "selectors", "time", "values"].map((name) =>
      policy(`${name}.ts`),
    ),
    tests: [
      ...["failures", "steps", "environment", "values", "vectors", "selectors", "time"],
      ...["evaluate", "alike", "advice/trace", "denial", "decide", "errors"],
    ].map((name) => policy(`${name}.test.ts`)),
  },
];
