/** A part of the product whose tests must notice a fault in any of its lines. */
export type Module = {
  name: string;
  /** The files that get faults, as patterns of the tree. */
  mutate: readonly string[];
  /** The tests that must notice them. */
  tests: readonly string[];
};

const engine = (path: string) => `packages/engine/src/${path}`;
const policy = (path: string) => `packages/policy/src/${path}`;
const store = (path: string) => `apps/api/src/store/${path}`;
const api = (path: string) => `apps/api/src/${path}`;
const sdk = (path: string) => `packages/sdk/src/${path}`;

/** The tests of these activities, which run the service. */
const ofActivities = (...names: string[]) =>
  names.map((name) => engine(`activities/${name}.test.ts`));

/** Files of a room, and the tests of their own. */
const ofRoom = (room: string, ...names: string[]) => ({
  mutate: names.map((name) => engine(`${room}/${name}.ts`)),
  tests: names.map((name) => engine(`${room}/${name}.test.ts`)),
});
const ofPeople = (...names: string[]) => ofRoom("people", ...names);

const proofs = ofPeople(
  ...["oidc-tokens", "verification-tokens", "client-signatures", "proven-facts"],
  ...["attested-stamps", "attestation-statements", "stated-credentials", "stamp-keys"],
);

/** Whole folders in which no file may be without a module: `scripts/mutate.test.ts` names those that are. */
export const covered = [
  "packages/engine/src/people",
  "apps/api/src/store",
  ...["", "/errors", "/connection", "/calls", "/approvals", "/crypto"].map(
    (room) => `packages/sdk/src${room}`,
  ),
];

