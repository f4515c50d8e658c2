/** What a request is answered with that cannot be done: one sentence, which shows nothing of a secret. */
export class Refusal extends Error {}

/** What the cryptography says of a bundle, in words that help. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const message = error instanceof Error ? error.message : "";
  const known = sentences.find(([pattern]) => pattern.test(message));
  return new Refusal(known?.[1] ?? "the frame failed; reload it and send the request again");
}

const sentences: readonly [RegExp, string][] = [
  [
    /^decryption failed$/,
    "the bundle is not encrypted to the key of this frame, or it was changed; request it for the key that the frame announced last",
  ],
  [
    /signed by another signer/,
    "the bundle is signed by another signer than the one this frame is pinned to; use the frames of the service that made the bundle",
  ],
  [
    /signature is invalid/,
    "the signature of the bundle is invalid; do not use it, and request it again",
  ],
  [
    /another organization/,
    "the bundle is for another organization than organizationId; pass the organization that requested it",
  ],
  [
    /^(malformed|invalid public key)/,
    "the bundle is malformed; pass the text of the service or of the mail unchanged",
  ],
];
