import { encodeBase64Url, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { randomBytes } from "@keyhearth/crypto/primitives";
import { createInvitationProof } from "@keyhearth/crypto/tokens/invitation";
import { expect, test } from "vitest";
import {
  createTestCore,
  documentWith,
  newPerson,
  proposed,
  type TestCore,
  testOrganizationId,
  userOf,
} from "../core/core.testing.ts";
import { newPasskey } from "../passkey.testing.ts";
import { frozenKeyring } from "../records/frozen.testing.ts";
import { notarize } from "../records/notarize.ts";
import type { InvitationLine, OrganizationDocument } from "../records/organization.ts";
import { deriveInvitationToken } from "../vault/ids.ts";
import { openInvitations } from "./invitations.ts";

const root = newPerson();
const invitationId = "f4a6b5c1-03ed-4d17-92e7-96a314253647";
const userId = "05b7c6d2-14fe-4e28-83f8-a7b425364758";

const line: Omit<InvitationLine, "tokenSalt"> = {
  invitationId,
  userId,
  receiverUserName: "Grace",
  receiverUserEmail: "grace@example.com",
  receiverUserTags: [],
  accessType: "ACCESS_TYPE_WEB",
  senderUserId: root.userId,
  creatorUserId: root.userId,
  createdAtMs: 1_767_225_600_000,
  updatedAtMs: 1_767_225_600_000,
};

function documentOf(tokenSalt: string): OrganizationDocument {
  return documentWith({
    users: [userOf(root)],
    rootQuorum: { threshold: 1, userIds: [root.userId] },
    invitations: [{ ...line, tokenSalt }],
  });
}

function tokenOf(salt: string): Uint8Array {
  return deriveInvitationToken(frozenKeyring, {
    organizationId: testOrganizationId,
    invitationId,
    salt,
  });
}

/** Accepts the invitation with this token, by a new passkey that stamps the request. */
function accept(core: TestCore, token: Uint8Array, record: Uint8Array) {
  const passkey = newPasskey();
  const { attestationObject } = passkey.params.attestation;
  const body = core.bodyOf({
    type: "ACTIVITY_TYPE_ACCEPT_INVITATION_V2",
    parameters: {
      invitationId,
      userId,
      tokenProof: createInvitationProof({
        token,
        organizationId: testOrganizationId,
        invitationId,
        attestationObject,
      }),
      authenticator: passkey.params,
    },
  });
  const stamp = { name: "X-Stamp-Webauthn", value: passkey.stamp(body) };
  const request = { endpoint: "accept_invitation", body: encodeUtf8(body) };
  return core.askStamped(stamp, request, [record]);
}

const salt = encodeBase64Url(randomBytes(16));

test("the token is derived from the salt in the document, and works for as long as that is there", () => {
  const core = createTestCore();
  const record = core.notarized(documentOf(salt));
  const { document } = proposed(accept(core, tokenOf(salt), record));
  expect(document?.users.map((user) => user.userId)).toEqual([root.userId, userId]);
  expect(document?.invitations).toEqual([]);
});

test("the token of another salt accepts nothing", () => {
  const core = createTestCore();
  const record = core.notarized(documentOf(salt));
  const other = tokenOf(encodeBase64Url(randomBytes(16)));
  expect(accept(core, other, record)).toMatchObject({
    kind: "error",
    error: { reason: "FIELD_INVALID", field: "parameters.tokenProof" },
  });
});

test("an invitation that an earlier version sent is refused, and can be deleted", () => {
  const core = createTestCore();
  const current = documentOf(salt);
  const header = { type: "organization", schema: 9, organizationId: testOrganizationId } as const;
  const record = notarize(
    frozenKeyring,
    { ...header, id: testOrganizationId, version: 3 },
    { ...current, invitations: [{ ...line, tokenDigest: "ab".repeat(32) }] },
  );
  for (const text of [salt, "", "null", "undefined"]) {
    expect(accept(core, tokenOf(text), record)).toMatchObject({
      kind: "error",
      error: {
        reason: "FIELD_INVALID",
        field: "parameters.invitationId",
        message:
          "`parameters.invitationId` is an invitation that an earlier version of the service sent, whose token proves nothing: ask for another invitation",
      },
    });
  }
  const body = core.bodyOf({
    type: "ACTIVITY_TYPE_DELETE_INVITATION",
    parameters: { invitationId },
  });
  const request = { endpoint: "delete_invitation", body };
  const { document } = proposed(core.ask(root, request, [record]));
  expect(document?.invitations).toEqual([]);
});

test("an invitation from the future is not open: its time was taken back", () => {
  const document = documentOf("salt");
  expect(openInvitations(document, line.createdAtMs - 300_000)).toHaveLength(1);
  expect(openInvitations(document, line.createdAtMs - 300_001)).toEqual([]);
});
