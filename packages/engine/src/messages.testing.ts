import { publicKeyOf, uncompressedPublicKey } from "@keyhearth/crypto/keys/keys";
import { openMessage as open } from "@keyhearth/crypto/sealing/sealed-message";
import { secretBytes } from "@keyhearth/crypto/secret-bytes";
import type { OpenedMessage, SealedMessage } from "./messages/message.ts";

// What the courier sees. The cores and servers of tests seal their messages to one courier.

const privateKey = secretBytes(new Uint8Array(32).fill(0x2a));

export const testCourier = {
  privateKey,
  publicKey: uncompressedPublicKey("CURVE_P256", publicKeyOf("CURVE_P256", privateKey)),
};

/** Opens a message of a proposal or of the outbox, as the courier does. */
export function openMessage(
  { messageId, kind, sealed }: Pick<SealedMessage, "messageId" | "kind" | "sealed">,
  courierKey: Uint8Array = testCourier.privateKey,
): OpenedMessage {
  return JSON.parse(open(courierKey, { messageId, kind }, sealed));
}

type Outbox = {
  store: { run(name: string, text: string, values: unknown[]): Promise<Record<string, unknown>[]> };
};

/** The messages of an organization that wait in the outbox, the oldest first. */
export async function messagesOf(
  { store }: Outbox,
  organizationId: string,
): Promise<OpenedMessage[]> {
  const rows = await store.run(
    "",
    `SELECT message_id, kind, sealed FROM outbox
     WHERE organization_id = $1 AND sealed IS NOT NULL ORDER BY created_at_ms, message_id`,
    [organizationId],
  );
  return rows.map(({ message_id, kind, sealed }) => {
    // The columns are of these types.
    const row = { messageId: message_id, kind, sealed } as SealedMessage;
    return openMessage(row);
  });
}
