// Some of what a request gives counts although no document lists it: accounts, sessions, codes, verification tokens.
// The same bytes can be decided at once, in a proposal that the host keeps, and wait for votes after the rules changed.
// From then on they count by votes alone: what names the request and says nothing of votes no longer counts.

/** A request that waited for votes, for as long as what a proposal gave at once before could count. */
export type VotesOnlyLine = {
  /** As in the records of what it gives. */
  request: string;
  /** The user who started it. */
  userId: string;
} & Span;

/** What counts although no document lists it: for so long after it was made, or as long as the wallet exists. */
export type Beside = { seconds: number } | { walletId: string };

/** Until then, or as long as the wallet exists. */
export type Span = { untilMs: number } | { walletId: string };

/** Records from before this was stored name no request, and those that votes decided name none either. */
export function countsByVotesAlone(
  { votesOnly = [] }: { votesOnly?: VotesOnlyLine[] | undefined },
  request: string | undefined,
): boolean {
  return request !== undefined && votesOnly.some((line) => line.request === request);
}
