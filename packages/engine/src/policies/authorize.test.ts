import { describe, expect, test } from "vitest";
import { createApiKeys } from "../activities/create-api-keys.ts";
import { createReadOnlySession } from "../activities/create-read-only-session.ts";
import { createWallet } from "../activities/create-wallet.ts";
import { deleteApiKeys } from "../activities/delete-api-keys.ts";
import { recoverUser } from "../activities/recover-user.ts";
import { signRawPayload } from "../activities/sign-raw-payload.ts";
import { updateRootQuorum } from "../activities/update-root-quorum.ts";
import { updateUser } from "../activities/update-user.ts";
import { createParsedInterfaces } from "../chains/contract-interfaces.ts";
import type { ActivityDeclaration } from "../declare/define.ts";
import { readIntent } from "../declare/reading.ts";
import { compileAll } from "../records/compiled-policies.ts";
import { createRecords } from "../records/facts.ts";
import {
  newOrganizationDocument,
  type OrganizationDocument,
  type Policy,
  type User,
} from "../records/organization.ts";
import { createOrganization } from "../records/organization-index.ts";
import {
  authorize,
  decisionInput,
  denied,
  mayReject,
  mayVote,
  type Question,
} from "./authorize.ts";

function user(userId: string): User {
  return {
    userId,
    userName: userId,
    userEmail: null,
    userPhoneNumber: null,
    apiKeys: [],
    userTags: [],
    authenticators: [],
    oauthProviders: [],
    sessionEpoch: 0,
    sessionEpochStartedAtMs: 0,
    keyEpochs: [],
    isEmailVerified: false,
    isPhoneNumberVerified: false,
    createdAtMs: 0,
    updatedAtMs: 0,
  };
}

const [ada, grace, joan, outsider] = ["ada", "grace", "joan", "outsider"].map(user) as [
  User,
  User,
  User,
  User,
];

function documentOf(threshold: number, roots: User[]): OrganizationDocument {
  return newOrganizationDocument({
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    organizationName: "Acme",
    createdAtMs: 0,
    users: [ada, grace, joan, outsider],
    rootQuorum: { threshold, userIds: roots.map(({ userId }) => userId) },
  });
}

function policy(policyId: string, given: Partial<Policy> = {}): Policy {
  const clauses = { condition: null, consensus: null, time: null };
  const times = { createdAtMs: 0, updatedAtMs: 0 };
  return {
    policyId,
    policyName: policyId,
    effect: "EFFECT_ALLOW",
    ...clauses,
    notes: "",
    ...times,
    ...given,
  };
}

const all = [ada, grace, joan];
const interfaces = createParsedInterfaces({ max: 1e7, maxPerOrganization: 1e7 });

function question({
  approvers,
  document,
  ...given
}: Pick<Question, "submitter"> &
  Partial<Question> & { document: OrganizationDocument; approvers?: User[] }): Question {
  const approving = approvers ?? [given.submitter];
  const organization = createOrganization(document, compileAll);
  const declaration = given.declaration ?? createWallet;
  return {
    declaration,
    type: declaration.defaultType,
    intent: {},
    reading: readIntent(
      declaration,
      { document, records: createRecords(document, []), interfaces },
      given.intent ?? {},
    ),
    organization,
    decider: organization,
    approvals: approving.map((each) => ({ user: each, credential: undefined })),
    nowMs: 1_767_225_600_000,
    ...given,
  };
}

type Case = {
  is: string;
  threshold?: number;
  roots?: User[];
  declaration?: ActivityDeclaration;
  intent?: unknown;
  submitter: User;
  approvers?: User[];
  outcome: string;
  /** Allowed because users may change their own credentials. */
  isOwn?: boolean;
};

