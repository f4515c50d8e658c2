/** The signer cannot use its own state. The message is one sentence and says what to do. */
export class SignerStateError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "SignerStateError";
  }
}

/** The marks are missing or damaged. Whether the database is the newest is for an operator to say. */
export class LostMarksError extends SignerStateError {
  readonly what: string;

  constructor(path: string, what: string, cause?: unknown) {
    super(
      `the marks ${path} are ${what}, so the signer could not tell an old database from the newest one; no copy of them is as new, so if you know that the database is the right one, run \`npm run signer -- accept-restored-database TIME\`, where TIME is what another clock says in UTC, such as 2026-01-31T09:30Z`,
      { cause },
    );
    this.what = what;
  }
}
