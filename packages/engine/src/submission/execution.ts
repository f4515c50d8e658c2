import {
  createCredentialBundle,
  createExportBundle,
  createImportBundle,
  createOtpBundle,
} from "@keyhearth/crypto/bundle";
import { encodeHex } from "@keyhearth/crypto/encoding";
import type { PrivateKey } from "@keyhearth/crypto/keys";
import { signP256 } from "@keyhearth/crypto/primitives";
import {
  createVerificationToken,
  readVerificationToken,
  type VerificationClaims,
  type VerificationKey,
} from "@keyhearth/crypto/verification-token";
import type { Marks } from "../core/core.ts";
import type { Context } from "../declare/context.ts";
import { type UnsealedKeys, unsealKey } from "../keys/unsealed-keys.ts";
import { type OutgoingMessage, seal as sealToCourier } from "../messages/message.ts";
import { receiverOf } from "../messages/receivers.ts";
import type { Registrations } from "../people/passkey-registrations.ts";
import type { StartedBy } from "../people/proven-facts.ts";
import { codesFor, type WaitingCodes } from "../people/waiting-codes.ts";
import { createProver } from "../receipts/prove.ts";
import type { Facts } from "../records/facts.ts";
import type { OrganizationDocument, User } from "../records/organization.ts";
import { createWriter, type Written } from "../records/write.ts";
import {
  deriveId,
  deriveInvitationToken,
  deriveSeedDigest,
  deriveTimeOrderedId,
  nameOf,
} from "../vault/ids.ts";
import type { Keyring } from "../vault/keyring.ts";
import type { QuorumKeys } from "../vault/quorum-key.ts";
import { seal, unseal } from "../vault/seal.ts";

export type ExecutionInput = Facts & {
  keyring: Keyring;
  marks: Pick<Marks, "knows">;
  quorum: QuorumKeys;
  sessionKey: PrivateKey;
  verificationKey: VerificationKey;
  parent: OrganizationDocument | null;
  documentVersion: number;
  user: User;
  /** The id of the user, whatever the handler may see of it. */
  submitterId: string;
  startedBy: StartedBy;
  fingerprint: string;
  nowMs: number;
  requestedAtMs: number;
  isVoted: boolean;
  registrations: Registrations;
  random: (length: number) => Uint8Array;
  unsealedKeys: UnsealedKeys;
  waitingCodes: WaitingCodes;
  courierKey: () => Uint8Array | null;
};

export type Execution = {
  context: Context;
  /** The draft, if the handler asked for one. */
  draft(): OrganizationDocument | null;
  /** Everything written besides the organization's own document and the activity. */
  written(): Written[];
  messages(): OutgoingMessage[];
};

export function createExecution(input: ExecutionInput): Execution {
  const { keyring, quorum, sessionKey, verificationKey, unsealedKeys, waitingCodes, random } =
    input;
  const { courierKey, marks } = input;
  const { document, parent, documentVersion, records, registrations } = input;
  const { user, submitterId, startedBy, fingerprint, nowMs, requestedAtMs, isVoted } = input;
  const organizationId = document.organizationId;
  const written: Written[] = [];
  const messages: OutgoingMessage[] = [];
  let draft: OrganizationDocument | null = null;
  const newTokenId = (atMs: number, suffix = "") => {
    const name = `${organizationId}|${fingerprint}|${submitterId}|verification-token${suffix}`;
    return deriveTimeOrderedId(keyring, name, atMs);
  };
  const newId = (name: string) => deriveId(keyring, `${organizationId}|${fingerprint}|${name}`);

  const context: Context = {
    organizationId,
    document,
    parent,
    documentVersion,
    user,
    startedBy,
    nowMs,
    requestedAtMs,
    isVoted,
    requestName: () => nameOf(newTokenId(0)),
    records,
    registrations,
    newId,
    newSignupId: (tokenId) => deriveId(keyring, `${organizationId}|sign-up|${tokenId}`),
    isKnown: (id) => marks.knows(id),
    newKeyId: (name) => newId(`${name}/${encodeHex(random(16))}`),
    random,
    seal: (owner, plaintext) => seal(keyring, owner, plaintext, random),
    unseal: (owner, sealed) => unseal(keyring, owner, sealed),
    privateKey: (key) =>
      unsealedKeys.get(organizationId, key.digest, () => unsealKey(keyring, input, key)),
    seedDigest: (seed) => deriveSeedDigest(keyring, organizationId, seed),
    importBundle: (targetPublicKey) =>
      createImportBundle(
        { targetPublicKey, organizationId, userId: user.userId },
        keyring.keys.bundle,
      ),
    exportBundle: (secret, targetPublicKey) =>
      createExportBundle(secret, { targetPublicKey, organizationId }, keyring.keys.bundle),
    otpBundle: (targetPublicKey) => createOtpBundle(targetPublicKey, keyring.keys.verification),
    invitationToken: (invitation) =>
      deriveInvitationToken(keyring, { ...invitation, organizationId }),
    codes: codesFor(waitingCodes, { keyring, document, fingerprint, nowMs }),
    credentialBundle: createCredentialBundle,
    // Nobody compares tokens, so random nonces are fine, and faster.
    signSession: (message) => signP256(sessionKey, message),
    createToken(atMs, claims) {
      // What votes decided has a name of its own, which is never listed.
      const id = newTokenId(atMs, isVoted ? "|voted" : "");
      return createVerificationToken({ ...claims, id }, verificationKey);
    },
    readToken: createTokenReader(verificationKey),
    prove: createProver(quorum, nowMs),
    update() {
      draft ??= structuredClone(document);
      return draft;
    },
    write: createWriter(keyring, { organizationId, records, written }),
    send(message) {
      const sealed = sealToCourier(courierKey(), message);
      messages.push({ ...sealed, receiver: receiverOf(message) });
    },
  };
  return { context, draft: () => draft, written: () => written, messages: () => messages };
}

/** A login reads its token when it is checked and when it is executed: it is verified once. */
function createTokenReader(key: VerificationKey): Context["readToken"] {
  const verified = new Map<string, VerificationClaims>();
  return (token) => {
    const claims = verified.get(token) ?? readVerificationToken(token, key);
    if (claims) verified.set(token, claims);
    return claims;
  };
}
