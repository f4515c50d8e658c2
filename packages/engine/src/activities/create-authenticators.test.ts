import { clientOf, newKey, newOrganization } from "@keyhearth/api/testing";
import { encodeBase64Url, encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { verifyStampedRequest } from "@keyhearth/sdk/crypto";
import { describe, expect, test } from "vitest";
import {
  addUser,
  badRequest,
  expectDenied,
  first,
  refusal,
  submit,
} from "../organization.testing.ts";
import {
  browserParams,
  type Ceremony,
  newPasskey,
  passkeyClientOf,
  passkeyOf,
} from "../passkey.testing.ts";

const type = "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2";
const oldType = "ACTIVITY_TYPE_CREATE_AUTHENTICATORS";
const endpoint = "create_authenticators";
const field = "parameters.authenticators[0].attestation";

test("a registered passkey stamps requests and is shown", async () => {
  const { root, server, organizationId, userId } = await newOrganization();
  const passkey = newPasskey();
  const { authenticatorIds, activity } = await root.createAuthenticators({
    userId,
    authenticators: [passkey.params],
  });
  const authenticatorId = first(authenticatorIds);
  expect(activity.result).toEqual({ createAuthenticatorsResult: { authenticatorIds } });
  expect(activity.intent).toEqual({
    createAuthenticatorsIntentV2: { userId, authenticators: [passkey.params] },
  });
  const { authenticators } = await root.getAuthenticators({ userId });
  expect(authenticators).toEqual([
    {
      transports: ["AUTHENTICATOR_TRANSPORT_INTERNAL"],
      attestationType: "none",
      aaguid: encodeBase64Url(new Uint8Array(16)),
      credentialId: passkey.credentialId,
      model: "Built-in authenticator",
      credential: {
        publicKey: encodeBase64Url(passkey.coseKey),
        type: "CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR",
      },
      authenticatorId,
      authenticatorName: "phone",
      createdAt: expect.any(Object),
      updatedAt: expect.any(Object),
    },
  ]);
  expect((await root.getUser({ userId })).user.authenticators).toEqual(authenticators);

  const client = passkeyClientOf(server, organizationId, passkey);
  expect(await client.whoami()).toMatchObject({ userId });
  const { activity: created } = await client.createWallet({ walletName: "w", accounts: [] });
  const vote = first(created.votes);
  expect(vote).toMatchObject({
    userId,
    publicKey: encodeBase64Url(passkey.coseKey),
    scheme: "SIGNATURE_SCHEME_TK_WEBAUTHN",
  });
  expect(JSON.parse(vote.signature)).toMatchObject({ credentialId: passkey.credentialId });
});

test("the oldest form is what a browser returns", async () => {
  const { root, server, organizationId, userId } = await newOrganization();
  const passkey = newPasskey();
  const authenticators = [browserParams(passkey, userId)];
  const activity = await submit(root, endpoint, {
    type: oldType,
    parameters: { userId, authenticators },
  });
  expect(activity.intent).toEqual({ createAuthenticatorsIntent: { userId, authenticators } });
  const client = passkeyClientOf(server, organizationId, passkey);
  expect(await client.whoami()).toMatchObject({ userId });
});

test("users register their own passkeys without a policy, and nobody else's", async () => {
  const organization = await newOrganization();
  const { client, userId } = await addUser(organization);
  await client.createAuthenticators({ userId, authenticators: [newPasskey().params] });
  const others = { userId: organization.userId, authenticators: [newPasskey().params] };
  await expectDenied(client.createAuthenticators(others));
});

describe("an attestation is refused", () => {
  const cases: [string, Ceremony, string, string][] = [
    [
      "of another ceremony",
      { type: "webauthn.get" },
      "clientDataJson",
      "its `type` must be webauthn.create",
    ],
    ["without the user", { flags: 0x40 }, "attestationObject", "the user was not present"],
    ["without a passkey", { flags: 0x01 }, "attestationObject", "it is malformed"],
  ];
  test.each(cases)("%s", async (_, ceremony, part, why) => {
    const { root, userId } = await newOrganization();
    const { params } = newPasskey(ceremony);
    const refused = root.createAuthenticators({ userId, authenticators: [params] });
    expect(await refusal(refused)).toEqual(
      badRequest(
        "FIELD_INVALID",
        `${field}.${part}`,
        `invalid authenticator attestation: \`${field}.${part}\`: ${why}`,
      ),
    );
  });

  test("for another challenge, credential id, or of an unknown format", async () => {
    const { root, userId } = await newOrganization();
    const { params } = newPasskey();
    const other = newPasskey().params;
    const statement = { format: "android-safetynet", statement: Uint8Array.of(0xa0) };
    const unknown = newPasskey({ statement: () => statement }).params;
    const full = { format: "none", statement: Uint8Array.of(0xa1, 0x61, 0x61, 0) };
    const wrong = [
      { ...params, challenge: other.challenge },
      {
        ...params,
        attestation: { ...params.attestation, credentialId: other.attestation.credentialId },
      },
      unknown,
      newPasskey({ statement: () => full }).params,
    ];
    const at = (index: number) => `parameters.authenticators[${index}].attestation`;
    const refused = await refusal(root.createAuthenticators({ userId, authenticators: wrong }));
    expect(refused).toMatchObject({
      httpStatus: 400,
      field: `${at(0)}.clientDataJson`,
    });
    expect(refused.message.split("; invalid ")).toEqual([
      `invalid authenticator attestation: \`${at(0)}.clientDataJson\`: its \`challenge\` must be the \`challenge\` given`,
      `authenticator attestation: \`${at(1)}.credentialId\`: the attestation object is that of another credential`,
      `authenticator attestation: \`${at(2)}.attestationObject\`: its format is \`android-safetynet\`; accepted: none, packed, apple, android-key, fido-u2f, tpm`,
      `authenticator attestation: \`${at(3)}.attestationObject\`: the format \`none\` has an empty statement`,
    ]);
    expect((await root.getAuthenticators({ userId })).authenticators).toEqual([]);
  });
});

test("bad fields are refused by name, all at once", async () => {
  const { root, userId } = await newOrganization();
  const { params } = newPasskey();
  const { attestation } = params;
  const cases: [object, string, string][] = [
    [
      { authenticators: [{ ...params, attestation: undefined }] },
      field,
      `missing parameter: user authenticator attestation: invalid request body: missing field \`${field}\``,
    ],
    [
      { authenticators: [{ ...params, challenge: "a=" }] },
      "parameters.authenticators[0].challenge",
      "expected base64url without padding",
    ],
    [
      { authenticators: [{ ...params, attestation: { ...attestation, clientDataJson: "" } }] },
      `${field}.clientDataJson`,
      "expected base64url without padding",
    ],
    [
      {
        authenticators: [
          { ...params, attestation: { ...attestation, attestationObject: "A".repeat(16_385) } },
        ],
      },
      `${field}.attestationObject`,
      "must have at most 16384 characters",
    ],
    [
      { authenticators: [{ ...params, attestation: { ...attestation, transports: ["USB"] } }] },
      `${field}.transports[0]`,
      "invalid value",
    ],
  ];
  for (const [change, at, message] of cases) {
    const parameters = { userId, authenticators: [params], ...change };
    expect(await refusal(submit(root, endpoint, { type, parameters }))).toEqual(
      badRequest("FIELD_INVALID", at, expect.stringContaining(message)),
    );
  }
  const old = browserParams(newPasskey(), userId);
  const mixed = { ...old, attestation: { ...old.attestation, rawId: "AAAA" } };
  const parameters = { userId, authenticators: [mixed] };
  expect(await refusal(submit(root, endpoint, { type: oldType, parameters }))).toMatchObject({
    field: `${field}.rawId`,
  });
});

test("one credential belongs to one user, whatever form it has", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  const { userId: otherId, client } = await addUser(organization);
  const passkey = newPasskey();
  await root.createAuthenticators({ userId, authenticators: [passkey.params] });
  const taken = { httpStatus: 409, code: "PUBLIC_KEY_TAKEN" };
  const again = passkeyOf({ ...passkey, id: new Uint8Array(16) });
  const sameId = passkeyOf({
    ...newPasskey(),
    id: Buffer.from(passkey.credentialId, "base64url"),
  });
  for (const { params } of [passkey, again, sameId]) {
    const authenticators = [params];
    expect(
      await refusal(client.createAuthenticators({ userId: otherId, authenticators })),
    ).toMatchObject(taken);
    expect(await refusal(root.createAuthenticators({ userId, authenticators }))).toMatchObject(
      taken,
    );
  }
  const publicKey = encodeHex(passkey.publicKey);
  for (const expirationSeconds of [undefined, "900"]) {
    const apiKeys = [
      {
        apiKeyName: "key",
        publicKey,
        curveType: "API_KEY_CURVE_P256" as const,
        ...(expirationSeconds && { expirationSeconds }),
      },
    ];
    expect(await refusal(client.createApiKeys({ userId: otherId, apiKeys }))).toMatchObject(taken);
  }
  const twice = newPasskey().params;
  const both = root.createAuthenticators({ userId, authenticators: [twice, twice] });
  expect(await refusal(both)).toMatchObject({
    ...taken,
    field: "parameters.authenticators[1].attestation",
  });
});

