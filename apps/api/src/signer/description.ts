import type { Description } from "@keyhearth/engine/core/protocol";
import { ApiError } from "@keyhearth/engine/errors";
import type { SignerClient } from "./client.ts";

/** The signer's public keys, and what else it says about itself. */
export async function findDescription(ask: SignerClient["call"]): Promise<Description> {
  const answer = await ask({ call: "describe" });
  if (answer.kind === "description") return answer;
  throw new ApiError("UNAVAILABLE", "SIGNER_UNAVAILABLE", "the signer did not return its keys");
}

/** The public keys as `/.well-known/keyhearth.json` has them. */
export function shownKeys(keys: Description) {
  return {
    signerPublicKey: keys.signerPublicKey,
    quorumPublicKey: keys.quorumPublicKey,
    sessionPublicKey: keys.sessionPublicKey,
    verificationPublicKey: keys.verificationPublicKey,
    webhookPublicKey: keys.webhookKey.publicKey,
  };
}
