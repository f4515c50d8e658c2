import type { ParsedInterfaces } from "../chains/contract-interfaces.ts";
import type { Keyring } from "../keys/keyring.ts";
import type { QuorumKeys } from "../keys/quorum-key.ts";
import type { UnsealedKeys } from "../keys/unsealed-keys.ts";
import type { HeldRecords } from "../records/held-records.ts";
import type { Tickets } from "./tickets.ts";

/** What the signer remembers between requests, so that nobody can make it accept an older state. */
export type Marks = {
  /** Throws STALE_RECORD if a newer document was seen, or a different one of the same version. */
  check(organizationId: string, version: number, digest: string): void;
  /** Like `check`, and makes this document the newest. */
  move(organizationId: string, version: number, digest: string): void;
  /** Was any document of this organization seen? */
  knows(organizationId: string): boolean;
  /** Like `check`, for the next segment in an organization's chain. */
  extend(organizationId: string, previous: SegmentHead | null, next: SegmentHead): void;
};

export type SegmentHead = { number: number; digest: string };

export type CoreEvent = { event: string; [member: string]: unknown };

export type CoreOptions = {
  keyring: Keyring;
  marks: Marks;
  /** In milliseconds. Throws CLOCK_BACKWARDS instead of going backwards. */
  now: () => number;
  random: (length: number) => Uint8Array;
  log: (event: CoreEvent) => void;
  maxHeldBytes?: number;
  /** Whether the keyring has protected nothing yet. Without it, it counts as used. */
  isNew?: () => boolean;
};

export type Core = {
  keyring: Keyring;
  quorum: QuorumKeys;
  marks: Marks;
  now: () => number;
  random: (length: number) => Uint8Array;
  log: (event: CoreEvent) => void;
  isNew: () => boolean;
  held: HeldRecords;
  unsealedKeys: UnsealedKeys;
  interfaces: ParsedInterfaces;
  tickets: Tickets;
};
