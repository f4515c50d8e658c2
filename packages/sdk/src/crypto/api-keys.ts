import { encodeHex, wipe } from "@keyhearth/crypto/encoding/bytes";
import { generatePrivateKey, publicKeyOf } from "@keyhearth/crypto/keys/keys";
import {
  type ApiKeyCurve,
  curveOfScheme,
  keyCurve,
  STAMP_SCHEMES,
  type StampScheme,
} from "@keyhearth/crypto/stamps/stamp";
import { asObject } from "../errors/as-object.ts";
import { invalidFields } from "../errors/invalid-fields.ts";

/** A new API key: the options of a stamper, and the curve that `create_api_keys` asks for. */
export type NewApiKey<Scheme extends StampScheme = StampScheme> = {
  /** Hex: 33 bytes, compressed; or 32 bytes for Ed25519. Register this half with the service. */
  apiPublicKey: string;
  /** Hex, 32 bytes. Keep it secret; the service never needs it. */
  apiPrivateKey: string;
  scheme: Scheme;
  curveType: ApiKeyCurve;
};

/**
 * Generates an API key with the runtime's secure random numbers. Nobody knows it until its public half
 * is registered, by `create_api_keys`, with a user or in a new sub-organization.
 */
export function createApiKey<Scheme extends StampScheme = "SIGNATURE_SCHEME_TK_API_P256">(
  options: {
    /** The kind of key. Default: `SIGNATURE_SCHEME_TK_API_P256`. */
    scheme?: Scheme;
  } = {},
): NewApiKey<Scheme> {
  // Without a scheme, the type is that of the default.
  const { scheme = "SIGNATURE_SCHEME_TK_API_P256" as Scheme } = asObject(options);
  if (!STAMP_SCHEMES.includes(scheme)) {
    throw invalidFields({ field: "scheme", message: `must be one of ${STAMP_SCHEMES.join(", ")}` });
  }
  const curve = keyCurve(scheme);
  const privateKey = generatePrivateKey(curve);
  try {
    return {
      apiPublicKey: encodeHex(publicKeyOf(curve, privateKey)),
      apiPrivateKey: encodeHex(privateKey),
      scheme,
      curveType: curveOfScheme(scheme),
    };
  } finally {
    wipe(privateKey);
  }
}