const cases: Case[] = [
  { is: "one root user of one", threshold: 1, submitter: ada, outcome: "allow" },
  { is: "one root user of two", submitter: ada, outcome: "consensus needed" },
  { is: "two root users of two", submitter: ada, approvers: [ada, grace], outcome: "allow" },
  { is: "more than needed", submitter: ada, approvers: all, outcome: "allow" },
  { is: "the same user twice", submitter: ada, approvers: [ada, ada], outcome: "consensus needed" },
  {
    is: "a root user and an outsider",
    submitter: ada,
    approvers: [ada, outsider],
    outcome: "consensus needed",
  },
  { is: "an outsider", threshold: 1, submitter: outsider, outcome: "deny" },
  { is: "an outsider where two must agree", submitter: outsider, outcome: "deny" },
  { is: "nobody's approval", threshold: 1, submitter: ada, approvers: [], outcome: "deny" },
  { is: "a threshold of zero", threshold: 0, submitter: ada, outcome: "consensus needed" },
  {
    is: "a threshold of zero with nobody",
    threshold: 0,
    roots: [],
    submitter: ada,
    approvers: [],
    outcome: "deny",
  },
  {
    is: "a signature by an outsider",
    declaration: signRawPayload,
    intent: {
      signWith: "8d3f4e5a-9c76-4ca0-8b70-2f3c4d5e6f70",
      payload: "hello",
      encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
      hashFunction: "HASH_FUNCTION_SHA256",
    },
    submitter: outsider,
    outcome: "deny",
  },
  {
    is: "a key for themselves",
    declaration: createApiKeys,
    intent: { userId: outsider.userId },
    submitter: outsider,
    outcome: "allow",
    isOwn: true,
  },
  {
    is: "a key of a root user for themselves, where two must agree",
    declaration: createApiKeys,
    intent: { userId: ada.userId },
    submitter: ada,
    outcome: "allow",
    isOwn: true,
  },
  {
    is: "a key for the submitter, whose approval no longer counts",
    threshold: 3,
    declaration: createApiKeys,
    intent: { userId: outsider.userId },
    submitter: outsider,
    approvers: [ada],
    outcome: "consensus needed",
  },
  {
    is: "a key for the submitter, which another user approves too",
    declaration: createApiKeys,
    intent: { userId: outsider.userId },
    submitter: outsider,
    approvers: [outsider, ada],
    outcome: "allow",
    isOwn: true,
  },
  {
    is: "another user's key",
    declaration: createApiKeys,
    intent: { userId: ada.userId },
    submitter: outsider,
    outcome: "deny",
  },
  {
    is: "deleting one of their own keys",
    declaration: deleteApiKeys,
    intent: { userId: outsider.userId },
    submitter: outsider,
    outcome: "allow",
    isOwn: true,
  },
  {
    is: "another user's key, by one of two root users",
    declaration: deleteApiKeys,
    intent: { userId: outsider.userId },
    submitter: ada,
    outcome: "consensus needed",
  },
  {
    is: "the root quorum by one of two",
    declaration: updateRootQuorum,
    submitter: ada,
    outcome: "consensus needed",
  },
  {
    is: "the root quorum by an outsider",
    declaration: updateRootQuorum,
    threshold: 1,
    submitter: outsider,
    outcome: "deny",
  },
];

