import { createWallet } from "@keyhearth/engine/activities/create-wallet";
import { type ActivityRecord, FOUND_TYPE, type Vote } from "@keyhearth/engine/records/activity";
import { newOrganizationDocument, type User } from "@keyhearth/engine/records/organization";
import type { SessionEntry } from "@keyhearth/engine/records/sessions";
import { expect, test } from "vitest";
import type { Warning } from "../policies/warnings.ts";
import { Activity } from "../wire/objects.ts";
import { renderActivity, renderUser } from "./render.ts";

const organizationId = "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11";
const startMs = 1_767_225_600_123;
const dayMs = 24 * 60 * 60 * 1000;

const ada = createUser("6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e", "Ada");
const bob = createUser("6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5f", "Bob");
const guest = createUser("6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d60", "Guest");
const users = [ada, bob, guest];

const document = newOrganizationDocument({
  organizationId,
  organizationName: "Acme",
  createdAtMs: startMs,
  users,
  rootQuorum: { threshold: 2, userIds: [ada.userId, bob.userId] },
});

test("an activity has the members of the wire, in their order", () => {
  const shown = render(
    createActivity({
      status: "ACTIVITY_STATUS_COMPLETED",
      result: { walletId: "w", addresses: [] },
    }),
  );
  expect(Object.keys(shown)).toEqual([
    "id",
    "organizationId",
    "status",
    "type",
    "intent",
    "result",
    "votes",
    "appProofs",
    "fingerprint",
    "canApprove",
    "canReject",
    "createdAt",
    "updatedAt",
    "failure",
  ]);
  expect(shown.result).toEqual({ createWalletResult: { walletId: "w", addresses: [] } });
  expect(shown.createdAt).toEqual({ seconds: "1767225600", nanos: "0" });
  expect(shown.failure).toBeNull();
  expect(shown.votes[0]?.user.userName).toBe("Ada");
  expect(Object.keys(shown.votes[0] ?? {})).toEqual([
    "id",
    "userId",
    "user",
    "activityId",
    "selection",
    "message",
    "publicKey",
    "signature",
    "scheme",
    "createdAt",
  ]);
});

test("a waiting activity fits its own schema and has an empty result", () => {
  const shown = render(createActivity());
  expect(shown.result).toEqual({});
  expect(Activity.safeParse(shown).error).toBeUndefined();
});

test("warnings come last, fit their schema without a policy id, and are absent if there are none", () => {
  const place = { clause: "condition" as const, start: 0, end: 4 };
  const warnings = [{ code: "deny-everything", message: "it denies all", policyId: "", ...place }];
  const shown = render(createActivity(), { warnings });
  expect(Object.entries(shown).at(-1)).toEqual(["warnings", warnings]);
  expect(Activity.safeParse(shown).error).toBeUndefined();
  expect(Object.keys(render(createActivity()))).not.toContain("warnings");
});

test("an intent shows every list and leaves out fields that were not set", () => {
  const parameters = { walletName: "w", mnemonicLength: null };
  expect(render(createActivity({}, parameters)).intent).toEqual({
    createWalletIntent: { walletName: "w", accounts: [] },
  });
});

test("a request that today's rules would refuse is shown as it was sent", () => {
  const parameters = { walletName: "w", accounts: [], retired: true };
  expect(render(createActivity({}, parameters)).intent).toEqual({ createWalletIntent: parameters });
});

test("the founding of an organization is shown with all that released clients require", () => {
  const parameters = { organizationName: "Acme" };
  const result = { organizationId, userId: ada.userId };
  const founding = createActivity(
    { type: FOUND_TYPE, status: "ACTIVITY_STATUS_COMPLETED", result },
    parameters,
  );
  const shown = render(founding);
  const noPasskey = {
    authenticatorName: "",
    userId: "",
    attestation: {
      id: "",
      type: "public-key",
      rawId: "",
      response: { clientDataJson: "", attestationObject: "" },
      clientExtensionResults: {},
    },
    challenge: "",
  };
  // Released clients require the two that were not sent.
  expect(shown.intent).toEqual({
    createOrganizationIntent: { ...parameters, rootEmail: "", rootAuthenticator: noPasskey },
  });
  expect(shown.result).toEqual({ createOrganizationResult: result });
});

test("a root user can approve until their approval counts, and reject until it is decided", () => {
  const waiting = createActivity();
  const can = (viewer: User | null, nowMs = startMs, activity = waiting) => {
    const { canApprove, canReject } = render(activity, { viewer, nowMs });
    return { canApprove, canReject };
  };
  expect(can(ada)).toEqual({ canApprove: false, canReject: true });
  expect(can(bob)).toEqual({ canApprove: true, canReject: true });
  // After a day approvals expire and must be given again.
  expect(can(ada, startMs + dayMs)).toEqual({ canApprove: true, canReject: true });
  expect(can(guest)).toEqual({ canApprove: false, canReject: false });
  expect(can(null)).toEqual({ canApprove: false, canReject: false });
  const completed = createActivity({ status: "ACTIVITY_STATUS_COMPLETED" });
  expect(can(bob, startMs, completed)).toEqual({ canApprove: false, canReject: false });
});

