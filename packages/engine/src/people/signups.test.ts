import { newKey, newOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import { badRequest, refusal } from "../organization.testing.ts";
import { signupSignature, tokenIdAt, tokenOf } from "../verification-tokens.testing.ts";

// Sign-ups with a verification token, by create_sub_organization.

const email = "Ada@example.com";
const phoneNumber = "+14155550100";

function rootUser(change: object = {}) {
  return {
    userName: "Ada",
    userEmail: email,
    apiKeys: [],
    authenticators: [],
    oauthProviders: [],
    ...change,
  };
}

async function newParent() {
  const { root, server, organizationId } = await newOrganization();
  const token = (claims: object = {}) =>
    tokenOf(server, { contact: "ada@EXAMPLE.com", organization_id: organizationId, ...claims });
  const signUp = (change: object, rootUsers = [rootUser()]) =>
    root.createSubOrganization({
      subOrganizationName: "sign-up",
      rootUsers,
      rootQuorumThreshold: 1,
      ...change,
    });
  const verified = async (filterType: string, filterValue: string) =>
    (await root.listVerifiedSuborgs({ filterType, filterValue })).organizationIds;
  return { root, token, signUp, verified };
}

test("the contact that the token proves is verified, and no other", async () => {
  const { token, signUp, verified } = await newParent();
  const both = [rootUser({ userPhoneNumber: phoneNumber })];
  const byMail = await signUp({ verificationToken: token() }, both);
  expect(await verified("EMAIL", email)).toEqual([byMail.subOrganizationId]);
  expect(await verified("EMAIL", "ADA@example.com")).toEqual([byMail.subOrganizationId]);
  expect(await verified("PHONE_NUMBER", phoneNumber)).toEqual([]);
  const sms = token({ verification_type: "OTP_TYPE_SMS", contact: phoneNumber });
  const byPhone = await signUp({ verificationToken: sms }, both);
  expect(await verified("PHONE_NUMBER", phoneNumber)).toEqual([byPhone.subOrganizationId]);
  await signUp({});
  expect(await verified("EMAIL", email)).toEqual([byMail.subOrganizationId]);
});

test("a token must prove the contact of exactly one root user", async () => {
  const { token, signUp, verified } = await newParent();
  const field = "parameters.verificationToken";
  const cases: [string, object[], RegExp][] = [
    [token({ contact: "eve@example.com" }), [rootUser()], /no root user of the request has/],
    [
      token({ verification_type: "OTP_TYPE_SMS", contact: phoneNumber }),
      [rootUser()],
      /no root user/,
    ],
    [
      token(),
      [
        rootUser({ apiKeys: [apiKey()] }),
        rootUser({ apiKeys: [apiKey()], userEmail: "ADA@example.com" }),
      ],
      /more than one root user/,
    ],
  ];
  for (const [verificationToken, rootUsers, text] of cases) {
    const asked = signUp({ verificationToken }, rootUsers as ReturnType<typeof rootUser>[]);
    expect(await refusal(asked)).toEqual(
      badRequest("VERIFICATION_TOKEN_INVALID", field, expect.stringMatching(text)),
    );
  }
  expect(await verified("EMAIL", email)).toEqual([]);
});

test("beside other root users the contact is set and not verified", async () => {
  const { token, signUp, verified, root } = await newParent();
  const grace = rootUser({
    userName: "Grace",
    userEmail: "grace@example.com",
    apiKeys: [apiKey()],
  });
  const users = [rootUser({ apiKeys: [apiKey()] }), grace] as ReturnType<typeof rootUser>[];
  const { subOrganizationId } = await signUp({ verificationToken: token() }, users);
  expect(await verified("EMAIL", email)).toEqual([]);
  const stated = { filterType: "EMAIL", filterValue: email };
  expect((await root.listSuborgs(stated)).organizationIds).toEqual([subOrganizationId]);
});

test("a token creates one sub-organization, also of two requests at once", async () => {
  const { token, signUp, verified } = await newParent();
  const verificationToken = token();
  const { subOrganizationId } = await signUp({ verificationToken });
  const other = signUp({ verificationToken, subOrganizationName: "another" });
  expect(await refusal(other)).toMatchObject({
    httpStatus: 409,
    code: "ACTIVITY_ALREADY_EXECUTED",
    field: "parameters.verificationToken",
    message:
      "this verification token has created a sub-organization already, or votes rejected that: verify a new code",
  });
  expect(await verified("EMAIL", email)).toEqual([subOrganizationId]);
  // Two at once are one, too.
  const twice = token();
  const both = await Promise.allSettled(
    ["one", "two"].map((subOrganizationName) =>
      signUp({ verificationToken: twice, subOrganizationName }),
    ),
  );
  expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  expect(await verified("EMAIL", email)).toHaveLength(2);
});

function apiKey() {
  const { publicKey } = newKey();
  return { apiKeyName: "k", publicKey, curveType: "API_KEY_CURVE_P256" as const };
}

test("a token that names a key needs that key's signature over this very user", async () => {
  const { token, signUp, verified } = await newParent();
  const key = newKey();
  const tokenId = tokenIdAt(Date.now());
  const verificationToken = token({ id: tokenId, public_key: key.publicKey });
  const apiKeys = [apiKey()];
  const users = [rootUser({ apiKeys })];
  const signed = (asked: object, by = key, id = tokenId) => ({
    verificationToken,
    clientSignature: signupSignature(by, id, asked),
  });
  const wrong: [object, string][] = [
    [{ verificationToken }, "parameters.clientSignature"],
    [signed({ apiKeys, email }, newKey()), "parameters.clientSignature.publicKey"],
    [signed({ apiKeys: [apiKey()], email }), "parameters.clientSignature.message"],
    [signed({ apiKeys, email: "eve@example.com" }), "parameters.clientSignature.message"],
    [
      signed({ apiKeys, email }, key, `${tokenId.slice(0, -1)}1`),
      "parameters.clientSignature.message",
    ],
  ];
  for (const [change, field] of wrong) {
    expect(await refusal(signUp(change, users))).toMatchObject({
      code: "CLIENT_SIGNATURE_INVALID",
      field,
    });
  }
  const { subOrganizationId } = await signUp(signed({ apiKeys, email }), users);
  expect(await verified("EMAIL", email)).toEqual([subOrganizationId]);
});