describe("authorize", () => {
  test.each(cases)("$is: $outcome", ({ outcome, isOwn = false, ...given }) => {
    const { threshold = 2, roots = all, submitter } = given;
    const { declaration = createWallet, intent = {}, approvers = [submitter] } = given;
    const document = documentOf(threshold, roots);
    const asked = question({ declaration, intent, document, submitter, approvers });
    expect(authorize(asked)).toEqual({ outcome, isOwn, evaluations: [] });
  });

  test("a recovery is a user's own change with the key of a recovery mail alone", () => {
    const document = documentOf(2, all);
    const withKey = (type?: string) => {
      const { userId } = outsider;
      const key = type && { id: "k", user_id: userId, type, credential_id: "", public_key: "02" };
      const approvals = [{ user: outsider, credential: key || undefined }];
      const asked = { declaration: recoverUser, intent: { userId }, submitter: outsider };
      return authorize(question({ ...asked, document, approvals }));
    };
    expect(withKey("CREDENTIAL_TYPE_RECOVER_USER_KEY_P256")).toMatchObject({
      outcome: "allow",
      isOwn: true,
    });
    for (const type of ["CREDENTIAL_TYPE_API_KEY_P256", "CREDENTIAL_TYPE_LOGIN", undefined]) {
      expect(withKey(type), type).toMatchObject({ outcome: "deny", isOwn: false });
    }
  });

  describe("a request that a parent sends for its sub-organization", () => {
    const own = documentOf(1, [grace]);
    const bySubmitter = (submitter: User, parent: OrganizationDocument) => {
      const decider = createOrganization(parent, compileAll);
      const intent = { userId: submitter.userId };
      return authorize(
        question({ document: own, decider, declaration: createApiKeys, intent, submitter }),
      ).outcome;
    };

    test("is decided by the parent's root quorum", () => {
      expect(bySubmitter(ada, documentOf(1, [ada]))).toBe("allow");
      expect(bySubmitter(ada, documentOf(2, [ada, joan]))).toBe("consensus needed");
      expect(bySubmitter(grace, documentOf(1, [ada]))).toBe("deny");
    });

    test("is decided by the parent's policies", () => {
      const policies = [policy("p", { condition: "activity.resource == 'CREDENTIAL'" })];
      expect(bySubmitter(outsider, { ...documentOf(1, [ada]), policies })).toBe("allow");
    });

    test("grants nothing to a user with the same id", () => {
      expect(bySubmitter(outsider, documentOf(1, [ada]))).toBe("deny");
    });
  });

  test("without a policy only root users vote", () => {
    const document = documentOf(2, [ada, grace]);
    const asked = question({ document, submitter: ada });
    expect([ada, grace, joan, outsider].map((each) => mayVote(asked, each))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

const deny = { effect: "EFFECT_DENY" } as const;

/** The question whether the outsider may do this. Only the quorum of two could, without a policy. */
function outsiders(policies: Policy[], given: Partial<Question> = {}) {
  return question({ document: { ...documentOf(2, all), policies }, submitter: outsider, ...given });
}

describe("policies", () => {
  test.each<[string, Policy[], string, string[]]>([
    ["an ALLOW", [policy("a")], "allow", ["OUTCOME_ALLOW"]],
    [
      "an ALLOW that waits for another user",
      [policy("a", { consensus: "approvers.count() >= 2" })],
      "consensus needed",
      ["OUTCOME_REQUIRES_CONSENSUS"],
    ],
    [
      "a DENY",
      [policy("a"), policy("b", deny)],
      "deny",
      ["OUTCOME_ALLOW", "OUTCOME_DENY_EXPLICIT"],
    ],
    [
      "none that matches",
      [policy("a", { condition: "activity.resource == 'POLICY'" })],
      "deny",
      ["OUTCOME_DENY_IMPLICIT"],
    ],
    [
      "an ALLOW at another time",
      [policy("a", { time: "time.now < Timestamp('2026-01-01T00:00:00Z')" })],
      "deny",
      ["OUTCOME_TIME_INACTIVE"],
    ],
    [
      "an ALLOW at this time",
      [policy("a", { time: "time.now == Timestamp('2026-01-01T00:00:00Z')" })],
      "allow",
      ["OUTCOME_ALLOW"],
    ],
  ])("%s: the decision has the outcome of each", (_, policies, outcome, outcomes) => {
    const { evaluations, denials = [], ...decision } = authorize(outsiders(policies));
    expect(decision).toStrictEqual({ outcome, isOwn: false });
    const denying = outcomes.filter((each) => each === "OUTCOME_DENY_EXPLICIT");
    expect(denials).toHaveLength(outcome === "deny" ? denying.length : 0);
    expect(evaluations.map((each) => each.outcome)).toEqual(outcomes);
    expect(evaluations.map(({ policyId }) => policyId)).toEqual(
      policies.map(({ policyId }) => policyId),
    );
  });

  test("are not read if the root quorum decides", () => {
    const broken = policy("of a later version", { condition: "no such language" });
    const document = { ...documentOf(2, all), policies: [broken] };
    const asked = question({ document, submitter: ada, approvers: [ada, grace] });
    expect(authorize(asked).outcome).toBe("allow");
    expect(() => authorize(question({ document, submitter: ada }))).toThrow();
  });

  test("see with which credentials users approved, and that of a user who has none left", () => {
    const credential = {
      id: "k",
      user_id: "ada",
      type: "CREDENTIAL_TYPE_API_KEY_P256",
      credential_id: "",
      public_key: "02",
    };
    const approvals = [
      { user: ada, credential },
      { user: grace, credential: undefined },
    ];
    const asked = outsiders([], { approvals });
    expect(decisionInput(asked).approvals).toStrictEqual([
      { userId: "ada", credential },
      { userId: "grace" },
    ]);
  });

  test("are asked about no request that everyone may send, except about one for a sub-organization", () => {
    const document = { ...documentOf(2, all), policies: [policy("never", deny)] };
    const declaration = createReadOnlySession;
    const asked = question({ document, submitter: outsider, declaration });
    expect(authorize(asked)).toEqual({ outcome: "allow", isOwn: true, evaluations: [] });
    const withoutOwn = question({ document, submitter: outsider, approvers: [joan], declaration });
    expect(authorize(withoutOwn)).toMatchObject({ outcome: "consensus needed", isOwn: false });
    const decider = createOrganization(document, compileAll);
    expect(authorize({ ...asked, decider })).toMatchObject({
      outcome: "deny",
      isOwn: false,
      evaluations: [{ policyId: "never", outcome: "OUTCOME_DENY_EXPLICIT" }],
    });
  });

  test("do not apply to what only the root quorum may do, or may do with these parameters", () => {
    const policies = [policy("all")];
    const ask = (declaration: ActivityDeclaration, intent: unknown) =>
      authorize(outsiders(policies, { declaration, intent })).outcome;
    expect(ask(updateRootQuorum, { threshold: 1, userIds: [] })).toBe("deny");
    const userEmail = "new@example.com";
    expect(ask(updateUser, { userId: ada.userId, userEmail })).toBe("deny");
    expect(ask(updateUser, { userId: ada.userId, userName: "Ada" })).toBe("allow");
    expect(ask(updateUser, { userId: outsider.userId, userEmail })).toBe("allow");
  });
});

describe("a DENY that errs denies", () => {
  const errors = (...policies: Policy[]) =>
    authorize(outsiders(policies, { intent: { walletName: "w", accounts: [] } })).errors;
  const outside = "position 0 is outside the list of 0";

  test("and the answer names each, the part that errs, and why", () => {
    const condition = "1 == 1 && activity.params.accounts[0].curve == 'CURVE_P256'";
    const time = "time.now < Timestamp('2027-01-01T00:00:00Z')";
    expect(
      errors(
        policy("allows", { condition }),
        policy("denies", deny),
        policy("one", { ...deny, condition }),
        policy("two", { ...deny, condition: "activity.params.accounts[1] == 'x'", time }),
        policy("three", { ...deny, consensus: "approvers.all(u, u.id[99] == 'x')" }),
      ),
    ).toEqual([
      `policy \`one\` (one), condition, \`activity.params.accounts[0]\`: ${outside}`,
      "policy `two` (two), condition, `activity.params.accounts[1]`: position 1 is outside the list of 0",
      "policy `three` (three), consensus, `u.id[99]`: position 99 is outside the text",
    ]);
  });

  test("and what the request does not have is not the reason", () => {
    const absent = { ...deny, condition: "activity.params.nothing == 'x'" };
    const consensus = "approvers[7].id == 'x'";
    expect(errors(policy("skipped", absent))).toBeUndefined();
    expect(errors(policy("denies", { ...absent, consensus }))).toEqual([
      "policy `denies` (denies), consensus, `approvers[7]`: position 7 is outside the list of 1",
    ]);
  });

  test("and a long part is cut off", () => {
    const condition = `activity.params.accounts[0${" ".repeat(80)}] == 'x'`;
    expect(errors(policy("long", { ...deny, condition }))).toEqual([
      `policy \`long\` (long), condition, \`${condition.slice(0, 80)}…\`: ${outside}`,
    ]);
  });
});

describe("a waiting activity", () => {
  const waiting = outsiders(
    [
      policy("in turn", {
        consensus: "approvers[0].id == 'outsider' && approvers.any(u, u.id == 'joan')",
      }),
    ],
    {},
  );
  const { document } = waiting.organization;
  const byRoles = (users: User[], asked: Question) =>
    users.map((each) => [mayVote(asked, each), mayReject(asked, each)]);

  test("takes the votes and rejections of those whom a policy waits for", () => {
    const roots = { ...document.rootQuorum, userIds: ["grace"] };
    const asked = question({ document: { ...document, rootQuorum: roots }, submitter: outsider });
    expect(byRoles([joan, grace], asked)).toEqual([
      [true, true],
      [true, true],
    ]);
    // Whether the rule ever waits for Ada is in doubt, because it depends on the order.
    expect(byRoles([ada], asked)).toEqual([[true, false]]);
    // The same doubt does not keep the user who started it from ending it.
    expect(mayReject({ ...asked, submitter: ada }, ada)).toBe(true);
  });

  test("takes neither from others, not even from the user who started it", () => {
    const none = { ...document, policies: [], rootQuorum: { threshold: 1, userIds: ["grace"] } };
    expect(byRoles([ada, outsider], question({ document: none, submitter: outsider }))).toEqual([
      [false, false],
      [false, false],
    ]);
  });

  test.each([
    ["a vote", mayVote, outsider],
    ["a rejection", mayReject, joan],
    ["a rejection by the user who started it", mayReject, outsider],
  ])("counts the effort of finding out who may: %s", (_, may, by) => {
    const roots = { threshold: 1, userIds: [] };
    const asked = question({ document: { ...document, rootQuorum: roots }, submitter: outsider });
    const work = { steps: 0 };
    may(asked, by, work);
    expect(work.steps).toBeGreaterThan(0);
  });
});

describe("a denial", () => {
  const sorry = "You don't have sufficient permissions to take this action.";
  const ask = "Ask the root quorum for a policy that allows it: /concepts/policies/quickstart";

  test("says whom to ask, unless only the root quorum can do this", () => {
    const decision = { outcome: "deny" as const, evaluations: [] };
    expect(denied(decision).message).toBe(`${sorry} ${ask}`);
    expect(denied(decision, outsiders([])).message).toBe(`${sorry} ${ask}`);
    expect(denied(decision, outsiders([], { declaration: updateRootQuorum })).message).toBe(
      `${sorry} Only the root quorum can do this: /concepts/users/root-quorum`,
    );
  });

  test("lists the first five errors", () => {
    const decision = { outcome: "deny" as const, evaluations: [] };
    const errors = ["1", "2", "3", "4", "5", "6"];
    expect(denied({ ...decision, errors }).message).toBe(
      `${sorry} A DENY that errs denies: 1; 2; 3; 4; 5. ${ask}`,
    );
    expect(denied({ ...decision, errors: ["only"] }).message).toBe(
      `${sorry} A DENY that errs denies: only. ${ask}`,
    );
  });

  test("without a policy says that no policy allowed it", () => {
    const error = denied({ outcome: "deny", evaluations: [] });
    expect(error).toMatchObject({ code: "PERMISSION_DENIED", reason: "POLICY_DENIED" });
    expect(error.details).toEqual([
      {
        "@type": "type.googleapis.com/errors.v1.PolicyEnginePermissionError",
        message: "No policies evaluated to outcome: Allow",
        policyEvaluations: [],
      },
    ]);
  });

  test("names the policies that denied by name and id, and suggests no ALLOW", () => {
    const rules = [
      policy("p1", { effect: "EFFECT_DENY", policyName: "Nothing\u202e at night" }),
      policy("p2"),
    ];
    const message = (policies: Policy[]) => {
      const asked = outsiders(policies);
      return denied(authorize(asked), asked).message;
    };
    const advice = "whatever other policies allow: /concepts/policies/understanding-decisions";
    expect(message(rules)).toBe(
      `${sorry} The policy \`Nothing\\u{202e} at night\` (p1) denies it, ${advice}`,
    );
    const many = Array.from({ length: 7 }, (_, i) => policy(`d${i}`, { effect: "EFFECT_DENY" }));
    expect(message(many)).toBe(
      `${sorry} The policies ${[0, 1, 2, 3, 4].map((i) => `\`d${i}\` (d${i})`).join(", ")} and 2 more deny it, ${advice}`,
    );
    expect(message([policy("p2", { condition: "false" })])).toBe(`${sorry} ${ask}`);
    const long = policy("p1", { effect: "EFFECT_DENY", policyName: "n".repeat(1000) });
    expect(message([long]).length).toBeLessThan(400);
  });

  test("lists the ids of the policies that denied", () => {
    const evaluations = [
      { policyId: "p1", outcome: "OUTCOME_DENY_EXPLICIT" as const },
      { policyId: "p2", outcome: "OUTCOME_ALLOW" as const },
      { policyId: "p3", outcome: "OUTCOME_DENY_EXPLICIT" as const },
    ];
    const [detail] = denied({ outcome: "deny", evaluations }).details;
    expect(detail).toMatchObject({
      message: "The following policies denied this action: p1, p3",
      policyEvaluations: evaluations,
    });
  });
});
