import { InputError } from "../errors.ts";

// What a program may keep this server busy with.

/** In characters, and so at most four times as many bytes. */
export const LONGEST_TRANSACTION = 262_146;
export const LONGEST_MESSAGE = 65_536;
/** Of a message of the protocol, with the transaction in it. */
export const LONGEST_REQUEST_BYTES = 1024 * 1024;

/** At most so many calls, or waits, at a time. One more is refused, and not kept waiting. */
export class Bound {
  #underWay = 0;
  readonly #most: number;
  readonly #what: string;

  constructor(what: string, most: number) {
    this.#what = what;
    this.#most = most;
  }

  async within<Done>(work: () => Promise<Done>): Promise<Done> {
    if (this.#underWay >= this.#most) {
      throw new InputError(
        `${this.#most} ${this.#what} are under way, and no more are possible at a time: call again when one of them has ended`,
      );
    }
    this.#underWay += 1;
    try {
      return await work();
    } finally {
      this.#underWay -= 1;
    }
  }
}
