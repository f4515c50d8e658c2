import {
  createCredentialBundle,
  createExportBundle,
  createImportBundle,
  createOtpBundle,
} from "@keyhearth/crypto/sealing/bundle";
import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { signP256 } from "@keyhearth/crypto/primitives";
import {
  createVerificationToken,
  readVerificationToken,
  type VerificationClaims,
} from "@keyhearth/crypto/tokens/verification-token";
import type { Bundles, Context, Tokens } from "../declare/context.ts";
import type { ActivityDeclaration } from "../declare/define.ts";
import { seenSender } from "../declare/seen-sender.ts";
import type { Keys } from "../keys/tools.ts";
import { unsealKey } from "../keys/unsealed-keys.ts";
import { type Message, type OutgoingMessage, seal as sealToCourier } from "../messages/message.ts";
import { receiverOf } from "../messages/receivers.ts";
import type { StartedBy } from "../people/proven-facts.ts";
import { codesFor } from "../people/waiting-codes.ts";
import { createProver } from "../receipts/prove.ts";
import type { OrganizationDocument, User } from "../records/organization.ts";
import { createWriter, type Writer, type Written } from "../records/write.ts";
import {
  deriveId,
  deriveInvitationToken,
  deriveSeedDigest,
  deriveTimeOrderedId,
  nameOf,
} from "../vault/ids.ts";
import { seal, unseal } from "../vault/seal.ts";
import type { Submission } from "./submission.ts";

/** The request that started the activity: this one, or an earlier one on which this one votes. */
export type Started = {
  declaration: ActivityDeclaration;
  fingerprint: string;
  user: User;
  startedBy: StartedBy;
  timestampMs: number;
  isVoted: boolean;
};

/**
 * What a handler sees and does, and what it leaves behind. A tool is made when the handler asks for it. Handlers take members out of it, so what they call is bound.
 */
export class Execution implements Context {
  /** The draft, if the handler asked for one. */
  draft: OrganizationDocument | null = null;
  /** Everything written besides the organization's own document and the activity. */
  readonly written: Written[] = [];
  readonly messages: OutgoingMessage[] = [];
  readonly #submission: Submission;
  readonly #started: Started;
  #readTokens: Map<string, VerificationClaims> | undefined;
  #write: Writer | undefined;

  constructor(submission: Submission, started: Started) {
    this.#submission = submission;
    this.#started = started;
  }

  get organizationId() {
    return this.document.organizationId;
  }
  get document() {
    return this.#submission.document;
  }
  get documentVersion() {
    return this.#submission.held.header.version;
  }
  get parent() {
    return this.#submission.parent?.document ?? null;
  }
  get records() {
    return this.#submission.records;
  }
  get registrations() {
    return this.#submission.registrations;
  }
  get nowMs() {
    return this.#submission.nowMs;
  }
  get user() {
    return seenSender(this.#started.declaration, this.#started.user);
  }
  get startedBy() {
    return seenSender(this.#started.declaration, this.#started.startedBy);
  }
  get requestedAtMs() {
    return this.#started.timestampMs;
  }
  get isVoted() {
    return this.#started.isVoted;
  }
  get random() {
    return this.#submission.core.random;
  }

  readonly requestName = () => nameOf(this.#newTokenId(0));

  readonly newId = (name: string) =>
    deriveId(this.#keyring, `${this.organizationId}|${this.#started.fingerprint}|${name}`);

  readonly newKeyId = (name: string) => this.newId(`${name}/${encodeHex(this.random(16))}`);

  readonly newSignupId = (tokenId: string) =>
    deriveId(this.#keyring, `${this.organizationId}|sign-up|${tokenId}`);

  readonly isKnown = (id: string) => this.#submission.core.marks.knows(id);

  readonly update = () => {
    this.draft ??= structuredClone(this.document);
    return this.draft;
  };

  readonly send = (message: Message) => {
    const sealed = sealToCourier(this.#submission.core.courierKey(), message);
    this.messages.push({ ...sealed, receiver: receiverOf(message) });
  };

  /** A login reads its token when it is checked and when it is executed: it is verified once. */
  readonly readToken = (token: string) => {
    this.#readTokens ??= new Map();
    const known = this.#readTokens.get(token);
    const claims = known ?? readVerificationToken(token, this.#submission.core.verificationKey);
    if (claims) this.#readTokens.set(token, claims);
    return claims;
  };

  get write() {
    const { organizationId, records, written } = this;
    this.#write ??= createWriter(this.#keyring, { organizationId, records, written });
    return this.#write;
  }

  get codes() {
    const { keyring, waitingCodes } = this.#submission.core;
    const { document, nowMs } = this;
    const { fingerprint } = this.#started;
    return codesFor(waitingCodes, { keyring, document, fingerprint, nowMs });
  }

  get #keyring() {
    return this.#submission.core.keyring;
  }

  #newTokenId(atMs: number, suffix = "") {
    const { fingerprint, user } = this.#started;
    // The id of the user, whatever the handler may see of it.
    const name = `${this.organizationId}|${fingerprint}|${user.userId}|verification-token${suffix}`;
    return deriveTimeOrderedId(this.#keyring, name, atMs);
  }

  get keys(): Keys {
    const { organizationId, random, nowMs } = this;
    const { keyring, quorum, unsealedKeys } = this.#submission.core;
    return {
      seal: (owner, plaintext) => seal(keyring, owner, plaintext, random),
      unseal: (owner, sealed) => unseal(keyring, owner, sealed),
      privateKey: (key) =>
        unsealedKeys.get(organizationId, key.digest, () => unsealKey(keyring, this, key)),
      seedDigest: (seed) => deriveSeedDigest(keyring, organizationId, seed),
      prove: createProver(quorum, nowMs),
    };
  }

  get bundles(): Bundles {
    const { organizationId } = this;
    const { bundle, verification } = this.#keyring.keys;
    return {
      import: (targetPublicKey) =>
        createImportBundle({ targetPublicKey, organizationId, userId: this.user.userId }, bundle),
      export: (secret, targetPublicKey) =>
        createExportBundle(secret, { targetPublicKey, organizationId }, bundle),
      otp: (targetPublicKey) => createOtpBundle(targetPublicKey, verification),
      credential: createCredentialBundle,
    };
  }

  get tokens(): Tokens {
    const { organizationId, isVoted } = this;
    const { keyring, sessionKey, verificationKey } = this.#submission.core;
    return {
      create: (atMs, claims) => {
        // What votes decided has a name of its own, which is never listed.
        const id = this.#newTokenId(atMs, isVoted ? "|voted" : "");
        return createVerificationToken({ ...claims, id }, verificationKey);
      },
      ofInvitation: (invitation) =>
        deriveInvitationToken(keyring, { ...invitation, organizationId }),
      // Nobody compares tokens, so random nonces are fine, and faster.
      signSession: (message) => signP256(sessionKey, message),
    };
  }
}
