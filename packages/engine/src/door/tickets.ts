import { ApiError } from "../errors.ts";

/** A document that is current once its proposal is committed. */
export type Mark = { organizationId: string; version: number; digest: string };

/** Keeps the marks of a proposal until its commit is reported. */
export type Tickets = {
  open(marks: Mark[]): string;
  close(ticket: string): Mark[];
};

const MAX_TICKETS = 4096;

/** `run` tells the tickets of this run from those of a signer that was started before. */
export function createTickets(run: string): Tickets {
  const tickets = new Map<string, Mark[]>();
  let last = 0;
  return {
    open(marks) {
      last += 1;
      const ticket = `${run}-${last}`;
      tickets.set(ticket, marks);
      // A commit that lost its race never confirms; the oldest such tickets leave.
      for (const oldest of tickets.keys()) {
        if (tickets.size <= MAX_TICKETS) break;
        tickets.delete(oldest);
      }
      return ticket;
    },
    close(ticket) {
      const marks = tickets.get(ticket);
      if (!marks) {
        // The signer restarted in between. The same bytes sent again find the committed activity.
        const message = "the signer does not know this ticket";
        throw new ApiError("UNAVAILABLE", "CONFLICT", message);
      }
      tickets.delete(ticket);
      return marks;
    },
  };
}
