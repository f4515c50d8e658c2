export const HIDDEN = "[secret]";

/** A password, a token, or a URL that holds one, which only `open` shows. Made by `secret`. */
export class HeldSecret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  open(): string {
    return this.#text;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return HIDDEN;
  }
}

/**
 * Text that shows as `[secret]` in templates, JSON, inspections and logs. The compiler refuses symbols in templates and
 * sums, so it refuses a secret there too.
 */
export type Secret = HeldSecret & symbol;

export function secret(text: string): Secret {
  // It is no symbol: that part of the type exists for the compiler only.
  return new HeldSecret(text) as Secret;
}
