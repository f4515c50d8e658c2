import { decodeHex, encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { signingKeyOfQuorum } from "@keyhearth/crypto/keys/quorum-key";
import { encryptToQuorumKey } from "@keyhearth/crypto/sealing/encrypt-to-quorum-key";
import { asObject } from "../errors/as-object.ts";
import type { FieldProblem } from "../errors/errors.ts";
import { invalidFields } from "../errors/invalid-fields.ts";

/**
 * Encrypts the secret of your application at a provider that only speaks OAuth 2.0, for `create_oauth2_credential` and
 * `update_oauth2_credential`. Only the signer of the service with this quorum public key opens it, and only for this
 * organization and this client.
 */
export function encryptClientSecret(options: {
  clientSecret: string;
  clientId: string;
  organizationId: string;
  /** `quorumPublicKey` of the service, which `/.well-known/keyhearth.json` shows: pin it. */
  quorumPublicKey: string;
}): string {
  const { clientSecret, clientId, organizationId, quorumPublicKey } = asObject(options);
  const problems: FieldProblem[] = [];
  const visible = /^[\x21-\x7e]{1,512}$/;
  if (!visible.test(String(clientSecret))) {
    problems.push({ field: "clientSecret", message: "must be 1 to 512 visible ASCII characters" });
  }
  for (const [field, value] of Object.entries({ clientId, organizationId })) {
    if (!visible.test(String(value)) || String(value).includes("|")) {
      problems.push({ field, message: "must be 1 to 512 visible ASCII characters without |" });
    }
  }
  if (!signingKeyOfQuorum(quorumPublicKey)) {
    problems.push({ field: "quorumPublicKey", message: "must be 260 hex digits in lower case" });
  }
  if (problems.length > 0) throw invalidFields(...problems);
  const text = `keyhearth.oauth2.v1|${organizationId}|${clientId}|${clientSecret}`;
  const point = decodeHex(quorumPublicKey.slice(0, 130));
  return encodeHex(encryptToQuorumKey(point, encodeUtf8(text)));
}
