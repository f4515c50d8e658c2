import {
  Cancelled,
  Conflict,
  InvalidCredential,
  type KeyhearthError,
  Unsupported,
} from "../errors/errors.ts";
import type { AuthenticatorTransport } from "../generated/types.ts";

// What stamping with passkeys and registering them share.

/** The browser's passkeys. Throws `Unsupported` if it has none. */
export function passkeys(): CredentialsContainer {
  const container = globalThis.navigator?.credentials;
  if (typeof globalThis.PublicKeyCredential === "function" && container) return container;
  throw new Unsupported(
    "This page has no WebAuthn, so it cannot use passkeys. Serve it over https or from localhost, or offer another login",
    { code: "UNSUPPORTED" },
  );
}

/** The error for what a passkey prompt rejected with (WebAuthn L2, 5.1.3 and 5.1.4). */
export function passkeyError(cause: unknown, rpId: string | undefined): KeyhearthError {
  const relyingParty = rpId ?? "this page's domain";
  // Some browsers throw DOMException of another window, so its class says nothing.
  switch (cause instanceof Error ? cause.name : undefined) {
    case "NotAllowedError":
      return new Cancelled(
        `The passkey prompt was dismissed or timed out, or there was no passkey of ${relyingParty}. Let the user try again, or offer another login`,
        { code: "CANCELLED", cause },
      );
    case "AbortError":
      return new Cancelled(
        "The passkey prompt was aborted by its signal or by another prompt. Show one prompt at a time",
        { code: "ABORTED", cause },
      );
    case "InvalidStateError":
      return new Conflict(
        "This authenticator already has one of the passkeys in excludeCredentials. Let the user log in with it, or take another authenticator",
        { code: "PASSKEY_EXISTS", cause },
      );
    case "SecurityError":
      return new InvalidCredential(
        `The page ${globalThis.location?.origin} may not use passkeys of ${relyingParty}. Serve the page over https or from localhost, and set rpId to its domain or a parent domain`,
        { code: "INVALID_CREDENTIAL", field: "rpId", cause },
      );
    case "NotSupportedError":
      return new Unsupported(
        "This authenticator can make neither ES256 nor RS256 passkeys as asked. Ask for less, or take another authenticator",
        { code: "UNSUPPORTED", cause },
      );
    default:
      return new InvalidCredential(
        "The browser refused the passkey request. Look at the error's cause, and check the options",
        { code: "INVALID_CREDENTIAL", cause },
      );
  }
}

/** Browsers give buffers, and some password managers give views of them. */
export function bytesOf(source: BufferSource): Uint8Array {
  return ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
}

const transports: Record<string, AuthenticatorTransport> = {
  ble: "AUTHENTICATOR_TRANSPORT_BLE",
  internal: "AUTHENTICATOR_TRANSPORT_INTERNAL",
  nfc: "AUTHENTICATOR_TRANSPORT_NFC",
  usb: "AUTHENTICATOR_TRANSPORT_USB",
  hybrid: "AUTHENTICATOR_TRANSPORT_HYBRID",
};

/** Only those that the contract knows: browsers and phones may name others (WebAuthn L2, 5.2.1). */
export function transportsOf(names: readonly string[]): AuthenticatorTransport[] {
  return names.flatMap((name) => transports[name] ?? []);
}
