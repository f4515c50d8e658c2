import { invalidFields } from "../errors/invalid-fields.ts";

type PinnedKeys = { sessionPublicKey: string; verificationPublicKey?: string };

/** Throws `InvalidField` unless the keys are points of P-256 in hex, as the service shows them. */
export function checkPinnedKeys({ sessionPublicKey, verificationPublicKey }: PinnedKeys): void {
  const isKey = (key: unknown) => typeof key === "string" && /^04[0-9a-f]{128}$/.test(key);
  const wrong = [
    ...(isKey(sessionPublicKey) ? [] : ["sessionPublicKey"]),
    ...(verificationPublicKey === undefined || isKey(verificationPublicKey)
      ? []
      : ["verificationPublicKey"]),
  ];
  if (wrong.length === 0) return;
  const message =
    "must be 65 bytes in lower-case hex, from /.well-known/keyhearth.json of your service";
  throw invalidFields(...wrong.map((field) => ({ field, message })));
}
