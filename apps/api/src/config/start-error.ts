/**
 * The service cannot start, and a person can change that. The message is one sentence that says how;
 * it is printed without a stack.
 */
export class StartError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }
}
