import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import { type InvitationMail, seal } from "@keyhearth/engine/messages/message";
import type { Host } from "../../host/host.ts";
import { listOpenMessages, replaceOpenMessage } from "../../store/outbox.ts";

/**
 * Seals the messages that an earlier version wrote openly. They were invitations, whose messages now have
 * the invitation's id.
 */
export async function sealOpenMessages({ store }: Pick<Host, "store">, courierKey: string) {
  for (const { organizationId, messageId, ...row } of await listOpenMessages(store.db)) {
    if (row.kind !== "invitation") continue;
    // The core of that version wrote the content.
    const content = JSON.parse(row.content) as InvitationMail;
    const { recipient, createdAtMs, expiresAtMs } = row;
    const sealed = seal(
      decodeHex(courierKey),
      {
        messageId: content.invitationId,
        kind: "invitation",
        recipient,
        content,
        createdAtMs,
        expiresAtMs,
      },
      null,
    );
    await replaceOpenMessage(store, { organizationId, messageId }, sealed);
  }
}
