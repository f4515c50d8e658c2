import { sha256 } from "#primitives";
import { concatBytes, encodeHex, encodeUtf8 } from "../encoding/bytes.ts";
import { canonicalJson } from "../encoding/canonical.ts";
import { publicKeyOf, signP256Raw, uncompressedPublicKey } from "../keys/keys.ts";
import { leafHash, merkleRoot } from "./merkle.ts";
import { inclusionProof } from "./merkle-proofs.ts";
import type { ActivityStatement, ReceiptsFile } from "./receipts-file.ts";
import type { SegmentStatement } from "./segment-statement.ts";

/** A signer of receipts with fixed keys, for tests with a dishonest signer. */

const encryptSecret = new Uint8Array(32).fill(1);
export const quorumSecret = new Uint8Array(32).fill(2);
export const receiptSecret = new Uint8Array(32).fill(3);

export const quorumPublicKey = encodeHex(
  concatBytes(
    ...[encryptSecret, quorumSecret].map((secret) =>
      uncompressedPublicKey("CURVE_P256", publicKeyOf("CURVE_P256", secret)),
    ),
  ),
);

export const organizationId = "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11";

export function signText(payload: string, secret: Uint8Array) {
  return { payload, signature: encodeHex(signP256Raw(encodeUtf8(payload), secret)) };
}

export function certificate(receiptKey = receiptSecret, quorumKey = quorumSecret) {
  const publicKey = encodeHex(publicKeyOf("CURVE_P256", receiptKey));
  const payload = canonicalJson({ type: "keyhearth.receipt-key.v1", publicKey });
  return { publicKey, ...signText(payload, quorumKey) };
}

export function digestOfText(text: string): string {
  return encodeHex(sha256(encodeUtf8(text)));
}

export function activityStatement(
  serial: number,
  changes: Partial<ActivityStatement> = {},
): ActivityStatement {
  return {
    type: "keyhearth.activity.v1",
    organizationId,
    activityId: `019a9a51-7c3e-7d21-8a44-${serial.toString(16).padStart(12, "0")}`,
    activityVersion: 1,
    activityType: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
    fingerprint: `sha256:${digestOfText(`request ${serial}`)}`,
    status: "ACTIVITY_STATUS_COMPLETED",
    resultDigest: digestOfText(`result ${serial}`),
    documentVersion: 1,
    documentDigest: digestOfText("document 1"),
    timestampMs: "1767225600000",
    ...changes,
  };
}

/** Seals texts as the next segment, and creates their receipts. */
export function sealTexts(
  number: number,
  previousDigest: string | null,
  texts: string[],
  changes: Partial<SegmentStatement> = {},
) {
  const hashes = texts.map((text) => leafHash(encodeUtf8(text)));
  const statement: SegmentStatement = {
    type: "keyhearth.segment.v1",
    organizationId,
    number,
    previousDigest,
    size: texts.length,
    merkleRoot: encodeHex(merkleRoot(hashes)),
    documentVersion: 1,
    documentDigest: digestOfText("document 1"),
    ...changes,
  };
  const segment = signText(canonicalJson(statement), receiptSecret);
  const receipts = texts.map((text, index) => ({
    statement: text,
    segment: number,
    index,
    path: inclusionProof(hashes, index).map(encodeHex),
  }));
  return { segment, receipts, digest: digestOfText(segment.payload) };
}

/** A whole file: one segment for each size. */
export function receiptsFile(sizes: number[], tellsApart = 0): ReceiptsFile {
  const file: ReceiptsFile = {
    version: "keyhearth.receipts.v1",
    organizationId,
    receiptKey: certificate(),
    segments: [],
    receipts: [],
  };
  let previous: string | null = null;
  for (const [i, size] of sizes.entries()) {
    const texts = Array.from({ length: size }, (_, j) =>
      canonicalJson(activityStatement(tellsApart * 1_000_000 + i * 1000 + j)),
    );
    const sealed = sealTexts(i + 1, previous, texts);
    file.segments.push(sealed.segment);
    file.receipts.push(...sealed.receipts);
    previous = sealed.digest;
  }
  return file;
}
