import { Cancelled, InvalidCredential, type KeyhearthError } from "../errors/errors.ts";

// Wallets report refusals in several ways, such as EIP-1193 codes in an error or in its cause.

/** The error for what a wallet rejected with. */
export function walletError(cause: unknown): KeyhearthError {
  const codes = codesOf(cause);
  if (codes.includes(4001) || codes.includes("ACTION_REJECTED") || isRejection(cause)) {
    return new Cancelled("The user rejected the wallet's prompt. Let them try again", {
      code: "CANCELLED",
      cause,
    });
  }
  const what = codes.includes(4100)
    ? "The wallet does not let this page use the account. Connect the account in the wallet"
    : "The wallet could not sign. Unlock it, close its other prompts, and try again";
  return new InvalidCredential(what, { code: "INVALID_CREDENTIAL", cause });
}

/** The wallet adapter of Solana has no codes, and keeps the wallet's own error in `error`. */
function isRejection(cause: unknown): boolean {
  return cause instanceof Error && /^user rejected/i.test(cause.message);
}

function codesOf(error: unknown, depth = 0): unknown[] {
  if (typeof error !== "object" || error === null || depth > 3) return [];
  const { code, cause, error: inner } = error as Record<string, unknown>; // any object has these or not
  return [code, ...codesOf(cause, depth + 1), ...codesOf(inner, depth + 1)];
}
