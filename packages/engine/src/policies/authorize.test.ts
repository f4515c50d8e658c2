import { describe, expect, test } from "vitest";
import { createApiKeys } from "../activities/create-api-keys.ts";
import { createWallet } from "../activities/create-wallet.ts";
import { deleteApiKeys } from "../activities/delete-api-keys.ts";
import { signRawPayload } from "../activities/sign-raw-payload.ts";
import { updateRootQuorum } from "../activities/update-root-quorum.ts";
import { createParsedInterfaces } from "../chains/contract-interfaces.ts";
import { createOrganization } from "../people/organization.ts";
import { createRecords } from "../records/facts.ts";
import {
  newOrganizationDocument,
  type OrganizationDocument,
  type User,
} from "../records/organization.ts";
import type { ActivityDeclaration } from "../submission/define.ts";
import { readIntent } from "../submission/reading.ts";
import { authorize, denied, mayVote, type Question } from "./authorize.ts";
import { compileAll } from "./compiled-policies.ts";

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
      const policy = {
        policyId: "p",
        policyName: "p",
        effect: "EFFECT_ALLOW" as const,
        condition: "activity.resource == 'CREDENTIAL'",
        consensus: null,
        time: null,
        notes: "",
        createdAtMs: 0,
        updatedAtMs: 0,
      };
      expect(bySubmitter(outsider, { ...documentOf(1, [ada]), policies: [policy] })).toBe("allow");
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

describe("a denial", () => {
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

  test("names the policies that denied", () => {
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