test("the key of an expiring API key is no passkey of another user", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  const other = await addUser(organization);
  const passkey = newPasskey();
  await root.createApiKeys({
    userId,
    apiKeys: [
      {
        apiKeyName: "phone",
        publicKey: encodeHex(passkey.publicKey),
        curveType: "API_KEY_CURVE_P256",
        expirationSeconds: "900",
      },
    ],
  });
  const refused = other.client.createAuthenticators({
    userId: other.userId,
    authenticators: [passkey.params],
  });
  expect(await refusal(refused)).toMatchObject({ httpStatus: 409, code: "PUBLIC_KEY_TAKEN" });
});

test("a user has at most ten passkeys", async () => {
  const { root, userId } = await newOrganization();
  const authenticators = Array.from({ length: 10 }, () => newPasskey().params);
  await root.createAuthenticators({ userId, authenticators });
  const more = root.createAuthenticators({ userId, authenticators: [newPasskey().params] });
  expect(await refusal(more)).toMatchObject({
    httpStatus: 429,
    code: "LIMIT_EXCEEDED",
    field: "parameters.authenticators",
    message: "user has exceeded maximum authenticators: a user may have 10",
  });
});

test("an unknown user, or one of another organization, is not found", async () => {
  const { root, server } = await newOrganization();
  const other = await newOrganization(server);
  const authenticators = [newPasskey().params];
  for (const userId of [other.userId, "00000000-0000-4000-8000-000000000000"]) {
    expect(await refusal(root.createAuthenticators({ userId, authenticators }))).toMatchObject({
      httpStatus: 404,
      field: "parameters.userId",
    });
  }
});