test("an activity that no vote decides any more says why", () => {
  const without = { ...document, users: [bob, guest] };
  const why = (activity: ActivityRecord, shownIn = document) => {
    const shown = render(activity, { shownIn });
    expect(Activity.safeParse(shown).error).toBeUndefined();
    expect(shown.status).toBe(activity.status);
    return shown.failure?.message ?? null;
  };
  const lapsed = "the activity lapsed, because";
  expect(why(createActivity())).toBeNull();
  expect(why(createActivity(), without)).toContain(`${lapsed} the user who started it was deleted`);
  expect(why(createActivity({ waitingState: null }))).toContain(
    `${lapsed} it began to wait before`,
  );
  const status = "ACTIVITY_STATUS_REJECTED";
  expect(why(createActivity({ status, waitingState: null }), without)).toBeNull();
});

test("a user shows only those expiring keys that are still valid", () => {
  const entry = (apiKeyName: string, sessionEpoch: number, expirationSeconds: number) => ({
    apiKeyId: apiKeyName,
    apiKeyName,
    credential: { publicKey: "03", type: "CREDENTIAL_TYPE_API_KEY_P256" as const },
    sessionEpoch,
    expirationSeconds,
    createdAtMs: startMs,
  });
  const sessionEntries: SessionEntry[] = [
    entry("live", 1, 900),
    entry("expired", 1, 60),
    entry("revoked", 0, 900),
  ];
  const user = { ...ada, sessionEpoch: 1, apiKeys: [] };
  const { apiKeys } = renderUser(user, { sessionEntries, nowMs: startMs + 60_000 });
  expect(
    apiKeys.map(({ apiKeyName, expirationSeconds }) => [apiKeyName, expirationSeconds]),
  ).toEqual([["live", "900"]]);
});

function render(
  activity: ActivityRecord,
  {
    viewer = ada,
    warnings = [],
    nowMs = startMs,
    shownIn = document,
  }: {
    viewer?: User | null;
    warnings?: Warning[];
    nowMs?: number;
    shownIn?: typeof document;
  } = {},
) {
  const voterOf = ({ userId }: Vote) => users.find((user) => user.userId === userId);
  const mayVote = viewer !== null && document.rootQuorum.userIds.includes(viewer.userId);
  return renderActivity({
    activity,
    document: shownIn,
    voterOf,
    viewer,
    mayVote,
    mayReject: mayVote,
    warnings,
    nowMs,
  });
}

function createActivity(
  changes: Partial<ActivityRecord> = {},
  parameters: Record<string, unknown> = createWallet.example,
): ActivityRecord {
  const type = changes.type ?? createWallet.defaultType;
  const message = JSON.stringify({
    type,
    timestampMs: String(startMs),
    organizationId,
    parameters,
  });
  const activityId = "019a9a51-7c3e-7d21-8a44-5b6c7d8e9f00";
  return {
    activityId,
    type,
    status: "ACTIVITY_STATUS_CONSENSUS_NEEDED",
    fingerprint: `sha256:${"0".repeat(64)}`,
    waitingState: "it waits",
    windowStartedAtMs: startMs,
    votes: [
      {
        voteId: "019a9a51-7c40-7b52-9d10-6c7d8e9f0011",
        userId: ada.userId,
        documentVersion: 1,
        isParents: false,
        selection: "VOTE_SELECTION_APPROVED",
        message,
        publicKey: ada.userName,
        signature: "30",
        scheme: "SIGNATURE_SCHEME_TK_API_P256",
        sessionEpoch: null,
        credential: null,
        outcomes: "",
        createdAtMs: startMs,
      },
    ],
    result: null,
    sealedResult: null,
    failure: null,
    createdAtMs: startMs,
    updatedAtMs: startMs,
    documentVersion: 1,
    documentDigest: "",
    appProofs: [],
    ...changes,
  };
}

function createUser(userId: string, userName: string): User {
  const times = { createdAtMs: startMs, updatedAtMs: startMs };
  const credential = { publicKey: userName, type: "CREDENTIAL_TYPE_API_KEY_P256" as const };
  return {
    userId,
    userName,
    userEmail: null,
    userPhoneNumber: null,
    apiKeys: [
      {
        apiKeyId: "9e405f6b-ad87-4db1-9c81-304d5e6f7081",
        apiKeyName: "laptop",
        credential,
        ...times,
      },
    ],
    userTags: [],
    authenticators: [],
    oauthProviders: [],
    sessionEpoch: 0,
    sessionEpochStartedAtMs: 0,
    keyEpochs: [],
    isEmailVerified: false,
    isPhoneNumberVerified: false,
    ...times,
  };
}
