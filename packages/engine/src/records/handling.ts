import type { Records } from "./facts.ts";
import type { OrganizationDocument } from "./organization.ts";
import type { Writer } from "./write.ts";

/** What every handler works with: the organization as it is, the request, and the draft of what comes next. */
export type Handling = {
  readonly organizationId: string;
  readonly document: OrganizationDocument;
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
  /** An id that the request determines, so that running it twice creates nothing new. */
  newId(name: string): string;
  random(length: number): Uint8Array;
  /** The draft of the organization's next document. Calling this means that it will be written. */
  update(): OrganizationDocument;
  readonly write: Writer;
};
