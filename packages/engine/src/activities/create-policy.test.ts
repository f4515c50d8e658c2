import { clientOf, newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import {
  addUser,
  badRequest,
  bodyOf,
  errorOf,
  impatient,
  post,
  refusal,
  startWaiting,
  submit,
} from "../organization.testing.ts";
import {
  expectNothingStored,
  expectPoliciesDecide,
  expectWaits,
  newName,
} from "../policies/policies.testing.ts";

const type = "ACTIVITY_TYPE_CREATE_POLICY_V3";
const anyTime = { seconds: expect.stringMatching(/^[1-9]\d{9}$/), nanos: "0" };

const signing = {
  policyName: "signing",
  effect: "EFFECT_ALLOW",
  condition: "activity.action == 'SIGN' && wallet.id == 'w1'",
  consensus: "approvers.count() >= 2",
  notes: "two of us",
  time: "CronSpan('0 9 * * 1-5', '8h', 'Europe/Paris')",
} as const;

test("a policy with all clauses is created and shown as it was given", async () => {
  const { root } = await newOrganization();
  const { policyId, activity } = await root.createPolicy(signing);
  expect(activity.intent).toEqual({ createPolicyIntentV3: signing });
  expect(activity.result).toEqual({ createPolicyResult: { policyId } });
  expect((await root.getPolicy({ policyId })).policy).toEqual({
    policyId,
    createdAt: anyTime,
    updatedAt: anyTime,
    ...signing,
  });
});

test("a policy without clauses shows none, and its notes are empty unless given", async () => {
  const { root } = await newOrganization();
  const request = { policyName: "all", effect: "EFFECT_DENY" } as const;
  for (const extra of [{}, { time: "" }, { condition: null, consensus: null, time: null }]) {
    const policyName = newName();
    const { result } = await submit(root, "create_policy", {
      type,
      parameters: { ...request, policyName, ...extra },
    });
    const { policyId = "" } = result.createPolicyResult ?? {};
    expect((await root.getPolicy({ policyId })).policy).toEqual({
      policyId,
      policyName,
      effect: "EFFECT_DENY",
      createdAt: anyTime,
      updatedAt: anyTime,
      notes: "",
      consensus: "",
      condition: "",
    });
    // It denies everything, but the root quorum can still undo it.
    await root.deletePolicy({ policyId });
  }
});

test("the two formats with selectors are stored as expressions", async () => {
  const { root, userId } = await newOrganization();
  const { policyId: one, activity } = await root.createPolicy(
    {
      policyName: "one",
      effect: "EFFECT_ALLOW",
      selectors: [
        { subject: "user.id", operator: "OPERATOR_EQUAL", target: userId },
        { subject: "activity.action", operator: "OPERATOR_NOT_EQUAL", target: "DELETE" },
      ],
      notes: "old",
    },
    { type: "ACTIVITY_TYPE_CREATE_POLICY" },
  );
  expect(Object.keys(activity.intent)).toEqual(["createPolicyIntent"]);
  expect(activity.result).toEqual({ createPolicyResult: { policyId: one } });
  const { policyId: two, activity: second } = await root.createPolicy(
    {
      policyName: "two",
      effect: "EFFECT_DENY",
      selectors: [
        { subject: "activity.action", operator: "OPERATOR_IN", targets: ["SIGN", "EXPORT"] },
      ],
    },
    { type: "ACTIVITY_TYPE_CREATE_POLICY_V2" },
  );
  expect(Object.keys(second.intent)).toEqual(["createPolicyIntentV2"]);
  expect((await root.getPolicy({ policyId: one })).policy).toEqual({
    policyId: one,
    policyName: "one",
    effect: "EFFECT_ALLOW",
    createdAt: anyTime,
    updatedAt: anyTime,
    notes: "old",
    condition: "activity.action != 'DELETE'",
    consensus: `approvers.any(u, u.id == '${userId}')`,
  });
  expect((await root.getPolicy({ policyId: two })).policy).toMatchObject({
    condition: "activity.action in ['SIGN', 'EXPORT']",
    notes: "",
  });
});

test("an old policy decides like the expression it became", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const grace = await addUser(organization);
  const wallet = { walletName: "w", accounts: [] };
  expect(await refusal(grace.client.createWallet(wallet))).toMatchObject({ code: "POLICY_DENIED" });
  await root.createPolicy(
    {
      policyName: "wallets",
      effect: "EFFECT_ALLOW",
      selectors: [
        { subject: "user.id", operator: "OPERATOR_EQUAL", target: grace.userId },
        { subject: "activity.resource", operator: "OPERATOR_EQUAL", target: "WALLET" },
      ],
    },
    { type: "ACTIVITY_TYPE_CREATE_POLICY" },
  );
  expect((await grace.client.createWallet(wallet)).walletId).toMatch(/^[0-9a-f-]{36}$/);
});

