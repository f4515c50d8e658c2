import { openInvitations } from "@keyhearth/engine/people/invitations";
import type { InvitationLine, OrganizationDocument } from "@keyhearth/engine/records/organization";
import type { PrivateKey } from "@keyhearth/engine/records/private-key";
import type { SessionEntry } from "@keyhearth/engine/records/sessions";
import type * as z from "zod";
import { MissingRecord } from "../errors.ts";
import type * as objects from "../wire/objects.ts";
import {
  renderFeature,
  renderPolicy,
  renderPrivateKey,
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
    keys,
    nowMs,
  }: { sessions: Map<string, SessionEntry[]>; keys: PrivateKey[]; nowMs: number },
): z.output<typeof objects.OrganizationData> {
  const records = new Map(keys.map((record) => [record.privateKeyId, record]));
  return {
    organizationId: document.organizationId,
    name: document.organizationName,
    users: document.users.map((user) =>
      renderUser(user, { sessionEntries: sessions.get(user.userId) ?? [], nowMs }),
    ),
    policies: document.policies.map(renderPolicy),
    privateKeys: document.privateKeys.map((line) => {
      const record = records.get(line.privateKeyId);
      if (!record) throw new MissingRecord(`private key ${line.privateKeyId}`);
      return renderPrivateKey(line, record);
    }),
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
