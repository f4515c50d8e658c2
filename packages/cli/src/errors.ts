/** What is wrong with a command line or with a file it names: shown as it is, and exit code 2. */
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
  /** The member that is wrong, as in `cases[3].expected`. */
  readonly member?: string;
  /** The `name` of the case or policy it belongs to. */
  readonly of?: string;
  /** Both count from 1; the column in characters. */
  readonly line?: number;
  readonly column?: number;
  /** The line of the file and, under it, carets below the wrong text. */
  readonly excerpt?: readonly string[];
};
