/**
 * Which documents were the newest within the last minutes. The host reads a document and brings it a moment later,
 * and meanwhile another request, perhaps of another host, may have replaced it.
 */
export type RecentMoves = {
  /** The mark of this organization leaves the document with this digest. */
  note(organizationId: string, digest: string): void;
  /** Whether exactly this document was replaced within the last minutes. */
  includes(digest: string): boolean;
  /** Whether any document of this organization was. */
  hasAny(organizationId: string): boolean;
};

/** Longer than a host keeps a document without reading it again, and a request waits for its turn. */
export const OVERTAKEN_MS = 120_000;

/** `elapsedMs` is a clock that nobody sets. As much is kept as is written to the disk in that time. */
export function createRecentMoves(elapsedMs: () => number): RecentMoves {
  // When it was noted last. The oldest come first.
  const digests = new Map<string, number>();
  const organizations = new Map<string, number>();

  function add(noted: Map<string, number>, key: string) {
    noted.delete(key);
    noted.set(key, elapsedMs());
    for (const oldest of noted.keys()) {
      if (isRecent(noted, oldest)) return;
      noted.delete(oldest);
    }
  }

  function isRecent(noted: Map<string, number>, key: string): boolean {
    const atMs = noted.get(key);
    return atMs !== undefined && elapsedMs() - atMs < OVERTAKEN_MS;
  }

  return {
    note(organizationId, digest) {
      add(digests, digest);
      add(organizations, organizationId);
    },
    includes: (digest) => isRecent(digests, digest),
    hasAny: (organizationId) => isRecent(organizations, organizationId),
  };
}
