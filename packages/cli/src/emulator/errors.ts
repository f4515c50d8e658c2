/** A mistake of the caller. The message says what was given, what is accepted and how to correct it. */
export class EmulatorError extends Error {
  override readonly name = "EmulatorError";
  /** The option that is wrong. */
  readonly option: string;

  constructor(option: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.option = option;
  }
}
