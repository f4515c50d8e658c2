/**
 * What a customer can check and do without the service: bundles, keys, signatures, proofs, invitations,
 * receipts, webhooks and sessions.
 */
export { type SignedProof, verifyAppProof } from "@keyhearth/crypto/receipts/app-proof";
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
} from "@keyhearth/crypto/receipts/receipt";
export type { ApiKeyCurve, StampScheme } from "@keyhearth/crypto/stamps/stamp";
export {
  type PendingActivity,
  type VerifiedRequest,
  verifyStampedRequest,
} from "./approvals/consensus.ts";
export { createApiKey, type NewApiKey } from "./crypto/api-keys.ts";
export {
  type BundleOrigin,
  createTargetKey,
  decryptCredentialBundle,
  decryptPrivateKeyBundle,
  decryptWalletBundle,
  type ExportOrigin,
  encryptPrivateKeyToBundle,
  encryptWalletToBundle,
  type ImportOrigin,
  type KeyFormat,
} from "./crypto/bundles.ts";
export { encryptClientSecret } from "./crypto/client-secrets.ts";
export { recoverEthereumAddress, type SignedPayload } from "./crypto/ethereum-signer.ts";
export { createInvitationProof, type Invitation } from "./crypto/invitation-proof.ts";
export { exportReceipts } from "./crypto/receipts.ts";
export type { VerifiedSession } from "./crypto/session-claims.ts";
export {
  type SessionTokenOptions,
  type VerifiedReadOnlySession,
  verifyReadOnlySession,
  verifySessionJwt,
} from "./crypto/session-tokens.ts";
export {
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookKeys,
  type WebhookOptions,
} from "./crypto/webhooks.ts";
