import type { SignRequest } from "./requests.ts";

/**
 * The times of requests whose answers were lost. A request is known by its bytes, and its time is part of them: with the
 * same time it is the same activity, which signs once, and with another one it would sign again.
 */
export class LostAnswers {
  readonly #times = new Map<string, number>();

  /** The time of the same request if its answer is missing, else now. */
  begin(request: SignRequest, given: string | undefined): string {
    const key = JSON.stringify(request);
    const before = this.#times.get(key) ?? 0;
    const now = Date.now();
    const timeMs = given === undefined ? (now - before < LONGEST_MS ? before : now) : Number(given);
    this.#times.delete(key);
    this.#times.set(key, timeMs);
    for (const [oldest] of this.#times) {
      if (this.#times.size <= MOST_LOST) break;
      this.#times.delete(oldest);
    }
    return String(timeMs);
  }

  end(request: SignRequest): void {
    this.#times.delete(JSON.stringify(request));
  }
}

const MOST_LOST = 256;
/** The service refuses a request that is an hour old. */
const LONGEST_MS = 55 * 60 * 1000;
