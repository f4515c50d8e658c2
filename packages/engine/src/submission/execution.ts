import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { signP256 } from "@keyhearth/crypto/primitives";
import {
  createCredentialBundle,
  createExportBundle,
  createImportBundle,
  createOtpBundle,
} from "@keyhearth/crypto/sealing/bundle";
import { decryptQuorumMessage } from "@keyhearth/crypto/sealing/quorum-message";
import {
  createVerificationToken,
  readVerificationToken,
  type VerificationClaims,
} from "@keyhearth/crypto/tokens/verification-token";
import type { Core } from "../core/core.ts";
import type { Bundles, Context, Tokens } from "../declare/context.ts";
import type { ActivityDeclaration } from "../declare/define.ts";
import { seenSender } from "../declare/seen-sender.ts";
import type { Keys } from "../keys/tools.ts";
import { unsealKey } from "../keys/unsealed-keys.ts";
import { type Message, type OutgoingMessage, seal as sealToCourier } from "../messages/message.ts";
import { receiverOf } from "../messages/receivers.ts";
import { createOauth2Token, type Oauth2Claims } from "../people/oauth2-tokens.ts";
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

export type Execution = {
  context: Context;
  /** The draft, if the handler asked for one. */
  draft(): OrganizationDocument | null;
  /** Everything written besides the organization's own document and the activity. */
  written: Written[];
  messages: OutgoingMessage[];
};

/** What a handler sees and does. A tool is made when the handler asks for it. */
export function createExecution(submission: Submission, started: Started): Execution {
  const { core, held, document, parent, records, registrations, nowMs } = submission;
  const { declaration, fingerprint, user, timestampMs, isVoted } = started;
  const { keyring, random } = core;
  const { organizationId } = document;
  const written: Written[] = [];
  const messages: OutgoingMessage[] = [];
  let draft: OrganizationDocument | null = null;
  const newId = (name: string) => deriveId(keyring, `${organizationId}|${fingerprint}|${name}`);
  const newTokenId = (atMs: number, suffix = "") => {
    const name = `${organizationId}|${fingerprint}|${user.userId}|verification-token${suffix}`;
    return deriveTimeOrderedId(keyring, name, atMs);
  };

  const sender = seenSender(declaration, user);
  const tools = new Tools({
    write: () => createWriter(keyring, { organizationId, records, written }),
    keys: () => keysFor(submission),
    bundles: () => bundlesFor(submission, sender),
    codes: () => codesFor(core.waitingCodes, { keyring, document, fingerprint, nowMs }),
    // What votes decided has a name of its own, which is never listed.
    tokens: () => tokensFor(submission, (atMs) => newTokenId(atMs, isVoted ? "|voted" : "")),
  });
  const context: Context = Object.assign(tools, {
    organizationId,
    document,
    parent: parent?.document ?? null,
    documentVersion: held.header.version,
    user: sender,
    startedBy: seenSender(declaration, started.startedBy),
    nowMs,
    requestedAtMs: timestampMs,
    isVoted,
    requestName: () => nameOf(newTokenId(0)),
    records,
    registrations,
    newId,
    newSignupId: (tokenId: string) => deriveId(keyring, `${organizationId}|sign-up|${tokenId}`),
    isKnown: (id: string) => core.marks.knows(id),
    newKeyId: (name: string) => newId(`${name}/${encodeHex(random(16))}`),
    random,
    readToken: createTokenReader(core),
    update() {
      draft ??= structuredClone(document);
      return draft;
    },
    send(message: Message) {
      const familyId = document.parentOrganizationId ?? organizationId;
      const sealed = sealToCourier(core.courierKey(), message, familyId);
      messages.push({ ...sealed, receiver: receiverOf(message) });
    },
    oauth2: {
      openSecret: (encrypted: Uint8Array) =>
        decryptQuorumMessage(core.quorum.encryptSecret, encrypted),
      createToken: (claims: Omit<Oauth2Claims, "organizationId">) =>
        createOauth2Token({ ...claims, organizationId }, core.oauth2Key),
    },
  });
  return { context, draft: () => draft, written, messages };
}

type Made = Pick<Context, "keys" | "bundles" | "codes" | "tokens"> & { write: Writer };
type Makers = { readonly [Name in keyof Made]: () => Made[Name] };

/**
 * Each tool when a handler asks for it. An object with getters of its own would be a dictionary: slow, larger than
 * everything else that a request makes, and kept until the next collection of the whole heap.
 */
class Tools {
  readonly #make: Makers;
  #write: Writer | undefined;

  constructor(make: Makers) {
    this.#make = make;
  }
  get write() {
    this.#write ??= this.#make.write();
    return this.#write;
  }
  get keys() {
    return this.#make.keys();
  }
  get bundles() {
    return this.#make.bundles();
  }
  get codes() {
    return this.#make.codes();
  }
  get tokens() {
    return this.#make.tokens();
  }
}

function keysFor({ core, document, records, nowMs }: Submission): Keys {
  const { keyring, quorum, unsealedKeys, random } = core;
  const { organizationId } = document;
  return {
    seal: (owner, plaintext) => seal(keyring, owner, plaintext, random),
    unseal: (owner, sealed) => unseal(keyring, owner, sealed),
    privateKey: (key) =>
      unsealedKeys.get(organizationId, key.digest, () =>
        unsealKey(keyring, { document, records }, key),
      ),
    seedDigest: (seed) => deriveSeedDigest(keyring, organizationId, seed),
    prove: createProver(quorum, nowMs),
  };
}

function bundlesFor({ core, document: { organizationId } }: Submission, user: User): Bundles {
  const { bundle, verification } = core.keyring.keys;
  return {
    import: (targetPublicKey) =>
      createImportBundle({ targetPublicKey, organizationId, userId: user.userId }, bundle),
    export: (secret, targetPublicKey) =>
      createExportBundle(secret, { targetPublicKey, organizationId }, bundle),
    otp: (targetPublicKey) => createOtpBundle(targetPublicKey, verification),
    credential: createCredentialBundle,
  };
}

function tokensFor(
  { core, document: { organizationId } }: Submission,
  newTokenId: (atMs: number) => string,
): Tokens {
  return {
    create: (atMs, claims) =>
      createVerificationToken({ ...claims, id: newTokenId(atMs) }, core.verificationKey),
    ofInvitation: (invitation) =>
      deriveInvitationToken(core.keyring, { ...invitation, organizationId }),
    // Nobody compares tokens, so random nonces are fine, and faster.
    signSession: (message) => signP256(core.sessionKey, message),
  };
}

/** A login reads its token when it is checked and when it is executed: it is verified once. */
function createTokenReader({ verificationKey }: Core): Context["readToken"] {
  let verified: { token: string; claims: VerificationClaims } | undefined;
  return (token) => {
    if (verified?.token === token) return verified.claims;
    const claims = readVerificationToken(token, verificationKey);
    if (claims) verified = { token, claims };
    return claims;
  };
}
