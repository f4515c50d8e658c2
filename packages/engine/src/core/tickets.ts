import { ApiError } from "../errors.ts";
import { keepNewest } from "../memory/keep-newest.ts";
import type { FoundedLine, OrganizationDocument } from "../records/organization.ts";
import type { RecordHeader } from "../records/record.ts";

/** A document that becomes current when its proposal is committed, and the one that it replaces. */
export type Mark = {
  organizationId: string;
  version: number;
  digest: string;
  previousDigest: string | null;
  /** It must survive a power cut, because the document alone could not be confirmed again. */
  isLasting?: true;
};

/** The first document of an organization. Votes decided it, so only its parent's document confirms it again. */
export function markOfFounded({ organizationId, digest }: FoundedLine): Mark {
  return { organizationId, version: 1, digest, previousDigest: null, isLasting: true };
}

export function markOf(
  { header, digest }: { header: Pick<RecordHeader, "organizationId" | "version">; digest: string },
  { previousDigest }: Pick<OrganizationDocument, "previousDigest">,
): Mark {
  const { organizationId, version } = header;
  return { organizationId, version, digest, previousDigest };
}

/** Keeps the marks of a proposal until the host confirms its commit. */
export type Tickets = {
  open(marks: Mark[]): string;
  close(ticket: string): Mark[];
};

export const MAX_TICKETS = 4096;

/** `run` distinguishes the tickets of this signer from those of an earlier run. */
export function createTickets(run: string): Tickets {
  const tickets = new Map<string, Mark[]>();
  let last = 0;
  return {
    open(marks) {
      last += 1;
      const ticket = `${run}-${last}`;
      // A commit that lost a race is never confirmed, so the oldest tickets are dropped.
      keepNewest(tickets, MAX_TICKETS, ticket, marks);
      return ticket;
    },
    close(ticket) {
      const marks = tickets.get(ticket);
      if (!marks) {
        // The signer restarted in between. The host confirms the document instead.
        const message = "the signer does not know this ticket";
        throw new ApiError("UNAVAILABLE", "CONFLICT", message);
      }
      tickets.delete(ticket);
      return marks;
    },
  };
}
