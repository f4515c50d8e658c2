import type { SecureContextOptions, TLSSocket } from "node:tls";
import { type DoorKey, type Pin, pinOf } from "./door-key.ts";

/** What the two sides speak inside of TLS. A server of something else does not agree to it. */
const DOOR_PROTOCOL = "keyhearth-signer/1";

/**
 * For both sides: TLS 1.3 alone, which has no renegotiation, and keys of one kind alone. No authority is asked whether a
 * certificate counts. That both sides compare pins afterwards is what counts.
 */
export function doorTls({ privateKey, certificate }: DoorKey) {
  return {
    key: privateKey,
    cert: certificate,
    // Instead of the authorities that Node.js knows.
    ca: certificate,
    minVersion: "TLSv1.3",
    maxVersion: "TLSv1.3",
    sigalgs: "ed25519",
    rejectUnauthorized: false,
    ALPNProtocols: [DOOR_PROTOCOL],
  } as const satisfies SecureContextOptions & Record<string, unknown>;
}

/** The pin of the other side, once the handshake is complete. Null if it proved no key in this very handshake. */
export function pinOfPeer(socket: TLSSocket): Pin | null {
  if (socket.getProtocol() !== "TLSv1.3" || socket.alpnProtocol !== DOOR_PROTOCOL) return null;
  if (socket.isSessionReused()) return null;
  const publicKey = socket.getPeerX509Certificate()?.publicKey;
  if (publicKey?.asymmetricKeyType !== "ed25519") return null;
  return pinOf(publicKey.export({ type: "spki", format: "der" }));
}