test("selectors that cannot be translated are refused with their place", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const equal = { subject: "user.id", operator: "OPERATOR_EQUAL" };
  const cases: [string, unknown[], string, string, unknown][] = [
    ["", [], "POLICY_INVALID", "selectors", /^invalid policy: selectors: 0 selectors; accepted: /],
    [
      "",
      [
        { ...equal, target: "u" },
        { operator: "OPERATOR_EQUAL", target: "u" },
      ],
      "FIELD_INVALID",
      "selectors[1].subject",
      /^invalid request body: missing field `parameters.selectors\[1\].subject`$/,
    ],
    [
      "",
      [{ subject: "user.id", target: "u" }],
      "FIELD_INVALID",
      "selectors[0].operator",
      /^invalid request body: missing field `parameters.selectors\[0\].operator`$/,
    ],
    [
      "",
      [equal],
      "FIELD_INVALID",
      "selectors[0].target",
      /^invalid request body: missing field `parameters.selectors\[0\].target`$/,
    ],
    [
      "_V2",
      [equal],
      "FIELD_INVALID",
      "selectors[0].targets",
      /^invalid request body: missing field `parameters.selectors\[0\].targets`$/,
    ],
    [
      "_V2",
      [{ ...equal, targets: ["u", "v"] }],
      "POLICY_INVALID",
      "selectors[0].targets",
      /^invalid policy: selectors\[0\].targets: `OPERATOR_EQUAL` has 2 targets; accepted: exactly 1 target$/,
    ],
    [
      "",
      [{ ...equal, target: "u'" }],
      "POLICY_INVALID",
      "selectors[0].target",
      /^invalid policy: selectors\[0\].target: `u'` has an apostrophe; accepted: text without apostrophes$/,
    ],
    [
      "",
      [{ ...equal, subject: "user.idd", target: "u" }],
      "POLICY_INVALID",
      "selectors[0].subject",
      /^invalid policy: selectors\[0\].subject: there is no subject `user.idd`; did you mean `user.id`\?; accepted: /,
    ],
    [
      "_V2",
      [{ ...equal, operator: "OPERATOR_MORE_THAN", targets: ["u"] }],
      "POLICY_INVALID",
      "selectors[0].operator",
      /`OPERATOR_MORE_THAN` does not fit a subject of type string/,
    ],
    [
      "",
      [{ ...equal, operator: "OPERATOR_LIKE", target: "u" }],
      "FIELD_INVALID",
      "selectors[0].operator",
      /^invalid operator: .*`OPERATOR_LIKE`; accepted: OPERATOR_EQUAL, /,
    ],
    [
      "",
      [{ ...equal, targets: ["u"] }],
      "FIELD_UNKNOWN",
      "selectors[0].targets",
      /unknown field `targets`/,
    ],
  ];
  await expectNothingStored(organization, async () => {
    for (const [version, selectors, code, field, message] of cases) {
      const request = submit(root, "create_policy", {
        type: `ACTIVITY_TYPE_CREATE_POLICY${version}`,
        parameters: { policyName: "p", effect: "EFFECT_ALLOW", selectors },
      });
      expect(await refusal(request), field).toEqual(
        badRequest(code, `parameters.${field}`, expect.stringMatching(message as RegExp)),
      );
    }
  });
});