/** Files of these folders without a decision of their own that a test could miss, and why. */
export const leftOut: Readonly<Record<string, string>> = {
  [engine("people/tools.ts")]: "types",
  [engine("people/code-exchanges.ts")]: "types, and an error that the signer catches",
  [engine("people/otp-fields.ts")]: "schemas, whose fields the tests of the endpoints send",
  [store("pglite*.ts")]:
    "starts and stops the embedded database, which the tests of starts and kills run",
  [store("{packed-database,files-in-tar,unbrotli}.ts")]:
    "unpack a file, which the test of first starts compares",
  [store("connect.ts")]: "chooses the database, which the same tests and those of PostgreSQL run",
  [store("postgres.ts")]: "connections, which the tests of PostgreSQL and of lost ones run",
  [store("postgres-hosts.ts")]: "as connections; the tests of failovers run it",
  [store("{postgres-pool,pooler}.ts")]:
    "as connections; the tests of PostgreSQL and of pgbouncer run them",
  [store("{standbys,positions,check-standbys}.ts")]:
    "as connections; the tests of standbys run them on real ones",
  [store("{check-hosts,find-server}.ts")]:
    "compare real servers; tests/postgres/wrong-settings.test.ts starts them",
  [store("db-over.ts")]:
    "passes every statement on, so nothing that reads the database works without it",
  [store("distribution.ts")]:
    "places of tables and what moves them, which the tests of a cluster of Citus run",
  [store("empty-database.ts")]: "for tests and the emulator, which no service runs",
  [store("schema.ts")]: "types",
  [store("stored-record.ts")]: "types",
  [store("tables.ts")]: "a list, of which the compiler finds what is missing",
  [sdk("{index,browser,react,kit,server,crypto}.ts")]: "exports",
  [sdk("connection/options.ts")]: "types",
  [sdk("errors/as-object.ts")]: "a type and its check",
  [sdk("{client,advice,crypto/api-keys,calls/call,errors/errors}.ts")]:
    "sends requests and reads answers; what it must not believe is checked elsewhere",
  [sdk("connection/{connection,poll,request,answers,refusals,service-address}.ts")]: "the same",
  [sdk("connection/unreachable.ts")]: "explains why nobody answered",
  [sdk("errors/{call-problems,given-values}.ts")]: "explains mistakes of the caller",
};

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
    name: "waiting codes",
    ...ofPeople("waiting-codes", "one-time-codes"),
  },
  {
    name: "ended users",
    ...ofPeople("ended-users"),
  },
  {
    name: "proofs of people",
    mutate: proofs.mutate,
    tests: [...proofs.tests, engine("people/authenticate.test.ts"), ...ofActivities("oauth-login")],
  },
  {
    name: "users",
    ...ofPeople("login-features", "named-users", "lock-out", "signups", "invitations"),
  },
  {
    name: "login proxy",
    mutate: [engine("people/auth-proxy.ts"), store("accounts.ts")],
    tests: [...ofActivities("switch-auth-proxy"), api("proxy/proxy.test.ts")],
  },
  {
    name: "OAuth 2.0",
    mutate: [
      engine("people/oauth2-credentials.ts"),
      engine("people/oauth2-tokens.ts"),
      "apps/signer/src/oauth2/exchange.ts",
      "apps/signer/src/oauth2/remembered.ts",
    ],
    tests: [
      engine("people/oauth2-tokens.test.ts"),
      "apps/signer/src/oauth2/exchange.test.ts",
      "apps/signer/src/oauth2/remembered.test.ts",
      ...ofActivities(
        ...["create-oauth2-credential", "update-oauth2-credential", "delete-oauth2-credential"],
        "oauth2-authenticate",
      ),
    ],
  },
  {
    name: "login methods",
    mutate: [engine("fields/logins.ts")],
    tests: [
      engine("people/authenticate.test.ts"),
      engine("people/lock-out.test.ts"),
      ...ofActivities("delete-oauth-providers"),
    ],
  },
  {
    name: "the index of an organization",
    ...ofRoom("records", "organization-index", "contacts"),
  },
  {
    name: "credentials and logins",
    mutate: [
      ...["api-keys", "users", "user-tags", "root-quorum", "features", "recovery", "sessions"],
      ...["logins", "oauth-providers", "oidc-logins", "otps", "verified-contacts"],
      ...["credential-mails", "organization-deletion"],
    ].map((name) => engine(`people/${name}.ts`)),
    tests: [
      engine("records/sessions.test.ts"),
      ...ofActivities(
        ...["create-users", "create-api-keys", "create-user-tag", "update-user", "update-user-tag"],
        ...["create-sub-organization", "delete-sub-organization", "update-root-quorum"],
        ...["set-organization-feature", "remove-organization-feature", "create-oauth-providers"],
        ...["oauth-login", "stamp-login", "otp-login", "init-otp", "verify-otp", "init-otp-auth"],
        ...["otp-auth", "email-auth", "init-user-email-recovery", "recover-user"],
        ...["update-user-email", "update-user-phone-number", "create-read-write-session"],
      ),
    ],
  },
  {
    name: "invitations and endpoints",
    mutate: [engine("activities/create-invitations.ts"), engine("records/webhook-endpoints.ts")],
    tests: ofActivities("create-invitations", "create-webhook-endpoint", "update-webhook-endpoint"),
  },
  {
    name: "authorize",
    mutate: [engine("policies/authorize.ts")],
    tests: [engine("policies/authorize.test.ts")],
  },
  {
    name: "votes",
    mutate: [engine("submission/vote*.ts"), engine("policies/approvals.ts")],
    tests: [engine("policies/approvals.test.ts"), engine("submission/vote.test.ts")],
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
  { name: "pointers", mutate: [store("pointers.ts")], tests: [store("pointers.test.ts")] },
  {
    name: "commits",
    mutate: [
      "commit*",
      "conflict",
      "statements/*",
      "byte-arrays",
      "statement-names",
      "deleted-wallets",
    ].map((name) => store(`${name}.ts`)),
    tests: [
      "distribution",
      "statement-names",
      "statements/statement",
      "commit-unit",
      "commit",
      "deleted-wallets",
    ].map((name) => store(`${name}.test.ts`)),
  },
  {
    name: "outbox",
    mutate: [
      "outbox",
      "webhook-deliveries",
      "large-deliveries",
      "paused-endpoints",
      "webhook-targets",
      "request-counts",
      "code-sends",
    ].map((name) => store(`${name}.ts`)),
    tests: [
      store("code-sends.test.ts"),
      store("request-counts.test.ts"),
      store("waiting-deliveries.test.ts"),
      api("jobs/webhooks/{deliver,outcomes,retries}.test.ts"),
      api("limits/{messages,shared-rate-limit}.test.ts"),
      ...ofActivities("resend-webhook-delivery"),
      "tests/delivery/delivery.test.ts",
    ],
  },
  {
    name: "lookups",
    mutate: [
      api("documents/find-wanted.ts"),
      ...[
        ...["lookups", "sub-organizations", "sessions", "voters", "passkey-uses", "otps"],
        ...["find-by-id", "table", "wallets", "signing-keys"],
        ...["private-keys", "smart-contract-interfaces", "wallet-accounts", "asked-addresses"],
      ].map((name) => store(`${name}.ts`)),
    ],
    tests: [
      ...["lookups", "account-places", "signing-keys"].map((name) => store(`${name}.test.ts`)),
      api("queries/*.test.ts"),
    ],
  },
  {
    name: "all keys of a copy",
    mutate: [store("all-keys.ts"), "apps/api/src/rehearsal/check-keys.ts"],
    tests: [store("all-keys.test.ts"), "apps/api/src/rehearsal/check-keys.test.ts"],
  },
  {
    name: "windows",
    mutate: [store("windows.ts")],
    tests: [store("windows.test.ts")],
  },
  {
    name: "records of the store",
    mutate: [
      ...["activities", "organizations", "past-documents", "segments", "receipts", "denials"],
      ...["family-storage", "removed-activities"],
      ...["page-feedback", "installation", "migrate", "disk-full", "unavailable", "signups"],
    ].map((name) => store(`${name}.ts`)),
    tests: [
      store("signups.test.ts"),
      store("family-storage.test.ts"),
      api("jobs/*.test.ts"),
      api("feedback/feedback.test.ts"),
      api("submission/*.test.ts"),
      api("queries/{get-activity,list-activities,get-receipts}.test.ts"),
    ],
  },
  {
    name: "connections",
    mutate: [api("http/open-connections.ts"), api("http/newcomers.ts")],
    tests: [api("http/open-connections.test.ts"), api("http/newcomers.test.ts")],
  },
  {
    name: "checks of the SDK",
    mutate: [
      ...["address-proofs", "pinned-answers", "unexpected-answers"].map(
        (name) => `connection/${name}`,
      ),
      ...["approvals", "consensus"].map((name) => `approvals/${name}`),
      ...[
        "bundles",
        "client-secrets",
        "ethereum-signer",
        "invitation-proof",
        "receipts",
        "session-claims",
        "session-tokens",
        "webhooks",
      ].map((name) => `crypto/${name}`),
      ...["checks", "invalid-fields"].map((name) => `errors/${name}`),
    ].map((name) => sdk(`${name}.ts`)),
    tests: [
      ...[
        ...["connection/pinned-answers", "connection/request", "approvals/consensus", "client"],
        ...["bundles", "client-secrets", "ethereum-signer", "invitation-proof", "receipts"].map(
          (name) => `crypto/${name}`,
        ),
        "browser/session-keeper",
      ].map((name) => sdk(`${name}.test.ts`)),
      ...["webhooks", "sessions", "errors", "careless"].map((name) => `tests/sdk/${name}.test.ts`),
    ],
  },
  {
    name: "marks",
    mutate: ["apps/signer/src/marks/marks*.ts", "apps/signer/src/clock/clock.ts"],
    // The tests of damage anywhere, of scale and of the whole signer are slow, and notice nothing more.
    tests: [
      "clock/clock",
      "marks/marks-buckets",
      "marks/marks-log",
      "marks/marks-wal",
      "marks/marks-store",
      "marks/marks",
      "marks/marks-file",
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
    mutate: ["evaluate", "policy-groups", "environment", "selectors", "time", "values"].map(
      (name) => policy(`${name}.ts`),
    ),
    tests: [
      ...["failures", "steps", "environment", "values", "vectors", "selectors", "time"],
      ...["evaluate", "policy-groups", "advice/trace", "denial", "decide", "errors"],
    ].map((name) => policy(`${name}.test.ts`)),
  },
];