test("a passkey of a sub-organization stamps there, and finds it from the parent", async () => {
  const { root, server, organizationId } = await newOrganization();
  const passkey = newPasskey();
  const { subOrganizationId, rootUserIds } = await root.createSubOrganization({
    subOrganizationName: "ada",
    rootUsers: [
      { userName: "Ada", apiKeys: [], authenticators: [passkey.params], oauthProviders: [] },
    ],
    rootQuorumThreshold: 1,
  });
  const userId = first(rootUserIds);
  const client = passkeyClientOf(server, subOrganizationId, passkey);
  await client.createWallet({ walletName: "w", accounts: [] });
  const atParent = passkeyClientOf(server, organizationId, passkey);
  expect(await atParent.whoami()).toMatchObject({ organizationId: subOrganizationId, userId });
  const filter = { filterType: "CREDENTIAL_ID", filterValue: passkey.credentialId };
  expect((await root.listSuborgs(filter)).organizationIds).toEqual([subOrganizationId]);

  await root.createSubOrganization({
    subOrganizationName: "again",
    rootUsers: [
      { userName: "Ada", apiKeys: [], authenticators: [passkey.params], oauthProviders: [] },
    ],
    rootQuorumThreshold: 1,
  });
  expect(await refusal(atParent.whoami())).toMatchObject({
    httpStatus: 401,
    code: "CREDENTIAL_AMBIGUOUS",
    message: expect.stringContaining("more than one suborg associated with a credential ID"),
  });
  const { publicKey, privateKey } = newKey();
  expect(
    await refusal(clientOf(server, organizationId, { publicKey, privateKey }).whoami()),
  ).toMatchObject({
    message: expect.stringContaining("could not find public key"),
  });
  expect(
    await refusal(passkeyClientOf(server, organizationId, newPasskey()).whoami()),
  ).toMatchObject({
    httpStatus: 401,
    code: "CREDENTIAL_NOT_FOUND",
    message: expect.stringContaining(
      "credential ID could not be found in organization or its parent organization",
    ),
  });
});

test("a client verifies a request that a passkey stamped before it approves", async () => {
  const { root, server, organizationId, userId } = await newOrganization();
  const passkey = newPasskey();
  await root.createAuthenticators({ userId, authenticators: [passkey.params] });
  const client = passkeyClientOf(server, organizationId, passkey);
  const { activity } = await client.createWallet({ walletName: "w", accounts: [] });
  const verified = verifyStampedRequest(activity);
  expect(verified.parameters).toEqual({ walletName: "w", accounts: [] });
  expect(verified.publicKey).toBe(encodeBase64Url(passkey.coseKey));
  const vote = first(activity.votes);
  const other = newPasskey();
  for (const change of [
    { publicKey: encodeBase64Url(other.coseKey) },
    { signature: other.stamp(vote.message) },
    { signature: "{}" },
  ]) {
    const forged = { ...activity, votes: [{ ...vote, ...change }] };
    expect(() => verifyStampedRequest(forged)).toThrow("the stamp on the original request");
  }
});

test("policies see which credential approved", async () => {
  const organization = await newOrganization();
  const { root, server, organizationId } = organization;
  const clerk = await addUser(organization);
  const passkey = newPasskey();
  await clerk.client.createAuthenticators({
    userId: clerk.userId,
    authenticators: [passkey.params],
  });
  const type = "CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR";
  await root.createPolicy({
    policyName: "passkeys create wallets",
    effect: "EFFECT_ALLOW",
    condition: "activity.type == 'ACTIVITY_TYPE_CREATE_WALLET'",
    consensus: `credentials.any(credential, credential.type == '${type}' && credential.credential_id == '${passkey.credentialId}')`,
    notes: "",
  });
  const wallet = { walletName: "w", accounts: [] };
  await expectDenied(clerk.client.createWallet(wallet));
  const client = passkeyClientOf(server, organizationId, passkey);
  await client.createWallet(wallet);
});