test("bad parameters are refused by field, and nothing is stored", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const good = { policyName: "p", effect: "EFFECT_ALLOW" };
  const cases: [object, string, string, unknown][] = [
    [
      { ...good, policyName: "x".repeat(256) },
      "FIELD_INVALID",
      "policyName",
      expect.stringMatching(/^must have at most 255 characters/),
    ],
    [
      { ...good, effect: "EFFECT_UNSPECIFIED" },
      "FIELD_INVALID",
      "effect",
      "invalid effect: `parameters.effect` is `EFFECT_UNSPECIFIED`; accepted: EFFECT_ALLOW, EFFECT_DENY",
    ],
    [
      { ...good, notes: "x".repeat(4097) },
      "FIELD_INVALID",
      "notes",
      expect.stringMatching(/^must have at most 4096 characters/),
    ],
    [
      { ...good, condition: "" },
      "POLICY_INVALID",
      "condition",
      "invalid policy condition: `parameters.condition` is empty; leave the field out for a policy that is about every request",
    ],
    [
      { ...good, consensus: "" },
      "POLICY_INVALID",
      "consensus",
      "invalid policy consensus: `parameters.consensus` is empty; leave the field out for a policy that needs no approval except the submitter's",
    ],
    [
      { ...good, condition: `${"true && ".repeat(2048)}true` },
      "POLICY_INVALID",
      "condition",
      expect.stringMatching(
        /^invalid policy condition: .*an expression may have 16384 characters, but this one has 16388/,
      ),
    ],
    [
      { ...good, consensus: `${"(".repeat(70)}true${")".repeat(70)}` },
      "POLICY_INVALID",
      "consensus",
      expect.stringMatching(/^invalid policy consensus: .*nested deeper than 64 levels/),
    ],
    [
      { ...good, condition: "approvers.count() > 1" },
      "POLICY_INVALID",
      "condition",
      expect.stringMatching(
        /^invalid policy condition: .*`approvers` exists only in a policy's consensus/,
      ),
    ],
    [
      { ...good, consensus: "approvers.count()" },
      "POLICY_INVALID",
      "consensus",
      expect.stringMatching(
        /^invalid policy consensus: .*the whole expression must be bool, found int/,
      ),
    ],
    [
      { ...good, time: "CronSpan('0 9 * * *', '8 hours', 'UTC')" },
      "POLICY_INVALID",
      "time",
      expect.stringMatching(/^invalid policy time: .*this is not a duration of at most 7 days/),
    ],
    [
      { ...good, time: "   " },
      "POLICY_INVALID",
      "time",
      expect.stringMatching(/^invalid policy time: .*expected a value, found the end/),
    ],
  ];
  await expectNothingStored(organization, async () => {
    for (const [parameters, code, field, message] of cases) {
      const refused = await refusal(submit(root, "create_policy", { type, parameters }));
      expect(refused).toEqual(badRequest(code, `parameters.${field}`, message));
    }
  });
});

test("an error in a clause says where it is and what is expected, and shows the place", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const condition = "activity.action == 'SIGN' &&\n  walet.id == 'w1'";
  const parameters = { policyName: "p", effect: "EFFECT_ALLOW", condition } as const;
  await expectNothingStored(organization, async () => {
    const { details } = await errorOf(root.createPolicy(parameters));
    expect(details.slice(1)).toEqual([
      {
        "@type": "keyhearth.dev/PolicyError",
        code: "POLICY_UNKNOWN_FIELD",
        clause: "condition",
        line: 2,
        column: 3,
        start: 31,
        end: 39,
        expected: expect.stringContaining("`wallet`"),
        found: "walet.id",
        suggestion: "wallet.id",
        excerpt: "  walet.id == 'w1'\n  ^^^^^^^^",
      },
    ]);
    const answer = await rawAnswer(organization, parameters);
    expect(answer.message.split("\n").slice(0, 4)).toEqual([
      "invalid policy condition: Expression cannot be evaluated: field does not exist: walet.id; did you mean `wallet.id`?",
      "line 2, column 3",
      "  walet.id == 'w1'",
      "  ^^^^^^^^",
    ]);
  });
});

test("a name can be used only once", async () => {
  const { root } = await newOrganization();
  await root.createPolicy(signing);
  expect(await refusal(root.createPolicy({ ...signing, effect: "EFFECT_DENY" }))).toEqual(
    badRequest(
      "NAME_TAKEN",
      "parameters.policyName",
      "policy label must be unique: there is another policy named `signing`",
    ),
  );
});

test("the same bytes again are the same activity and the same policy", async () => {
  const { root, organizationId } = await newOrganization();
  const body = bodyOf(organizationId, { type, parameters: signing });
  const one = await post(root, "create_policy", body);
  expect(await post(root, "create_policy", body)).toEqual(one);
  expect((await root.listPolicies()).policies).toHaveLength(1);
});

test("an organization has at most 100 policies", async () => {
  const organization = await newOrganization();
  const root = impatient(organization);
  const policies = Array.from({ length: 99 }, (_, i) => ({
    policyName: `p${i}`,
    effect: "EFFECT_DENY" as const,
    condition: "activity.action == 'EXPORT'",
  }));
  await root.createPolicies({ policies });
  await root.createPolicy({ ...signing, policyName: "the hundredth" });
  expect(await refusal(root.createPolicy({ ...signing, policyName: "one more" }))).toEqual({
    httpStatus: 429,
    grpcCode: 8,
    code: "LIMIT_EXCEEDED",
    field: "parameters.policyName",
    message: "an organization may have 100 policies",
  });
});

