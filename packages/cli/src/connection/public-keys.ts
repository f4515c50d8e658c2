import type { ApiKeyCurve } from "@keyhearth/sdk";
import { InputError } from "../errors.ts";
import { plain } from "../output.ts";
import { findKeyFile, loadKey } from "./key-files.ts";

type Env = Readonly<Record<string, string | undefined>>;

const CURVES = {
  p256: "API_KEY_CURVE_P256",
  secp256k1: "API_KEY_CURVE_SECP256K1",
  ed25519: "API_KEY_CURVE_ED25519",
} as const satisfies Record<string, ApiKeyCurve>;

const CURVE_OF_SCHEME: Record<string, ApiKeyCurve> = {
  SIGNATURE_SCHEME_TK_API_P256: CURVES.p256,
  SIGNATURE_SCHEME_TK_API_SECP256K1: CURVES.secp256k1,
  SIGNATURE_SCHEME_TK_API_ED25519: CURVES.ed25519,
};

/** The public half of a key to register: in hex with its curve, or of a key in the folder of keys by its name. */
export async function publicKeyOf(
  given: string,
  curve: string | undefined,
  env: Env,
): Promise<{ publicKey: string; curveType: ApiKeyCurve }> {
  if (/^[0-9a-f]{64}$/i.test(given) && curve !== "ed25519") {
    // Private halves on every curve have this form too, and a public key is sent. The message does not repeat it.
    throw new InputError(
      "64 hex characters are an Ed25519 public key only with --curve ed25519: if this is a private half, other users and the history of this shell may have seen it, so replace it",
    );
  }
  if (/^(0[23][0-9a-f]{64}|[0-9a-f]{64})$/i.test(given)) {
    const isPoint = given.length === 66;
    const accepted = isPoint ? ["p256", "secp256k1"] : ["ed25519"];
    const wanted = curve ?? "p256";
    if (!accepted.includes(wanted)) {
      throw new InputError(
        `--curve must be ${accepted.join(" or ")} for a public key of ${given.length} characters, but is \`${plain(wanted)}\``,
      );
    }
    return { publicKey: given.toLowerCase(), curveType: CURVES[wanted as keyof typeof CURVES] };
  }
  if (/^(0x)?[0-9a-f]{60,}$/i.test(given)) {
    throw new InputError(
      `--public-key must have 66 hex characters that begin with 02 or 03, or 64 with --curve ed25519, but has ${given.length}`,
    );
  }
  const { publicKey, stamper } = await loadKey(await findKeyFile(given, env));
  return { publicKey, curveType: CURVE_OF_SCHEME[stamper.scheme] ?? CURVES.p256 };
}
