import { post, type Stamper } from "../connection/request.ts";
import { serviceAddress } from "../connection/service-address.ts";
import { asObject } from "../errors/as-object.ts";
import { NotFound, Unauthenticated } from "../errors/errors.ts";
import { invalidFields } from "../errors/invalid-fields.ts";
import type { ApiKeyCurve, AuthenticatorParamsV2, WalletParams } from "../generated/types.ts";
import { newP256Key } from "../stampers/p256-key.ts";
import { objectFromBase64Url } from "./base64.ts";
import {
  type Contact,
  logInWithToken,
  type SentCode,
  signUsage,
  verifyCode,
} from "./code-login.ts";
import { prepareSignUp } from "./logins.ts";
import type { Oauth2Login } from "./oauth2-login.ts";
import { logInWithOidc } from "./oidc-login.ts";
import { checkKeeper, type Session, type SessionRequest } from "./session.ts";
import type { SessionKeeper } from "./session-keeper.ts";
import type { Holder } from "./session-token.ts";
import type { Registered } from "./sign-up-proof.ts";
import { logInWithStamp } from "./stamped-login.ts";

export type LoginProxyOptions = {
  /** The organization that switched its login proxy on. Default: that of the keeper. */
  configurationId?: string;
  /**
   * The address of a handler on your own server that answers the same calls, such as `/api/login`: that of
   * `@keyhearth/sdk/server`. Default: the login proxy of the service.
   */
  url?: string;
  /** Solves a captcha and returns its token, if the organization asks for one. */
  captchaToken?: () => Promise<string>;
  /** How long one call may take. Default: 30 seconds. */
  timeoutMs?: number;
};

/** What the organization has set, as far as a page needs it. */
export type LoginProxySettings = {
  organizationId: string;
  /** `email`, `sms`, `passkey`, `wallet`, and the names of `oauthClientIds`. */
  methods: string[];
  oauthClientIds: Record<string, string>;
  oauthRedirectUrl?: string;
  otpLength: number;
  otpAlphanumeric: boolean;
  sessionExpirationSeconds: number;
  /** With which a page shows the captcha. Without it, none is asked for. */
  captchaSiteKey?: string;
};

/** Whom a sign-up makes, if nobody has the contact, social login or wallet yet. */
export type NewAccount = { userName?: string; organizationName?: string; wallet?: WalletParams };

/** Who may be logged in. */
export type AccountRequest = {
  /** Whether somebody without an account is signed up. Default: true. Otherwise, the login throws `NotFound`. */
  signUp?: boolean;
  /** The only account that may be logged in to. Another one's login throws `NotFound`. */
  organizationId?: string;
};

/** A session, and whether its account is new. */
export type ProxyLogin = { session: Session; isNew: boolean };

/**
 * Signs people up and logs them in without a backend of yours, by the login proxy of the service. Sessions are those of
 * the keeper. An organization switches its proxy on with `FEATURE_NAME_AUTH_PROXY`.
 *
 * If the keeper pins the quorum key, a sign-up throws `Unverified`, and starts no session, unless the signer stated that
 * the new account is one of this organization, and has these credentials and contacts alone.
 *
 *     const proxy = new LoginProxy(keeper);
 *     const sent = await proxy.sendCode({ otpType: "OTP_TYPE_EMAIL", contact });
 *     const { session, isNew } = await proxy.logInWithCode({ code, sent, otpType: "OTP_TYPE_EMAIL", contact });
 */
export class LoginProxy {
  readonly #keeper: SessionKeeper;
  readonly #options: LoginProxyOptions;

  constructor(keeper: SessionKeeper, options: LoginProxyOptions = {}) {
    checkKeeper(keeper);
    this.#keeper = keeper;
    this.#options = asObject(options);
  }

  /** What to offer, and in which form people type codes. */
  async settings(): Promise<LoginProxySettings> {
    const [set, shown] = await Promise.all([
      this.#call("wallet_kit_config", {}),
      this.#call("wallet_kit_client_params", {}),
    ]);
    const { turnstileSiteKey } = shown;
    return {
      organizationId: String(set.organizationId),
      methods: set.enabledProviders as string[],
      oauthClientIds: set.oauthClientIds as Record<string, string>,
      ...(set.oauthRedirectUrl === undefined
        ? {}
        : { oauthRedirectUrl: String(set.oauthRedirectUrl) }),
      otpLength: Number(set.otpLength),
      otpAlphanumeric: set.otpAlphanumeric === true,
      sessionExpirationSeconds: Number(set.sessionExpirationSeconds),
      ...(turnstileSiteKey === undefined ? {} : { captchaSiteKey: String(turnstileSiteKey) }),
    };
  }