test("policies decide who can create policies", async () => {
  await expectPoliciesDecide(
    "CREATE",
    async () => ({}),
    (client) => client.createPolicy({ ...signing, policyName: newName() }),
  );
});

test("it waits for the root quorum and is created with the last approval", async () => {
  const { activity, root } = await expectWaits(
    async () => signing,
    (client, parameters) => startWaiting(client, "create_policy", { type, parameters }),
  );
  const { policyId = "" } = activity.result.createPolicyResult ?? {};
  expect((await root.getPolicy({ policyId })).policy).toMatchObject(signing);
});

test("hazards are shown with the activity, but not those of other policies", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const grace = await addUser(organization);
  const consensus = `approvers.any(user, user.id == '${grace.userId}')`;
  const { policyId, activity } = await root.createPolicy({
    policyName: "all signatures",
    effect: "EFFECT_ALLOW",
    condition: "activity.action == 'SIGN'",
    consensus,
  });
  const warnings = [
    {
      code: "sign-unscoped",
      message: expect.stringContaining("raw payloads included"),
      policyId,
      clause: "condition",
      start: 0,
      end: 25,
    },
  ];
  expect(activity.warnings).toEqual(warnings);
  const again = await root.getActivity({ activityId: activity.id });
  expect(again.activity.warnings).toEqual(warnings);

  const harmless = await root.createPolicy({
    policyName: "renaming wallets",
    effect: "EFFECT_ALLOW",
    condition: "activity.resource == 'WALLET' && activity.action == 'UPDATE'",
    consensus,
  });
  expect(Object.keys(harmless.activity)).not.toContain("warnings");
  const misspelt = await root.createPolicy({
    policyName: "renaming keys",
    effect: "EFFECT_ALLOW",
    condition: "activity.resource == 'PRIVATEKEY' && activity.action == 'UPDATE'",
    consensus: consensus.replace(grace.userId, "nobody"),
  });
  const codes = misspelt.activity.warnings?.map(({ code }) => code);
  expect(codes).toEqual(expect.arrayContaining(["unknown-activity", "unknown-user"]));
});

test("a user who approves a policy sees its hazards before", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  const second = await addUser(organization, "Second");
  await root.updateRootQuorum({ threshold: 2, userIds: [userId, second.userId] });
  const { id, fingerprint } = await startWaiting(root, "create_policy", {
    type,
    parameters: { policyName: "nothing goes", effect: "EFFECT_DENY" },
  });
  const { activity: seen } = await second.client.getActivity({ activityId: id });
  expect(seen.warnings?.map(({ code }) => code)).toEqual(["deny-everything"]);
  // The policy has no id before it is created.
  expect(seen.warnings?.map(({ policyId }) => policyId)).toEqual([""]);
  const { activity } = await second.client.approveActivity({ fingerprint });
  // It was about the policy that the approval created.
  const { policyId } = activity.result.createPolicyResult ?? {};
  expect(activity.warnings).toEqual(seen.warnings?.map((warning) => ({ ...warning, policyId })));
});

test("a policy that became impossible while it waited fails, and its voters see why", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const grace = await addUser(organization);
  await root.createPolicy({
    policyName: "two for policies",
    effect: "EFFECT_ALLOW",
    condition: "activity.resource == 'POLICY'",
    consensus: "approvers.count() >= 2",
  });
  const joan = await addUser(organization, "Joan");
  const waiting = await startWaiting(joan.client, "create_policy", { type, parameters: signing });
  await root.createPolicy({ ...signing, condition: "true" });
  const { fingerprint } = waiting;
  const error = await errorOf(grace.client.approveActivity({ fingerprint }));
  expect(error).toMatchObject({ code: "NAME_TAKEN", field: "parameters.policyName" });
  const { activity } = await root.getActivity({ activityId: waiting.id });
  expect(activity).toMatchObject({
    status: "ACTIVITY_STATUS_FAILED",
    failure: {
      code: 3,
      message: "policy label must be unique: there is another policy named `signing`",
    },
  });
});

/** The JSON of an error as it is sent, with its line breaks. */
async function rawAnswer(
  { server, organizationId, rootKey }: TestOrganization,
  parameters: object,
): Promise<{ message: string }> {
  let text = "{}";
  const fetch: typeof server.fetch = async (input, init) => {
    const response = await server.fetch(input, init);
    text = await response.clone().text();
    return response;
  };
  const client = clientOf({ ...server, fetch }, organizationId, rootKey);
  await errorOf(submit(client, "create_policy", { type, parameters }));
  return JSON.parse(text);
}
