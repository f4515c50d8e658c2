import { Unverified } from "@keyhearth/sdk";

/**
 * What this server sent, by the ids that the service gave it. The service could show another request under an id, also one
 * that the same key stamped earlier, and a person would approve that one.
 */
export class SentRequests {
  readonly #fingerprints = new Map<string, string>();

  /** Remembers a request that was sent now, or checks it if its id is known. */
  remember(activityId: string, fingerprint: string): void {
    this.check(activityId, fingerprint);
    this.#fingerprints.set(activityId, fingerprint);
    if (this.#fingerprints.size <= MOST_REMEMBERED) return;
    for (const [oldest] of this.#fingerprints) {
      this.#fingerprints.delete(oldest);
      return;
    }
  }

  /** Whether this is the request that was sent: undefined if this server did not send it. Throws if it is another one. */
  check(activityId: string, fingerprint: string, expected?: string): true | undefined {
    const sent = expected ?? this.#fingerprints.get(activityId);
    if (sent === undefined) return undefined;
    if (sent === fingerprint) return true;
    throw new Unverified(
      `the service shows another request as ${activityId}, so nothing of it is shown: nobody should approve it. Check the address of the service`,
      { code: "UNVERIFIED" },
    );
  }
}

const MOST_REMEMBERED = 10_000;
