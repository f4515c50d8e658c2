import type { NamedKey } from "@keyhearth/crypto/transactions/signed-transaction";
import type { KeyhearthClient } from "@keyhearth/sdk";
import { Unverified } from "@keyhearth/sdk";
import { findSigner } from "../found.ts";
import { data } from "./answers.ts";

/**
 * The key that a request names. The service shows it, and the address must be one of it. Only an id of a private key is the
 * service's word, unless the quorum key is pinned.
 */
export async function keyNamed(client: KeyhearthClient, signWith: string): Promise<NamedKey> {
  const { isEthereum, curve, publicKey = "" } = await findSigner(client, signWith);
  if (isEthereum) return { address: signWith };
  const { isAddressOf } = await import("@keyhearth/crypto/transactions/signed-transaction");
  const bytes = Uint8Array.from(Buffer.from(publicKey, "hex"));
  const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(signWith);
  if (bytes.length > 0 && (isId || isAddressOf(signWith, curve, bytes))) {
    return { ...(!isId && { address: signWith }), curve, publicKey: bytes };
  }
  throw new Unverified(
    `the service shows a public key for ${data(signWith, 100)} that it does not belong to: check the address of the service`,
    { code: "UNVERIFIED" },
  );
}
