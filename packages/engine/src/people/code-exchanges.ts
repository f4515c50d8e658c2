import type { Secret } from "@keyhearth/crypto/secret";
import type { SecretBytes } from "@keyhearth/crypto/secret-bytes";
import type { Oauth2Provider } from "../fields/oauth2.ts";

// The core cannot ask a provider who somebody is. It stops with what is to be asked, and the signer asks it again with
// the outcome, as it does for the verdicts on tokens.

/** A code that the signer exchanges at the provider. */
export type CodeExchange = {
  /** Names the request: the same bytes, sent again, get the same outcome. */
  name: string;
  /** The organization with its sub-organizations, or its parent with them. */
  familyId: string;
  /** When it is asked for. The outcome has it, also when the same bytes come again. */
  askedAtMs: number;
  provider: Oauth2Provider;
  clientId: string;
  /** The exchange wipes it. */
  clientSecret: SecretBytes;
  code: Secret;
  codeVerifier: Secret;
  redirectUri: string;
  /** Whether the outcome has the provider's own token. */
  wantsBearerToken: boolean;
};

/** Whom the code is about, and since when that is known, or why it says nothing. The text is for the client. */
export type ExchangeOutcome =
  | { subject: string; bearerToken: Secret | null; askedAtMs: number }
  | { refusal: string; because: "unknown provider" | "busy" | "refused" };

/** Exchanges a code at its provider, and asks the provider who the person is. It never rejects. */
export type ExchangeCode = (exchange: CodeExchange) => Promise<ExchangeOutcome>;

/** Thrown if a code must be exchanged before a request can be answered. */
export class UnexchangedCode extends Error {
  readonly exchange: CodeExchange;

  constructor(exchange: CodeExchange) {
    super("a code must be exchanged first");
    this.name = "UnexchangedCode";
    this.exchange = exchange;
  }
}
