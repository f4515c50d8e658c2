/**
 * A mistake in a command line or in a file that it names. The message is shown as it is; exit code
 * 2.
 */
export class InputError extends Error {
  override readonly name = "InputError";
  readonly details: InputErrorDetails;

  constructor(message: string, details: InputErrorDetails = {}, options?: ErrorOptions) {
    super(message, options);
    this.details = details;
  }
}

export type InputErrorDetails = {
  readonly file?: string;
  /** The member that is wrong, such as `cases[3].expected`. */
  readonly member?: string;
  /** The `name` of the case or policy it belongs to. */
  readonly of?: string;
  /** Line and column count from 1; the column counts characters. */
  readonly line?: number;
  readonly column?: number;
  /** The fields of a request that the contract does not accept. */
  readonly fields?: readonly { readonly field: string; readonly message: string }[];
  /** The line of the file, and a line with carets under the wrong text. */
  readonly excerpt?: readonly string[];
};
