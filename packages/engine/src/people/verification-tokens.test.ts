import { generatePrivateKey } from "@keyhearth/crypto/keys/keys";
import {
  createVerificationToken,
  importVerificationKey,
  readVerificationToken as readToken,
  type VerificationClaims,
} from "@keyhearth/crypto/tokens/verification-token";
import { expect, test } from "vitest";
import type { OrganizationDocument } from "../records/organization.ts";
import { readVerificationToken } from "./verification-tokens.ts";

const key = importVerificationKey(generatePrivateKey("CURVE_P256"));
const PARENT = "11111111-2222-4333-8444-555555555555";
const SUB = "21111111-2222-4333-8444-555555555555";
const nowMs = 1_800_000_000_000;

function idAt(ms: number): string {
  const hex = ms.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7888-8999-aaaaaaaaaaaa`;
}

const claims: VerificationClaims = {
  id: idAt(nowMs - 1000),
  verification_type: "OTP_TYPE_SMS",
  contact: "+14155550100",
  organization_id: PARENT,
  public_key: "",
  exp: String(nowMs + 1),
};

function read(changed: Partial<VerificationClaims>, { organizationId = SUB, signedBy = key } = {}) {
  // Only these members are read.
  const document = {
    organizationId,
    parentOrganizationId: organizationId === SUB ? PARENT : null,
  } as OrganizationDocument;
  const token = createVerificationToken({ ...claims, ...changed }, signedBy);
  const context = { document, nowMs, readToken: (text: string) => readToken(text, key) };
  return readVerificationToken(context, token);
}

test("a parent's token counts in its sub-organizations, and a sub-organization's only there", () => {
  const proven = {
    tokenId: claims.id,
    type: "OTP_TYPE_SMS",
    contact: "+14155550100",
    publicKey: null,
    sentAtMs: nowMs - 1000,
  };
  expect(read({})).toEqual(proven);
  expect(read({}, { organizationId: PARENT })).toEqual(proven);
  expect(read({ organization_id: SUB })).toEqual(proven);
  expect(() => read({ organization_id: SUB }, { organizationId: PARENT })).toThrow(/another organ/);
  const sibling = "31111111-2222-4333-8444-555555555555";
  expect(() => read({ organization_id: sibling })).toThrow(/is of another organization/);
});

test("an expired token, one from the future and one of another key are refused", () => {
  expect(() => read({ exp: String(nowMs) })).toThrow(/expired at 2027/);
  expect(() => read({ exp: String(nowMs + 86_400_001) })).toThrow(/from the future/);
  expect(() => read({ id: idAt(nowMs + 1) })).toThrow(/from the future/);
  const signedBy = importVerificationKey(generatePrivateKey("CURVE_P256"));
  expect(() => read({}, { signedBy })).toThrow(/is not a verification token of this service/);
});
