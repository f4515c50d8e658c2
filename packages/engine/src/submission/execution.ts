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
import type { Marks } from "../door/core.ts";
import { type Message, type OutgoingMessage, seal as sealToCourier } from "../door/messages.ts";
import { receiverOf } from "../door/receivers.ts";
import {
  deriveId,
  deriveInvitationToken,
  deriveSeedDigest,
  deriveTimeOrderedId,
  nameOf,
} from "../keys/ids.ts";
import type { UnsealableKey } from "../keys/key-holder.ts";
import type { Keyring } from "../keys/keyring.ts";
import type { QuorumKeys } from "../keys/quorum-key.ts";
import { type Sealed, type SealedOwner, seal, unseal } from "../keys/seal.ts";
import { type UnsealedKeys, unsealKey } from "../keys/unsealed-keys.ts";
import type { Registrations } from "../people/passkey-registrations.ts";
import type { StartedBy } from "../people/proven-facts.ts";
import { type Codes, codesFor, type WaitingCodes } from "../people/waiting-codes.ts";
import { createProver, type Prove } from "../receipts/prove.ts";
import type { Facts, Records } from "../records/facts.ts";
import type { OrganizationDocument, User } from "../records/organization.ts";
import { createWriter, type Writer, type Written } from "../records/write.ts";

/** Everything that a handler can see and do. */
export type Context = {
  readonly organizationId: string;
  readonly document: OrganizationDocument;
  /** The parent's document, at least if the declaration has `parentMaySubmit`. */
  readonly parent: OrganizationDocument | null;
  /** The version of the document. */
  readonly documentVersion: number;
  /** The user who started the activity, from the current document of the organization or its parent. */
  readonly user: User;
  /** The stamp that started the activity, however many votes came after it. */
  readonly startedBy: StartedBy;
  readonly nowMs: number;
  /** When the request that started the activity was stamped, by the client's clock. */
  readonly requestedAtMs: number;
  /** Whether votes decided the activity. Then its proposal always writes the document. */
  readonly isVoted: boolean;
  /**
   * Names the request of this user in records that count without the document, so that its waiting for votes ends
   * them. Others can send the same bytes, which ends nothing that this user was given.
   */
  requestName(): string;
  readonly records: Records;
  /** The passkeys that the activity registers. */
  readonly registrations: Registrations;
  /** An id that the request determines, so that running it twice creates nothing new. */
  newId(name: string): string;
  /** The id of the sub-organization that a verification token makes, in whatever request. */
  newSignupId(tokenId: string): string;
  /** Whether the signer has seen the organization. */
  isKnown(organizationId: string): boolean;
  /** An id that differs in every run, for records with fresh key material. */
  newKeyId(name: string): string;
  random(length: number): Uint8Array;
  seal(owner: SealedOwner, plaintext: Uint8Array): Sealed;
  /** The caller wipes the result. */
  unseal(owner: SealedOwner, sealed: Sealed): Uint8Array;
  /** The private key of a key holder. It belongs to the core's cache: do not keep or wipe it. */
  privateKey(key: UnsealableKey): PrivateKey;
  /** Recognizes a seed in this organization. */
  seedDigest(seed: Uint8Array): string;
  /** Names the key to which the user encrypts an import. */
  importBundle(targetPublicKey: Uint8Array): string;
  /** Names the key to which a client encrypts a one-time code. */
  otpBundle(targetPublicKey: Uint8Array): string;
  /** The token of an invitation of this organization. The caller wipes the result. */
  invitationToken(invitation: { invitationId: string; salt: string }): Uint8Array;
  /** The one-time codes that wait to be entered in the organization. */
  readonly codes: Codes;
  /** Encrypts a secret to the key of a client. */
  exportBundle(secret: Uint8Array, targetPublicKey: Uint8Array): string;
  /** Encrypts the private key of a session to the key of a client. */
  credentialBundle(secret: Uint8Array, targetPublicKey: Uint8Array): string;
  /** Signs the token of a session. */
  signSession(message: Uint8Array): Uint8Array;
  /** Makes a verification token. Its id says that it was made at this time. */
  createToken(atMs: number, claims: Omit<VerificationClaims, "id">): string;
  /** What a verification token says. Null if this signer did not make it. */
  readToken(token: string): VerificationClaims | null;
  prove: Prove;
  /** The draft of the organization's next document. Calling this means that it will be written. */
  update(): OrganizationDocument;
  readonly write: Writer;
  /** Sends a message once the proposal is committed. */
  send(message: Message): void;
};

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
