/** The client of a Keyhearth service, for Node.js and browsers. */
export { type SignedProof, verifyAppProof } from "@keyhearth/crypto/app-proof";
export {
  type ActivityStatement,
  compareReceipts,
  type ReceiptsComparison,
  type ReceiptsProblem,
  type ReceiptsProblemCode,
  type ReceiptsReport,
  type SegmentHead,
  verifyReceipts,
  verifyReceiptsExcerpt,
} from "@keyhearth/crypto/receipt";
export type { StampScheme } from "@keyhearth/crypto/stamp";
export {
  type BundleOrigin,
  createTargetKey,
  decryptPrivateKeyBundle,
  decryptWalletBundle,
  type ExportOrigin,
  encryptPrivateKeyToBundle,
  encryptWalletToBundle,
  type ImportOrigin,
  type KeyFormat,
} from "./bundles.ts";
export { KeyhearthClient, type KeyhearthClientOptions } from "./client.ts";
export {
  type Decide,
  type PendingActivity,
  type VerifiedRequest,
  verifyStampedRequest,
} from "./consensus.ts";
export {
  ActivityConsensusNeededError,
  type ClientErrorCode,
  type ErrorDetail,
  KeyhearthError,
} from "./errors.ts";
export type * from "./generated/types.ts";
export type {
  Decided,
  DecideOptions,
  QueryOptions,
  SubmitOptions,
  Submitted,
} from "./options.ts";
export type { PollOptions } from "./poll.ts";
export { exportReceipts, type ReceiptsReader } from "./receipts.ts";
export type { Fetch, Stamper } from "./request.ts";
export { ApiKeyStamper, type ApiKeyStamperOptions } from "./stampers/api-key.ts";
