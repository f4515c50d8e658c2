import { invalidFields } from "../errors/invalid-fields.ts";

type PinnedKeys = {
  sessionPublicKey: string;
  verificationPublicKey?: string;
  quorumPublicKey?: string;
};

/** Throws `InvalidField` unless the keys are points of P-256 in hex, as the service shows them. A quorum key has two. */
export function checkPinnedKeys(keys: PinnedKeys): void {
  const { sessionPublicKey, verificationPublicKey, quorumPublicKey } = keys;
  const isKey = (key: unknown) => typeof key === "string" && /^04[0-9a-f]{128}$/.test(key);
  const isQuorumKey = (key: unknown) =>
    typeof key === "string" && /^(04[0-9a-f]{128}){2}$/.test(key);
  const wrong = [
    ...(isKey(sessionPublicKey) ? [] : ["sessionPublicKey"]),
    ...(verificationPublicKey === undefined || isKey(verificationPublicKey)
      ? []
      : ["verificationPublicKey"]),
    ...(quorumPublicKey === undefined || isQuorumKey(quorumPublicKey) ? [] : ["quorumPublicKey"]),
  ];
  if (wrong.length === 0) return;
  const message = (field: string) =>
    `must be ${field === "quorumPublicKey" ? 130 : 65} bytes in lower-case hex, from /.well-known/keyhearth.json of your service`;
  throw invalidFields(...wrong.map((field) => ({ field, message: message(field) })));
}
