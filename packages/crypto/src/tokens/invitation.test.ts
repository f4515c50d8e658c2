import { createHmac } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeHex } from "../encoding/bytes.ts";
import { createInvitationProof } from "./invitation.ts";

const given = {
  token: decodeHex("000102030405060708090a0b0c0d0e0f"),
  organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
  invitationId: "d2849397-f1eb-4bf5-80c5-748192a3b4c5",
  attestationObject: "o2NmbXRkbm9uZWdhdHRTdG10oA",
};

test("the proof of the published example is what the documentation says", () => {
  // printf %s "$text" | openssl dgst -sha256 -mac HMAC -macopt hexkey:000102030405060708090a0b0c0d0e0f -binary
  expect(createInvitationProof(given)).toBe("-Lo_MwrgDXhNw84yd-uLWNa4XdNfRkp-PVwQ5u17fWU");
});

test("the proof is the HMAC that any other library computes", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 16, maxLength: 16 }),
      fc.uuid(),
      fc.uuid(),
      fc.stringMatching(/^[\w-]{1,200}$/),
      (token, organizationId, invitationId, attestationObject) => {
        const text = `keyhearth.invitation.v1|${organizationId}|${invitationId}|${attestationObject}`;
        expect(
          createInvitationProof({ token, organizationId, invitationId, attestationObject }),
        ).toBe(createHmac("sha256", token).update(text).digest("base64url"));
      },
    ),
  );
});

test("another token, organization, invitation or passkey has another proof", () => {
  const proofs = [
    given,
    { ...given, token: decodeHex("000102030405060708090a0b0c0d0e10") },
    { ...given, organizationId: given.invitationId },
    { ...given, invitationId: given.organizationId },
    { ...given, organizationId: given.invitationId, invitationId: given.organizationId },
    { ...given, attestationObject: "o2NmbXRkbm9uZWdhdHRTdG10oB" },
    { ...given, attestationObject: `${given.attestationObject}=` },
  ].map(createInvitationProof);
  expect(new Set(proofs).size).toBe(proofs.length);
});

test.each([0, 15, 17, 32])("a token of %i bytes makes no proof", (length) => {
  expect(() => createInvitationProof({ ...given, token: new Uint8Array(length) })).toThrow(
    "malformed invitation token",
  );
});
