import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import {
  importVerificationPublicKey,
  type VerificationKey,
} from "@keyhearth/crypto/tokens/verification-token";
import type { Connection } from "../connection/connection.ts";
import { asObject } from "../errors/as-object.ts";
import type { FieldProblem } from "../errors/errors.ts";
import { shown } from "../errors/given-values.ts";
import { invalidFields } from "../errors/invalid-fields.ts";
import type { WalletParams } from "../generated/types.ts";

/** How people may log in, besides the providers of `oauthClientIds`. */
export type LoginMethod = "email" | "sms" | "passkey" | "wallet";

/** A call that sends something to somebody, or makes an account. */
export type LoginAttempt = {
  call: "code" | "sign-up";
  /** Whom a code is for, or who signs up. Only for a sign-up is it proven. */
  contact: string | undefined;
  clientAddress: string | undefined;
  header(name: string): string | undefined;
};

export type LoginHandlerOptions = {
  /**
   * Your organization, with a stamper whose API key may `init_otp`, `verify_otp` and `create_sub_organization`, and nothing
   * else. It stays on your server.
   */
  connection: Connection;
  /** `verificationPublicKey` of `/.well-known/keyhearth.json`, which you got from your operator. Codes need it. */
  verificationPublicKey?: string;
  /** The origins of your pages, exactly as browsers write them. All others are refused. */
  origins: readonly string[];
  methods: readonly LoginMethod[];
  /** Your app's name, in messages. */
  appName: string;
  /** For social logins: their names, with the client id that tokens must be for. */
  oauthClientIds?: Readonly<Record<string, string>>;
  /** Where providers send people back to. */
  oauthRedirectUrl?: string;
  /** From 6 to 9. Default: 9. */
  otpLength?: number;
  /** Whether codes have letters too. Default: true. */
  otpAlphanumeric?: boolean;
  /** What pages show as the length of a session, in seconds. Default: 900. */
  sessionExpirationSeconds?: number;
  /** What each new account has. */
  subOrganization?: {
    organizationName?: string;
    wallet?: WalletParams;
    disableEmailAuth?: boolean;
    disableOtpEmailAuth?: boolean;
    disableSmsAuth?: boolean;
    disableEmailRecovery?: boolean;
  };
  /** Whether people may sign up, or only log in. Default: true. */
  signUp?: boolean;
  /**
   * Decides about a code or a sign-up before the service is asked anything: a captcha, a limit of your own, a list of invited people.
   * Anything but true refuses it.
   */
  allow?(attempt: LoginAttempt): boolean | Promise<boolean>;
  /** Hears of what your visitors are not told, such as a key without permission. Default: `console.error`. */
  onError?(error: unknown): void;
};

export type LoginSettings = LoginHandlerOptions & {
  oauthClientIds: Readonly<Record<string, string>>;
  verificationKey: Pick<VerificationKey, "publicKey"> | undefined;
};

/** Throws `InvalidField` that names every wrong option. */
export function checkLoginOptions(given: LoginHandlerOptions): LoginSettings {
  const options = asObject(given);
  const fields: FieldProblem[] = [];
  const problem = (field: string, message: string) => fields.push({ field, message });
  const { connection, origins, methods, appName, oauthClientIds = {}, otpLength = 9 } = options;
  if (typeof connection?.perform !== "function") {
    problem("connection", "must be a Connection or a KeyhearthClient of your organization");
  }
  if (!Array.isArray(origins) || origins.length === 0) {
    problem("origins", 'must list the origins of your pages, such as ["https://app.example.com"]');
  } else {
    origins.forEach((origin, at) => {
      if (isOrigin(origin)) return;
      problem(
        `origins[${at}]`,
        `must be an origin as browsers write it, such as https://app.example.com, but is ${shown(origin)}`,
      );
    });
  }
  const known = ["email", "sms", "passkey", "wallet"];
  const list = Array.isArray(methods) ? methods : [];
  if (!Array.isArray(methods) || !list.every((method) => known.includes(method))) {
    problem("methods", `must list some of ${known.join(", ")}`);
  } else if (list.length === 0 && Object.keys(oauthClientIds).length === 0) {
    problem("methods", "must not be empty if there are no oauthClientIds");
  }
  if (typeof appName !== "string" || appName === "" || appName.length > 255) {
    problem("appName", "must be text of 1 to 255 characters, which messages show");
  }
  if (!Number.isInteger(otpLength) || otpLength < 6 || otpLength > 9) {
    problem("otpLength", `must be a number from 6 to 9, but is ${shown(otpLength)}`);
  }
  const verificationKey = keyOf(options.verificationPublicKey);
  const needsKey = list.includes("email") || list.includes("sms");
  if ((needsKey || options.verificationPublicKey !== undefined) && !verificationKey) {
    problem(
      "verificationPublicKey",
      "must be that of /.well-known/keyhearth.json of your service: codes need it",
    );
  }
  if (fields.length > 0) throw invalidFields(...fields);
  return { ...options, oauthClientIds, verificationKey };
}

function isOrigin(origin: unknown): boolean {
  const url = typeof origin === "string" ? URL.parse(origin) : null;
  if (!url || url.origin !== origin) return false;
  return url.protocol === "https:" || /^(localhost|127\.0\.0\.1)$/.test(url.hostname);
}

function keyOf(hex: string | undefined): Pick<VerificationKey, "publicKey"> | undefined {
  if (typeof hex !== "string" || !/^04[0-9a-f]{128}$/i.test(hex)) return undefined;
  try {
    return importVerificationPublicKey(decodeHex(hex.toLowerCase()));
  } catch {
    return undefined;
  }
}
