import { randomUUID } from "node:crypto";
import {
  addUser,
  badRequest,
  bodyOf,
  ethereumAccount,
  first,
  newQuorum,
  post,
  refusal,
  startWaiting,
  submit,
} from "@keyhearth/engine/organization.testing";
import { ApiKeyStamper } from "@keyhearth/sdk";
import { serializeTransaction } from "viem";
import { describe, expect, test } from "vitest";
import { ask, newChild, newFamily } from "./queries/queries.testing.ts";
import { clientOf, newKey, newOrganization } from "./testing.ts";

// What released clients of this API rely on, in the forms and texts that they look for.

describe("a transaction that is signed by the first type", () => {
  const type = "ACTIVITY_TYPE_SIGN_TRANSACTION";
  const unsignedTransaction = serializeTransaction({
    chainId: 1,
    to: "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
    value: 1n,
    type: "eip1559",
  });

  async function newTreasury() {
    const organization = await newOrganization();
    const accounts = [ethereumAccount];
    const wallet = await organization.root.createWallet({ walletName: "treasury", accounts });
    const signWith = first(wallet.addresses);
    const parameters = { signWith, unsignedTransaction, type: "TRANSACTION_TYPE_ETHEREUM" };
    return { ...organization, parameters };
  }

  test("may name its key as the second type does, and is shown with what it means", async () => {
    const { root, parameters } = await newTreasury();
    const second = await submit(root, "sign_transaction", { type: `${type}_V2`, parameters });
    for (const given of [parameters, { ...parameters, privateKeyId: null }]) {
      const activity = await submit(root, "sign_transaction", { type, parameters: given });
      expect(activity).toMatchObject({
        status: "ACTIVITY_STATUS_COMPLETED",
        type: "ACTIVITY_TYPE_SIGN_TRANSACTION_V2",
      });
      expect(activity.intent).toEqual({ signTransactionIntentV2: parameters });
      expect(activity.result).toEqual(second.result);
      const { activity: read } = await root.getActivity({ activityId: activity.id });
      expect(read).toEqual(activity);
    }
  });

  test("names one key: both fields, or neither, are refused", async () => {
    const { root, parameters } = await newTreasury();
    const { signWith: _, ...unsigned } = parameters;
    const both = { ...parameters, privateKeyId: randomUUID() };
    expect(await refusal(submit(root, "sign_transaction", { type, parameters: both }))).toEqual(
      badRequest(
        "FIELD_UNKNOWN",
        "parameters.signWith",
        "invalid request body: unknown field `signWith` in `parameters`; accepted: privateKeyId, unsignedTransaction, type",
      ),
    );
    expect(await refusal(submit(root, "sign_transaction", { type, parameters: unsigned }))).toEqual(
      badRequest(
        "FIELD_INVALID",
        "parameters.privateKeyId",
        "invalid request body: missing field `parameters.privateKeyId`; expected a string",
      ),
    );
  });

  test("is decided by policies as the second type", async () => {
    const organization = await newTreasury();
    const { parameters, root } = organization;
    const grace = await addUser(organization, "Grace");
    await root.createPolicy({
      policyName: "Grace signs by the second type",
      effect: "EFFECT_ALLOW",
      condition: `activity.type == '${type}_V2'`,
      consensus: `approvers.any(user, user.id == '${grace.userId}')`,
    });
    const signed = submit(grace.client, "sign_transaction", { type: `${type}_V2`, parameters });
    expect((await signed).status).toBe("ACTIVITY_STATUS_COMPLETED");
    const first = await submit(grace.client, "sign_transaction", { type, parameters });
    expect(first.status).toBe("ACTIVITY_STATUS_COMPLETED");
    const simulated = await grace.client.simulateActivity({ activity: { type, parameters } });
    expect(simulated.outcome).toBe("OUTCOME_ALLOW");
    await root.createPolicy({
      policyName: "nobody signs by the second type",
      effect: "EFFECT_DENY",
      condition: `activity.type == '${type}_V2'`,
    });
    for (const each of [type, `${type}_V2`]) {
      const asked = submit(grace.client, "sign_transaction", { type: each, parameters });
      expect(await refusal(asked)).toMatchObject({ httpStatus: 403, code: "POLICY_DENIED" });
    }
  });

  test("can be approved by others", async () => {
    const quorum = await newQuorum();
    const { addresses } = await quorum.root
      .createWallet({ walletName: "w", accounts: [ethereumAccount] })
      .catch(async (error) => {
        const { activity } = await quorum.second.client.approveActivity({
          fingerprint: error.activity.fingerprint,
        });
        return activity.result.createWalletResult ?? { addresses: [] };
      });
    const parameters = {
      signWith: first(addresses),
      unsignedTransaction,
      type: "TRANSACTION_TYPE_ETHEREUM",
    };
    const waiting = await startWaiting(quorum.root, "sign_transaction", { type, parameters });
    const { activity } = await quorum.third.client.approveActivity({
      fingerprint: waiting.fingerprint,
    });
    expect(activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
    expect(activity.intent).toEqual({ signTransactionIntentV2: parameters });
  });
});

describe("a user of another organization of the family", () => {
  test("is not authorized to write into a sub-organization, but is not unknown", async () => {
    const { parent, child } = await newFamily();
    const { organizationId } = child;
    const outside = clientOf(parent.server, organizationId, parent.rootKey);
    const message = expect.stringMatching(/^request not authorized: /);
    const requests = [
      () => outside.createWallet({ walletName: "w", accounts: [] }),
      () => outside.createUserTag({ userTagName: "t", userIds: [] }),
      () => outside.deleteApiKeys({ userId: child.userId, apiKeyIds: [randomUUID()] }),
    ];
    for (const request of requests) {
      expect(await refusal(request())).toEqual({
        httpStatus: 403,
        grpcCode: 7,
        code: "REQUEST_NOT_AUTHORIZED",
        field: "organizationId",
        message,
      });
    }
    expect((await outside.listWallets()).wallets).toEqual([]);
  });

  test("is unknown without a valid stamp, and so is the sub-organization's user to the parent", async () => {
    const { parent, child } = await newFamily();
    const inside = clientOf(parent.server, parent.organizationId, child.rootKey);
    const other = await newOrganization(parent.server);
    const strangers = [
      clientOf(parent.server, child.organizationId, other.rootKey),
      clientOf(parent.server, child.organizationId, newKey()),
      inside,
    ];
    for (const client of strangers) {
      const refused = await refusal(client.createWallet({ walletName: "w", accounts: [] }));
      expect(refused).toMatchObject({ httpStatus: 401, code: "CREDENTIAL_NOT_FOUND" });
      expect(refused.message).toContain(
        "could not find public key in organization or its parent organization",
      );
    }
  });

  test("is unknown if the stamp of the parent's key is forged", async () => {
    const { parent, child } = await newFamily();
    const { publicKey: apiPublicKey, privateKey: apiPrivateKey } = newKey();
    const type = "ACTIVITY_TYPE_CREATE_WALLET";
    const parameters = { walletName: "w", accounts: [] };
    const body = bodyOf(child.organizationId, { type, parameters });
    const { value } = await new ApiKeyStamper({ apiPublicKey, apiPrivateKey }).stamp(body);
    const made = JSON.parse(Buffer.from(value, "base64url").toString());
    const forged = { ...made, publicKey: parent.rootKey.publicKey };
    const response = await parent.server.fetch(
      "http://keyhearth.test/public/v1/submit/create_wallet",
      {
        method: "POST",
        body,
        headers: { "X-Stamp": Buffer.from(JSON.stringify(forged)).toString("base64url") },
      },
    );
    expect(response.status).toBe(401);
    expect((await response.json()).details[0].code).toBe("STAMP_INVALID");
  });

  test("who votes is told which organization the vote was for", async () => {
    const { parent, child } = await newFamily();
    const fingerprint = `sha256:${"0".repeat(64)}`;
    for (const [target, voter] of [
      [child, parent],
      [parent, child],
    ] as const) {
      const client = clientOf(parent.server, target.organizationId, voter.rootKey);
      for (const vote of [
        () => client.approveActivity({ fingerprint }),
        () => client.rejectActivity({ fingerprint }),
      ]) {
        expect(await refusal(vote())).toEqual(
          badRequest(
            "ORGANIZATION_MISMATCH",
            "organizationId",
            `organization mismatch: request is targeting organization (${target.organizationId}), but voters are in organization (${voter.organizationId})`,
          ),
        );
      }
    }
  });
});

test("an organization that does not exist is named in the words that clients look for", async () => {
  const { root } = await newOrganization();
  const organizationId = randomUUID();
  const field = "organizationId";
  const text = `no organization found with the given ID: \`${organizationId}\``;
  const wallet = { walletName: "w", accounts: [] };
  expect(await refusal(root.createWallet(wallet, { organizationId }))).toEqual(
    badRequest("ORGANIZATION_NOT_FOUND", field, `failed to load organizations: ${text}`),
  );
  expect(await refusal(root.listWallets({}, { organizationId }))).toEqual({
    httpStatus: 404,
    grpcCode: 5,
    code: "ORGANIZATION_NOT_FOUND",
    field,
    message: text,
  });
});

test("missing curves and wallet parameters begin with the texts that clients look for", async () => {
  const { root } = await newOrganization();
  const { curve: _, ...account } = ethereumAccount;
  const type = "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7";
  const messageFor = async (wallet: object) => {
    const parameters = {
      subOrganizationName: "",
      rootUsers: [{ userName: "Ada", userEmail: "ada@example.com" }],
      rootQuorumThreshold: 1,
      wallet,
    };
    return (await refusal(submit(root, "create_sub_organization", { type, parameters }))).message;
  };
  const missing = "missing wallet params: invalid request body: missing field";
  expect(await messageFor({})).toBe(
    `${missing} \`parameters.wallet.walletName\`; expected a string`,
  );
  expect(await messageFor({ walletName: "w", accounts: [account] })).toBe(
    "missing wallet params: curve required: invalid request body: missing field `parameters.wallet.accounts[0].curve`; accepted: CURVE_SECP256K1, CURVE_ED25519, CURVE_P256",
  );
});

describe("a user without a credential that lasts", () => {
  const bare = { userName: "Ada", apiKeys: [], authenticators: [], oauthProviders: [] };

  test("is refused before anything starts, and no activity remembers the request", async () => {
    const quorum = await newQuorum();
    const before = await quorum.root.listActivities();
    const users = [{ ...bare, userTags: [], userEmail: "ada@example.com" }];
    const message = expect.stringMatching(/^user missing valid credential: [0-9a-f-]{36}: /);
    expect(await refusal(quorum.root.createUsers({ users }))).toEqual(
      badRequest("USER_WITHOUT_CREDENTIAL", "parameters.users[0].apiKeys", message),
    );
    expect(await quorum.root.listActivities()).toEqual(before);
  });

  test("may be created in a sub-organization with a contact that may log in there", async () => {
    const parent = await newOrganization();
    const child = await newChild(parent);
    const users = [
      { ...bare, userName: "by mail", userTags: [], userEmail: "mail@example.com" },
      { ...bare, userName: "by phone", userTags: [], userPhoneNumber: "+14155550199" },
    ];
    expect((await child.root.createUsers({ users })).userIds).toHaveLength(2);
  });

  test.each([
    [{ disableEmailAuth: true, disableOtpEmailAuth: true }, { userEmail: "ada@example.com" }],
    [{ disableSmsAuth: true }, { userPhoneNumber: "+14155550100" }],
    [{}, {}],
  ])("is refused where %j is set and the user has %j", async (disabled, contact) => {
    const { root } = await newOrganization();
    const created = root.createSubOrganization({
      subOrganizationName: "pre-generated",
      rootUsers: [{ ...bare, ...contact }],
      rootQuorumThreshold: 1,
      ...disabled,
    });
    expect(await refusal(created)).toMatchObject({
      httpStatus: 400,
      code: "USER_WITHOUT_CREDENTIAL",
      field: "parameters.rootUsers[0].apiKeys",
    });
  });

  test("cannot be made by deleting the last key, unless a contact may log in", async () => {
    const parent = await newOrganization();
    const child = await newChild(parent);
    const keys = [
      { apiKeyName: "k", publicKey: newKey().publicKey, curveType: "API_KEY_CURVE_P256" as const },
    ];
    const { userIds } = await child.root.createUsers({
      users: [
        { ...bare, userName: "with mail", userTags: [], apiKeys: keys, userEmail: "a@example.com" },
      ],
    });
    const userId = first(userIds);
    const { user } = await child.root.getUser({ userId });
    const apiKeyIds = user.apiKeys.map(({ apiKeyId }) => apiKeyId);
    expect((await child.root.deleteApiKeys({ userId, apiKeyIds })).apiKeyIds).toEqual(apiKeyIds);

    const { user: root } = await parent.root.getUser({ userId: parent.userId });
    const own = root.apiKeys.map(({ apiKeyId }) => apiKeyId);
    const deleted = parent.root.deleteApiKeys({ userId: parent.userId, apiKeyIds: own });
    expect(await refusal(deleted)).toMatchObject({
      httpStatus: 400,
      code: "USER_WITHOUT_CREDENTIAL",
    });
  });
});

test("every field that a policy may lack is an empty text", async () => {
  const { root, organizationId } = await newOrganization();
  await root.createPolicy({ policyName: "bare", effect: "EFFECT_DENY", notes: "" });
  const listed = await ask(root, "list_policies", organizationId, {});
  expect(listed).toMatchObject({ policies: [{ condition: "", consensus: "", notes: "" }] });
});

test("`generateAppProofs` is a boolean; null and its absence mean false", async () => {
  const { root, organizationId } = await newOrganization();
  const type = "ACTIVITY_TYPE_CREATE_USER_TAG";
  const bodyWith = (generateAppProofs: unknown) => {
    const parameters = { userTagName: randomUUID(), userIds: [] };
    const body = JSON.parse(bodyOf(organizationId, { type, parameters }));
    return JSON.stringify({ ...body, generateAppProofs });
  };
  for (const [given, proofs] of [
    [true, 1],
    [false, 0],
    [null, 0],
    [undefined, 0],
  ] as const) {
    const activity = await post(root, "create_user_tag", bodyWith(given));
    expect(activity.appProofs).toHaveLength(proofs);
  }
  for (const [given, shown] of [
    ["true", "`true`"],
    [1, "`1`"],
    [[], "a list of 0"],
  ] as const) {
    expect(await refusal(post(root, "create_user_tag", bodyWith(given)))).toEqual(
      badRequest(
        "BAD_REQUEST_BODY",
        "generateAppProofs",
        `bad request body: \`generateAppProofs\` must be true or false, got ${shown}`,
      ),
    );
  }
});
