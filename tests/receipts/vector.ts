import { decodeHex, encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { canonicalJson } from "@keyhearth/crypto/encoding/canonical";
import { sha256 } from "@keyhearth/crypto/primitives";
import { inclusionProofs } from "@keyhearth/crypto/receipts/merkle-proofs";
import type { ReceiptsFile } from "@keyhearth/crypto/receipts/receipts-file";
import type { SignedSegment } from "@keyhearth/crypto/receipts/segment-statement";
import { createProver } from "@keyhearth/engine/receipts/prove";
import type { SegmentHead } from "@keyhearth/engine/receipts/receipts";
import {
  createLeaf,
  receiptKeyCertificate,
  sealSegment,
} from "@keyhearth/engine/receipts/receipts";
import { type ActivityRecord, activityStatement } from "@keyhearth/engine/records/activity";
import { createKeyring } from "@keyhearth/engine/vault/keyring";
import { deriveQuorumKeys } from "@keyhearth/engine/vault/quorum-key";

const organizationId = "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11";
const walletId = "7c2e3d4f-8b65-4b9f-9a6f-1e2b3c4d5e6f";
const address = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94";
const nowMs = 1767225600000;

/** The content of the vector: an export and a proof that the core makes with a fixed keyring. */
export function makeVector() {
  let drawn = 0;
  const keyring = createKeyring((length) => {
    drawn += 1;
    return sha256(encodeUtf8(`receipts vector ${drawn}`)).slice(0, length);
  });
  const file: ReceiptsFile = {
    version: "keyhearth.receipts.v1",
    organizationId,
    receiptKey: receiptKeyCertificate(keyring, deriveQuorumKeys(keyring)),
    segments: [],
    receipts: [],
  };
  let previous: SignedSegment | null = null;
  let lastSegment: SegmentHead | null = null;
  for (const [round, size] of [1, 3].entries()) {
    const documentVersion = round + 1;
    const documentDigest = digestOf(`document ${documentVersion}`);
    const statements = Array.from({ length: size }, (_, i) =>
      activityStatement(organizationId, activity(round * 10 + i, documentVersion), 1),
    );
    const leaves = statements.map((statement) => createLeaf(keyring, organizationId, statement));
    const { segment, head } = sealSegment(keyring, {
      organizationId,
      previous,
      leaves,
      documentVersion,
      documentDigest,
    });
    file.segments.push(segment);
    const paths = inclusionProofs(leaves.map(({ hash }) => decodeHex(hash)));
    for (const [index, statement] of statements.entries()) {
      const path = (paths[index] ?? []).map(encodeHex);
      file.receipts.push({ statement, segment: head.number, index, path });
    }
    previous = segment;
    lastSegment = head;
  }
  const quorum = deriveQuorumKeys(keyring);
  return {
    about: "Receipts and a proof as the core made them of a keyring of fixed bytes.",
    quorumPublicKey: quorum.publicKey,
    lastSegment,
    file,
    proof: createProver(quorum, nowMs)(
      "APP_PROOF_TYPE_ADDRESS_DERIVATION",
      "addressDerivationProof",
      { organizationId, walletId, derivationPath: "m/44'/60'/0'/0/0", address },
    ),
  };
}

function activity(serial: number, documentVersion: number): ActivityRecord {
  return {
    activityId: `019b76da-a800-7000-8000-${serial.toString(16).padStart(12, "0")}`,
    type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
    status: "ACTIVITY_STATUS_COMPLETED",
    fingerprint: `sha256:${digestOf(`request ${serial}`)}`,
    waitingState: null,
    windowStartedAtMs: nowMs,
    votes: [],
    result: { r: digestOf(`r ${serial}`), s: digestOf(`s ${serial}`), v: "00" },
    sealedResult: null,
    failure: null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs + serial,
    documentVersion,
    documentDigest: digestOf(`document ${documentVersion}`),
    appProofs: [],
  };
}

function digestOf(text: string): string {
  return encodeHex(sha256(encodeUtf8(canonicalJson(text))));
}