  /** Sends a code. People then type it, and `logInWithCode` takes it. */
  async sendCode(contact: Contact): Promise<SentCode> {
    const { otpType, contact: to } = asObject(contact);
    const asked = { otpType, contact: to };
    const sent = await this.#call("otp_init_v2", asked, { isCaptcha: true });
    return { ...(sent as Omit<SentCode, keyof Contact>), ...asked };
  }

  /**
   * Logs in with a code that `sendCode` sent to the contact. The code is encrypted to the signer. Somebody without an
   * account is signed up first, unless `signUp` is false.
   */
  async logInWithCode(
    login: { code: string; sent: Omit<SentCode, keyof Contact> } & Contact &
      NewAccount &
      AccountRequest &
      SessionRequest,
  ): Promise<ProxyLogin> {
    const { code, sent, otpType, contact, ...rest } = asObject(login);
    const { userName, organizationName, wallet, ...others } = rest;
    const { signUp: signsUp, organizationId: expected, ...request } = others;
    const verified = await verifyCode(
      this.#keeper,
      { verifyOtp: async (given) => (await this.#call("otp_verify_v2", given)) as Token },
      // The account that the proxy names counts only for a token of the organization that sent the code.
      { code, sent: { ...sent, otpType, contact }, organizationId: this.#configurationId },
    );
    const { key, verificationToken, tokenId } = verified;
    const isEmail = otpType === "OTP_TYPE_EMAIL";
    const filterType = isEmail ? "EMAIL" : "PHONE_NUMBER";
    const sought = { filterType, filterValue: contact, verificationToken };
    const known = await this.#account(sought);
    checkAccount(known, { signUp: signsUp, organizationId: expected });
    const signUp = async () => {
      const registered = { apiKeys: [], authenticators: [], oauthProviders: [] };
      const signed = { ...registered, [isEmail ? "email" : "phoneNumber"]: contact };
      const usage = { signupV2: signed, tokenId, type: "USAGE_TYPE_SIGNUP" };
      const clientSignature = await signUsage(key, usage);
      const stated = isEmail ? { userEmail: contact } : { userPhoneNumber: contact };
      const proof = { verificationToken, clientSignature };
      const account = { userName, organizationName, wallet };
      return this.#signUp({ ...registered, ...stated }, account, proof);
    };
    const organizationId = known ?? (await signUp());
    const session = await logInWithToken(this.#keeper, verified, { organizationId }, request);
    return { session, isNew: known === undefined };
  }

  /**
   * Logs in with the ID token that the provider issued for the nonce of `beginOidcLogin`. Somebody without an
   * account is signed up first, unless `signUp` is false.
   */
  async logInWithOidc(
    login: { oidcToken: string; providerName: string } & NewAccount &
      AccountRequest &
      SessionRequest,
  ): Promise<ProxyLogin> {
    const { oidcToken, providerName, userName, organizationName, wallet, ...others } =
      asObject(login);
    const { signUp, organizationId: expected, ...request } = others;
    const known = await this.#account({ filterType: "OIDC_TOKEN", filterValue: oidcToken });
    checkAccount(known, { signUp, organizationId: expected });
    let made: string | undefined;
    if (known === undefined) {
      const oauthProviders = [{ providerName, oidcToken }];
      const registered = { apiKeys: [], authenticators: [], oauthProviders };
      made = await this.#signUp(registered, { userName, organizationName, wallet });
    }
    // Without a pinned key, nothing says that the new account is one of this organization.
    const proven = this.#keeper.options.quorumPublicKey === undefined ? undefined : made;
    // By the parent's id, the signer itself finds the account that the token proves: perhaps not the one that was asked for.
    const organizationId = proven ?? expected ?? this.#options.configurationId;
    const session = await logInWithOidc(this.#keeper, {
      oidcToken,
      ...(organizationId === undefined ? {} : { organizationId }),
      ...request,
    });
    return { session, isNew: known === undefined };
  }

  /**
   * Begins a login at X or Discord. Send people to the address. They come back to `redirectUri`, in this tab or another,
   * and the page there calls `logInWithOauth2`.
   */
  async beginOauth2Login(login: Oauth2Login): Promise<{ url: string }> {
    // Loaded when it is needed: few pages offer X or Discord.
    const { oauth2Url } = await import("./oauth2-login.ts");
    return { url: await oauth2Url(this.#keeper, login) };
  }

  /**
   * Logs in with the address to which the provider sent people back. Somebody without an account is signed up first.
   * Throws `Unverified` if their login did not begin in this browser, or if the answer is not for its code.
   */
  async logInWithOauth2(
    login: { callbackUrl: string; providerName?: string } & NewAccount & SessionRequest,
  ): Promise<ProxyLogin> {
    const { callbackUrl, providerName, ...request } = asObject(login);
    const { readAnswer, readCallback } = await import("./oauth2-login.ts");
    const returned = await readCallback(this.#keeper, callbackUrl);
    const answer = await this.#call("oauth2_authenticate", { ...returned });
    const asked = { ...returned, organizationId: this.#configurationId };
    const oidcToken = await readAnswer(this.#keeper, answer.oidcToken, asked);
    const name = providerName ?? providerNames[returned.provider];
    return this.logInWithOidc({ oidcToken, providerName: name, ...request });
  }

  /** Signs somebody up with a passkey that `createPasskey` made, and starts their session without another prompt. */
  async signUpWithPasskey(
    signUp: { passkey: AuthenticatorParamsV2 } & NewAccount & SessionRequest,
  ): Promise<ProxyLogin> {
    const { passkey, userName, organizationName, wallet, ...request } = asObject(signUp);
    const { apiKey, finish } = await prepareSignUp(this.#keeper);
    const registered = { apiKeys: [apiKey], authenticators: [passkey], oauthProviders: [] };
    const account = { userName, organizationName, wallet };
    const organizationId = await this.#signUp(registered, account);
    return { session: await finish(this.#keeper, { organizationId, ...request }), isNew: true };
  }

  /**
   * Logs in with a wallet that people have: one prompt. Somebody without an account is signed up first, unless `signUp` is
   * false. With an `organizationId`, the wallet signs for that account, and the proxy is not asked which one it has.
   */
  async logInWithWallet(
    stamper: Stamper,
    login: NewAccount & AccountRequest & SessionRequest = {},
  ): Promise<ProxyLogin> {
    const { userName, organizationName, wallet, ...others } = asObject(login);
    const { signUp, organizationId, ...request } = others;
    const key = await newP256Key(this.#keeper.storage);
    if (organizationId !== undefined) {
      const named = { key, organizationId, holder: { organizationId } };
      const session = await logInWithStamp(this.#keeper, stamper, named, request).catch(
        (error: unknown) => {
          const isAnothers =
            error instanceof Unauthenticated && error.code === "CREDENTIAL_NOT_FOUND";
          throw isAnothers ? ofAnotherAccount(error) : error;
        },
      );
      return { session, isNew: false };
    }
    let isAsked = false;
    // Somebody who was signed up is logged in there, and not in another account with the same key.
    const holder: Holder = {};
    const signsUp: Stamper = {
      stamp: async (body) => {
        const header = await stamper.stamp(body);
        // Later stamps ask again about the same login.
        if (isAsked) return header;
        isAsked = true;
        const account = { userName, organizationName, wallet };
        const made = await this.#ensureWallet(header.value, account, { signUp });
        if (made !== undefined) holder.organizationId = made;
        return header;
      },
    };
    const session = await logInWithStamp(this.#keeper, signsUp, { key, holder }, request);
    return { session, isNew: holder.organizationId !== undefined };
  }

  /** Signs the owner of the stamp's key up, if it has no account. Returns the new one. */
  async #ensureWallet(
    stamp: string,
    account: Account,
    allowed: Allowed,
  ): Promise<string | undefined> {
    const { publicKey, scheme } = { ...objectFromBase64Url(stamp) };
    const curveType = curveOf(String(scheme));
    if (typeof publicKey !== "string" || curveType === undefined) {
      throw invalidFields({
        field: "stamper",
        message: "must stamp with the key of a wallet, as WalletStamper does",
      });
    }
    const known = await this.#account({ filterType: "PUBLIC_KEY", filterValue: publicKey });
    checkAccount(known, allowed);
    if (known !== undefined) return undefined;
    const apiKeys = [{ apiKeyName: "Wallet", publicKey, curveType }];
    return this.#signUp({ apiKeys, authenticators: [], oauthProviders: [] }, account);
  }

  get #configurationId(): string {
    return this.#options.configurationId ?? this.#keeper.options.organizationId;
  }

  async #account(sought: Record<string, string>): Promise<string | undefined> {
    const { organizationId } = await this.#call("account", sought);
    return organizationId === undefined ? undefined : String(organizationId);
  }

  async #signUp(registered: Registered, account: Account, proof: object = {}): Promise<string> {
    const given = Object.entries(account).filter(([, value]) => value !== undefined);
    const body = { ...registered, ...proof, ...Object.fromEntries(given) };
    // A code took a captcha already.
    const isCaptcha = !("verificationToken" in body);
    const answer = await this.#call("signup_v2", body, { isCaptcha });
    const { baseUrl, organizationId, quorumPublicKey } = this.#keeper.options;
    if (quorumPublicKey !== undefined) {
      // Loaded when it is needed: verifying needs curves.
      const { verifySignUp } = await import("./sign-up-proof.ts");
      const { configurationId = organizationId } = this.#options;
      verifySignUp(answer, { quorumPublicKey, baseUrl, parentId: configurationId, registered });
    }
    return String(answer.organizationId);
  }

  async #call(name: string, body: object, { isCaptcha = false } = {}) {
    const { baseUrl, fetch } = this.#keeper.options;
    const { url, captchaToken, timeoutMs = 30_000 } = this.#options;
    const service = serviceAddress(baseUrl);
    const headers =
      isCaptcha && captchaToken ? { "X-Captcha-Token": await captchaToken() } : undefined;
    return post({
      baseUrl: url === undefined ? `${service}/proxy/v1` : addressOf(url),
      siteUrl: service,
      path: `/${name}`,
      body: JSON.stringify(body),
      header: { name: "X-Auth-Proxy-Config-ID", value: this.#configurationId },
      ...(headers && { headers }),
      fetch: fetch ?? ((url, init) => globalThis.fetch(url, init)),
      timeoutMs,
      // A second code or sign-up would be another one.
      maxRetries: 0,
    });
  }
}

type Allowed = { [name in keyof AccountRequest]: AccountRequest[name] | undefined };

function checkAccount(known: string | undefined, { signUp = true, organizationId }: Allowed) {
  const isAllowed = known !== undefined || signUp;
  if (isAllowed && (organizationId === undefined || organizationId === known)) return;
  if (known !== undefined) throw ofAnotherAccount();
  throw new NotFound(
    "Nobody has an account with this login yet. Log in another way, or ask for an account",
    { code: "NOT_FOUND" },
  );
}

function ofAnotherAccount(cause?: unknown): NotFound {
  return new NotFound(
    "This login belongs to another account than the one that was asked for. Log in as the same user as before",
    { code: "NOT_FOUND", ...(cause !== undefined && { cause }) },
  );
}

const providerNames = { OAUTH2_PROVIDER_X: "X", OAUTH2_PROVIDER_DISCORD: "Discord" };

type Token = { verificationToken: string };
type Account = { [name in keyof NewAccount]: NewAccount[name] | undefined };

/** Whole, because an address of the page's own origin may be a path. */
function addressOf(url: string): string {
  const address = URL.parse(url, globalThis.location?.href);
  if (address && /^https?:$/.test(address.protocol)) return address.href.replace(/\/+$/, "");
  throw invalidFields({
    field: "url",
    message: "must be the address of your handler, such as /api/login, or whole with https",
  });
}

function curveOf(scheme: string): ApiKeyCurve | undefined {
  const curve = /^SIGNATURE_SCHEME_TK_API_(P256|SECP256K1|ED25519)/.exec(scheme)?.[1];
  return curve === undefined ? undefined : (`API_KEY_CURVE_${curve}` as ApiKeyCurve);
}
