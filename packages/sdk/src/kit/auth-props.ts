import type { NewAccount } from "../browser/login-proxy.ts";
import type { Session } from "../browser/session.ts";
import type { KeyhearthError } from "../errors/errors.ts";
import type { KitOptions } from "./kit.tsx";
import type { OpenIdProvider } from "./social.ts";
import type { OwnWallet } from "./wallets.ts";

/** A way to log in. */
export type AuthMethod = "passkey" | "email" | "sms" | "wallet" | OpenIdProvider;

export type AuthProps = KitOptions & {
  /** What to offer, in this order. Default: what the organization has set, without providers. */
  methods?: readonly AuthMethod[];
  /** How long the session lasts, in seconds. Default: 900. */
  sessionSeconds?: number;
  /** The relying party of passkeys. Default: this page's domain, and its title as the name. */
  rp?: { id?: string; name: string };
  /** What each new account has, with the login proxy. A handler of your own decides itself. */
  account?: Pick<NewAccount, "organizationName" | "wallet">;
  /** How people go to a provider: in a window, or by leaving this page. Default: `popup`. */
  flow?: "popup" | "redirect";
  /** Wallets that people may log in with. Default: those that extensions announce (EIP-6963). */
  wallets?: readonly OwnWallet[];
  /** Your terms, linked below the form. */
  termsUrl?: string;
  onSuccess?(session: Session, login: { isNew: boolean }): void;
  onError?(error: KeyhearthError): void;
  /** Shows a button that closes the form. */
  onClose?(): void;
  /** Shows one state and does nothing, for galleries and for tests of your theme. */
  preview?: AuthPreview;
};

export type AuthPreview = {
  step?: "start" | "sign-up" | "code" | "done";
  /** The method that is under way. */
  busy?: string;
  error?: KeyhearthError;
  /** Whether the error is of the first question that the form asks the service. */
  isClosed?: boolean;
};
