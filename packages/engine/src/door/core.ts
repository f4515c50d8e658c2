import type { ParsedInterfaces } from "../chains/contract-interfaces.ts";
import type { Keyring } from "../keys/keyring.ts";
import type { QuorumKeys } from "../keys/quorum-key.ts";
import type { UnsealedKeys } from "../keys/unsealed-keys.ts";
import type { HeldRecords } from "../records/held-records.ts";
import type { Tickets } from "./tickets.ts";

/** What the signer remembers between requests, so that nobody can take it back in time. */
export type Marks = {
  /** Throws STALE_RECORD if a newer document, or another of the same version, was seen. */
  check(organizationId: string, version: number, digest: string): void;
  /** As `check`, and from now on this document is the newest. */
  move(organizationId: string, version: number, digest: string): void;
  /** Was any document of this organization seen? */
  knows(organizationId: string): boolean;
  /** As `check`, for the chain of an organization's segments. */
  extend(organizationId: string, previous: SegmentHead | null, next: SegmentHead): void;
};

export type SegmentHead = { number: number; digest: string };

export type CoreEvent = { event: string; [member: string]: unknown };

export type CoreOptions = {
  keyring: Keyring;
  marks: Marks;
  /** Milliseconds; throws CLOCK_BACKWARDS rather than run backwards. */
  now: () => number;
  random: (length: number) => Uint8Array;
  log: (event: CoreEvent) => void;
  maxHeldBytes?: number;
};

export type Core = {
  keyring: Keyring;
  quorum: QuorumKeys;
  marks: Marks;
  now: () => number;
  random: (length: number) => Uint8Array;
  log: (event: CoreEvent) => void;
  held: HeldRecords;
  unsealedKeys: UnsealedKeys;
  interfaces: ParsedInterfaces;
  tickets: Tickets;
};
