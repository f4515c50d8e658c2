/** The signer's own state cannot be used. The message is one sentence with its remedy. */
export class SignerStateError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "SignerStateError";
  }
}
