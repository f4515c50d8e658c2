/** The signer cannot use its own state. The message is one sentence and says what to do. */
export class SignerStateError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "SignerStateError";
  }
}
