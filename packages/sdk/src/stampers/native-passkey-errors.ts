import {
  Cancelled,
  Conflict,
  InvalidCredential,
  type KeyhearthError,
  Unsupported,
} from "../errors/errors.ts";

/** The error for what a native module rejected with. */
export function nativePasskeyError(cause: unknown, rpId: string): KeyhearthError {
  const said = saidBy(cause);
  const kind = kinds.find(([pattern]) => pattern.test(said))?.[1] ?? "other";
  switch (kind) {
    case "exists":
      return new Conflict(
        "This phone already has one of the passkeys in excludeCredentials. Let the user log in with it",
        { code: "PASSKEY_EXISTS", cause },
      );
    case "configuration":
      return new InvalidCredential(
        `This phone does not let the app use passkeys of ${rpId}. Serve the two files that name the app on that domain, and add the domain to the app`,
        { code: "INVALID_CREDENTIAL", field: "rpId", cause },
      );
    case "unsupported":
      return new Unsupported(
        "This phone has no passkeys for apps, or no screen lock. Offer another login",
        { code: "UNSUPPORTED", cause },
      );
    case "interrupted":
      return new Cancelled(
        "Another prompt interrupted the passkey prompt. Show one prompt at a time",
        { code: "ABORTED", cause },
      );
    case "dismissed":
      return new Cancelled(
        `The passkey prompt was dismissed or timed out, or the phone has no passkey of ${rpId}. Let the user try again, or offer another login`,
        { code: "CANCELLED", cause },
      );
    case "other":
      return new InvalidCredential(
        `The phone refused the passkey request. Look at the error's cause, and check that ${rpId} names the app`,
        { code: "INVALID_CREDENTIAL", cause },
      );
  }
}

// Modules put the kind of an error into its code, its name or its text, and name kinds after those of the web, of Apple's
// or of Android's interface.
const kinds = [
  [/alreadyexists|invalidstate/, "exists"],
  [/notconfigured|badconfiguration|securityerror|rpid/, "configuration"],
  [/notsupported|unsupported|biometric|nocreateoption/, "unsupported"],
  [/interrupt|pending|aborterror/, "interrupted"],
  [/cancel|notallowed|timedout|timeout|nocredential/, "dismissed"],
] as const;

function saidBy(cause: unknown): string {
  const { error, code, name, message } = Object(cause);
  return [error, code, name, message].map(String).join(" ").toLowerCase().replace(/[_ ]/g, "");
}
