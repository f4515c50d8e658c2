import type { PrivateKey } from "@keyhearth/crypto/keys/keys";
import type { VerificationKey } from "@keyhearth/crypto/tokens/verification-token";
import type { ParsedInterfaces } from "../chains/contract-interfaces.ts";
import type { Activities } from "../declare/activities.ts";
import type { UnsealedKeys } from "../keys/unsealed-keys.ts";
import type { StampKeys } from "../people/stamp-keys.ts";
import type { WaitingCodes } from "../people/waiting-codes.ts";
import type { SegmentHead } from "../receipts/receipts.ts";
import type { HeldRecords } from "../records/held-records.ts";
import type { Keyring } from "../vault/keyring.ts";
import type { Oauth2Key } from "../vault/oauth2-key.ts";
import type { QuorumKeys } from "../vault/quorum-key.ts";
import type { WebhookKey } from "../vault/webhook-key.ts";
import type { Aside } from "./aside.ts";
import type { Mark, Tickets } from "./tickets.ts";

/**
 * What the signer remembers between requests, so that nobody can make it accept an older state: the
 * newest document of each organization whose commit was confirmed, and the newest segment.
 */
export type Marks = {
  /**
   * Whether this document is the newest that was confirmed; false if it is newer. Throws STALE_RECORD
   * for an older document, as `Overtaken` if it was replaced within the last minutes, and for a different one
   * of the same version. Changes nothing.
   */
  isConfirmed(document: Mark): boolean;
  /**
   * Makes these documents the newest of their organizations, all or none. Throws STALE_RECORD like
   * `isConfirmed`, and for a next document that does not follow the newest one.
   */
  move(documents: Mark[]): void;
  /**
   * Whether the newest confirmed document has this version or a later one. Throws STALE_RECORD for a different one
   * of the same version. Of earlier versions, the signer does not remember which were confirmed.
   */
  reaches(organizationId: string, document: { number: number; digest: string }): boolean;
  /** The newest confirmed document, or null if none was. */
  newest(organizationId: string): SegmentHead | null;
  /** Whether this organization's document was replaced within the last minutes. */
  hasMovedLately(organizationId: string): boolean;
  /** Was any document of this organization confirmed? */
  knows(organizationId: string): boolean;
  /** Was what was made then made before an operator had all marks begin again? Then it may have no mark. */
  isFromBefore(madeAtMs: number): boolean;
  /** Makes this the newest segment. Throws STALE_RECORD if it does not follow the newest one. */
  extend(organizationId: string, previous: SegmentHead | null, next: SegmentHead): void;
};

/** What else the signer's clock can say. */
export type Time = {
  /** The time for an answer that decides nothing. Leaves no trace, however wrong it is. */
  peek(): number;
  /** How many jumps of the clock were believed in this run. */
  jumps(): number;
  /** May a request with this timestamp have run before, at a time that was taken back? Then it never runs again. */
  isSpent(timestampMs: number): boolean;
  /** A request with this timestamp is accepted. */
  use(timestampMs: number): void;
};

export type CoreEvent = { event: string; [member: string]: unknown };

export type Start = { number: number; atMs: number };

export type CoreOptions = {
  keyring: Keyring;
  marks: Marks;
  /** In milliseconds. Throws CLOCK_BACKWARDS instead of going backwards, and CLOCK_JUMPED if it is not believed. */
  now: () => number;
  time?: Time;
  random: (length: number) => Uint8Array;
  log: (event: CoreEvent) => void;
  /** The courier's public key, to which messages are sealed. Null if no courier is trusted yet. */
  courierKey: () => Uint8Array | null;
  /** Which start of the signer this is, and when it was. */
  start?: Start;
  /** Whether the keyring has protected nothing yet. Without it, it counts as used. */
  isNew?: () => boolean;
  /**
   * The id of an organization whose founding has this fingerprint, in place of the one that is derived. Only the emulator has
   * this, and fills it by itself: no call of the door, no variable and no setting of a signer reaches it.
   */
  foundingIdOf?: (fingerprint: string) => string | undefined;
  /** What one memory keeps for several cores, and how many they are. */
  shared?: SharedMemory & { cores: number };
};

/** What is counted, or used once, in one place. */
export type SharedMemory = { tickets: Tickets; waitingCodes: WaitingCodes };

export type Core = {
  activities: Activities;
  keyring: Keyring;
  quorum: QuorumKeys;
  /** Signs the tokens of sessions. */
  sessionKey: PrivateKey;
  webhookKey: WebhookKey;
  oauth2Key: Oauth2Key;
  /** Signs verification tokens. */
  verificationKey: VerificationKey;
  marks: Marks;
  now: () => number;
  time: Time;
  random: (length: number) => Uint8Array;
  log: (event: CoreEvent) => void;
  courierKey: () => Uint8Array | null;
  isNew: () => boolean;
  foundingIdOf: (fingerprint: string) => string | undefined;
  start: Start;
  held: HeldRecords;
  stampKeys: StampKeys;
  unsealedKeys: UnsealedKeys;
  waitingCodes: WaitingCodes;
  interfaces: ParsedInterfaces;
  tickets: Tickets;
  aside: Aside;
};
