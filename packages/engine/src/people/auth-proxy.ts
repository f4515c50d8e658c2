import { parseStrictJson } from "@keyhearth/crypto/encoding/json";
import { parseUrl } from "@keyhearth/crypto/encoding/url";
import * as z from "zod";
import { checkAll, invalid, shorten } from "../errors.ts";
import { boundedText } from "../fields/bounded-text.ts";
import { parseFields } from "../fields/parse.ts";
import { label, WalletParams } from "../fields/schemas.ts";
import type { Feature, OrganizationDocument, User } from "../records/organization.ts";
import { MAX_TOKEN_SECONDS } from "./verification-tokens.ts";
import { MAX_CODE_SECONDS } from "./waiting-codes.ts";

// What an organization says of its login proxy (decision 26).

export const PROXY_FEATURE = "FEATURE_NAME_AUTH_PROXY";

const PROXY_METHODS = ["email", "sms", "passkey", "wallet"] as const;

export const settingsAt = "parameters.value";

const MOST_ORIGINS = 20;
const MOST_CLIENTS = 10;
const MOST_TEMPLATES = 10;

function seconds(least: number, most: number) {
  const rule = `must be a whole number from ${least} to ${most}`;
  return z.int(rule).min(least, rule).max(most, rule);
}

/** An origin is compared as a text, so it must be one that a browser writes. */
const Origin = boundedText(255).refine(
  isOrigin,
  "must be an https origin as browsers write it, such as `https://app.example.com`, or an http origin of localhost or 127.0.0.1",
);

function isOrigin(value: string): boolean {
  const url = /^https?:\/\/[\x21-\x7e]+$/.test(value) ? parseUrl(value) : null;
  if (url?.origin !== value) return false;
  return value.startsWith("https:") || /^http:\/\/(localhost|127\.0\.0\.1)(:\d+)?$/.test(value);
}

const RedirectUrl = boundedText(1024).refine(
  (value) => /^https?:\/\/[\x21-\x7e]+$/.test(value) && isOrigin(parseUrl(value)?.origin ?? ""),
  "must be an https URL, or an http URL of localhost or 127.0.0.1",
);

const isUnique = (values: readonly string[]) => new Set(values).size === values.length;

const SubOrganization = z.strictObject({
  organizationName: label("Name of each new sub-organization.").optional(),
  wallet: WalletParams.optional(),
  disableEmailRecovery: z.boolean().optional(),
  disableEmailAuth: z.boolean().optional(),
  disableSmsAuth: z.boolean().optional(),
  disableOtpEmailAuth: z.boolean().optional(),
});

const Settings = z.strictObject({
  publicKey: z
    .string()
    .regex(
      /^0[23][0-9a-f]{64}$/,
      "must be a compressed P-256 public key in lower-case hex: the one that the service shows for this organization",
    ),
  appName: label("Name of the application, as messages show it."),
  origins: z
    .array(Origin)
    .min(1, "must list at least one origin")
    .max(MOST_ORIGINS, `must list at most ${MOST_ORIGINS} origins`)
    .refine(isUnique, "must list each origin once"),
  methods: z
    .array(z.enum(PROXY_METHODS, "invalid method"))
    .max(PROXY_METHODS.length, "must list each method once")
    .refine(isUnique, "must list each method once"),
  signUp: z.boolean().default(true),
  nativeApps: z.boolean().default(false),
  captcha: z.boolean().default(false),
  accountsByContact: z.boolean().default(false),
  plainCodes: z.boolean().default(false),
  otpLength: seconds(6, 9).default(9),
  otpAlphanumeric: z.boolean().default(true),
  otpExpirationSeconds: seconds(30, MAX_CODE_SECONDS).default(300),
  verificationTokenExpirationSeconds: seconds(30, MAX_TOKEN_SECONDS).default(900),
  sessionExpirationSeconds: seconds(60, 2_592_000).default(900),
  senderName: label("Name of the sender of emails.").optional(),
  emailTemplates: z
    .array(boundedText(64))
    .max(MOST_TEMPLATES, `must list at most ${MOST_TEMPLATES} templates`)
    .refine(isUnique, "must list each template once")
    .default([]),
  oauthClientIds: z
    .record(
      z.string().regex(/^[a-z][a-z0-9-]{0,31}$/),
      z.string().min(1, "must not be empty").max(255, "must have at most 255 characters"),
    )
    .refine(
      (clients) => Object.keys(clients).length <= MOST_CLIENTS,
      `must have at most ${MOST_CLIENTS} clients`,
    )
    .default({}),
  oauthRedirectUrl: RedirectUrl.optional(),
  subOrganization: SubOrganization.default({}),
});

/** What an organization says of its login proxy. */
export type ProxySettings = z.output<typeof Settings>;

/** Reads the value of the feature. Refuses all that is wrong with it at once. */
export function readProxySettings(value: string | undefined): ProxySettings {
  const settings = parseFields(Settings, parseObject(value), settingsAt);
  const { methods, oauthClientIds } = settings;
  checkAll(() => {
    if (methods.length > 0 || Object.keys(oauthClientIds).length > 0) return;
    throw invalid(
      `${settingsAt}.methods`,
      `\`${settingsAt}.methods\` is empty: name at least one of ${PROXY_METHODS.join(", ")}, or a client in \`oauthClientIds\``,
    );
  });
  return settings;
}

function parseObject(value: string | undefined): Record<string, unknown> {
  if (!value) throw notSettings("is missing");
  let parsed: unknown;
  try {
    parsed = parseStrictJson(value, { maxDepth: 5 });
  } catch {
    throw notSettings(`is \`${shorten(value)}\`, which is not JSON`);
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw notSettings("is not an object");
  }
  return parsed as Record<string, unknown>;
}

function notSettings(given: string) {
  return invalid(
    settingsAt,
    `\`${settingsAt}\` ${given}: for ${PROXY_FEATURE} it must be the JSON text of an object with \`publicKey\`, \`appName\`, \`origins\` and \`methods\``,
  );
}

/** What an organization has set. Null if its proxy is off, or if this version does not understand the value. */
export function proxySettingsOf({
  features,
}: {
  features: readonly Feature[];
}): ProxySettings | null {
  const feature = features.find(({ name }) => name === PROXY_FEATURE);
  if (!feature) return null;
  try {
    return readProxySettings(feature.value ?? undefined);
  } catch {
    return null;
  }
}

/** The users' key, from a value that may be malformed: only enough to ask for records. */
export function keyInSettings(value: string | undefined): string[] {
  try {
    return [readProxySettings(value).publicKey];
  } catch {
    return [];
  }
}

/** The user whose key the proxy has, as long as the organization has not deleted it. */
export function findProxyUser(document: OrganizationDocument): User | undefined {
  const publicKey = proxySettingsOf(document)?.publicKey;
  if (publicKey === undefined) return undefined;
  return document.users.find(({ apiKeys }) =>
    apiKeys.some(({ credential }) => credential.publicKey === publicKey),
  );
}
