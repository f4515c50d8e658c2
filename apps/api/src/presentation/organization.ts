import { openInvitations } from "@keyhearth/engine/people/invitations";
import type { InvitationLine, OrganizationDocument } from "@keyhearth/engine/records/organization";
import type { SessionEntry } from "@keyhearth/engine/records/sessions";
import type * as z from "zod";
import type * as objects from "../wire/objects.ts";
import {
  renderFeature,
  renderPolicy,
  renderTag,
  renderTimestamp,
  renderUser,
  renderWallet,
} from "./render.ts";

/** An organization as a whole. The order of keys is the wire's. */
export function renderOrganization(
  document: OrganizationDocument,
  {
    sessions,
    privateKeys,
    nowMs,
  }: {
    sessions: Map<string, SessionEntry[]>;
    privateKeys: z.output<typeof objects.PrivateKey>[];
    nowMs: number;
  },
): z.output<typeof objects.OrganizationData> {
  return {
    organizationId: document.organizationId,
    name: document.organizationName,
    users: document.users.map((user) =>
      renderUser(user, { sessionEntries: sessions.get(user.userId) ?? [], nowMs }),
    ),
    policies: document.policies.map(renderPolicy),
    privateKeys,
    invitations: openInvitations(document, nowMs).map(renderInvitation),
    tags: [
      ...document.userTags.map((tag) => renderTag("TAG_TYPE_USER", tag)),
      ...document.privateKeyTags.map((tag) => renderTag("TAG_TYPE_PRIVATE_KEY", tag)),
    ],
    rootQuorum: document.rootQuorum,
    features: document.features.map(renderFeature),
    wallets: document.wallets.map(renderWallet),
    smartContractInterfaceReferences: document.smartContractInterfaces.map(
      ({ smartContractInterfaceId, smartContractAddress, digest }) => ({
        smartContractInterfaceId,
        smartContractAddress,
        digest,
      }),
    ),
  };
}

function renderInvitation(line: InvitationLine): z.output<typeof objects.Invitation> {
  return {
    invitationId: line.invitationId,
    receiverUserName: line.receiverUserName,
    receiverEmail: line.receiverUserEmail,
    receiverUserTags: line.receiverUserTags,
    accessType: line.accessType,
    status: "INVITATION_STATUS_CREATED",
    createdAt: renderTimestamp(line.createdAtMs),
    updatedAt: renderTimestamp(line.updatedAtMs),
    senderUserId: line.senderUserId,
  };
}
