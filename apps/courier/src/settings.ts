import { statSync } from "node:fs";
import { isIP } from "node:net";
import { resolve } from "node:path";
import { type Secret, secret } from "@keyhearth/crypto/secret";

/** From which domain whom mail may come: one top-level organization with its sub-organizations, or all if that is null. */
export type MailDomain = { domain: string; familyId: string | null };

/** How the courier sends, as its environment says. */
export type CourierSettings = {
  smtp: Smtp | null;
  /** Who sends a message that names no sender, or none that counts. */
  mailFrom: { name: string; address: string };
  /** Domains that an application may send from, in lower case. */
  mailFromDomains: MailDomain[];
  /** A directory of templates that applications name by their ids. */
  templates: string | null;
  /** Where invitations are accepted, without a slash at its end. */
  dashboardUrl: string | null;
  sms: Sms | null;
};

export type Smtp = {
  host: string;
  port: number;
  /** From the first byte, by STARTTLS, by STARTTLS if the server offers it, or never. */
  tls: "implicit" | "required" | "offered" | "off";
  login: { user: string; pass: Secret } | null;
  /** The name on the server's certificate, if it is not the host. For tests. */
  serverName?: string;
};

export type Sms =
  | { kind: "twilio"; accountSid: string; authToken: Secret; from: string; apiUrl?: string }
  | { kind: "webhook"; url: Secret };

/** The environment variables, described as those of the service are. */
export const courierVariables = {
  SMTP_URL: {
    default: "none",
    accepted:
      "a URL of the form smtps://user:password@host:port, or smtp:// for STARTTLS; with `?tls=off`, a connection without TLS",
    description: "Mail server that sends email. Without it, nothing is sent by email.",
  },
  KEYHEARTH_MAIL_FROM: {
    default: "none",
    accepted: "an email address, or a name and an address as in `Acme <login@example.com>`",
    description: "Sender of email. Must be set with SMTP_URL.",
  },
  KEYHEARTH_MAIL_FROM_DOMAINS: {
    default: "none",
    accepted:
      "domain names, separated by commas, each alone or with `=` and the id of the top-level organization that may send from it",
    description:
      "Domains that applications may send from: with an id, this organization and its sub-organizations, and without one, all. Where signup is open, each has an id. The sender, its name and the reply address of a request count only if the address is at one of them.",
  },
  KEYHEARTH_MAIL_TEMPLATES: {
    default: "none",
    accepted: "a directory that exists",
    description:
      "HTML templates of mail. An application's `templateId` names one of its files, without `.html`; an unknown one means the default. A directory in it whose name is the id of a top-level organization has templates for it alone.",
  },
  KEYHEARTH_DASHBOARD_URL: {
    default: "KEYHEARTH_PUBLIC_URL and `/dashboard`, where the service sends mail itself",
    accepted: "an https URL, or an http URL of this machine, without a query",
    description:
      "Where the dashboard is. The mail of an invitation leads there; without it, the mail has no link.",
  },
  TWILIO_ACCOUNT_SID: {
    default: "none",
    accepted: "`AC` and 32 hexadecimal digits",
    description: "Account at Twilio that sends SMS. Needs TWILIO_AUTH_TOKEN and TWILIO_FROM.",
  },
  TWILIO_AUTH_TOKEN: {
    default: "none",
    accepted: "the token of the account",
    description: "Secret of the account at Twilio.",
  },
  TWILIO_FROM: {
    default: "none",
    accepted: "a phone number such as +14155550100, or the id of a messaging service (`MG…`)",
    description: "Sender of SMS by Twilio.",
  },
  SMS_WEBHOOK_URL: {
    default: "none",
    accepted: "an http or https URL",
    description:
      "Sends SMS by a POST of JSON with `to`, `text` and `messageId` to this URL, instead of by Twilio. It may be at a private address.",
  },
} as const;

export type CourierVariable = keyof typeof courierVariables;

export type Environment = Record<string, string | undefined>;

/** One sentence that names the variable. */
export class SettingError extends Error {}

/** Throws `SettingError` at the first value that is not accepted. */
export function readCourierSettings(env: Environment): CourierSettings {
  const smtp = readSmtp(env);
  const from = given(env, "KEYHEARTH_MAIL_FROM");
  if (smtp && from === undefined) {
    throw new SettingError(
      `KEYHEARTH_MAIL_FROM must be set with SMTP_URL, to ${courierVariables.KEYHEARTH_MAIL_FROM.accepted}`,
    );
  }
  return {
    smtp,
    mailFrom: from === undefined ? NOBODY : readSender(from),
    mailFromDomains: readDomains(env),
    templates: readTemplates(env),
    dashboardUrl: readDashboardUrl(env),
    sms: readSms(env),
  };
}

const NOBODY = { name: "Keyhearth", address: "no-reply@localhost.invalid" };

const LOCAL = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;

function readSmtp(env: Environment): Smtp | null {
  const text = given(env, "SMTP_URL");
  if (text === undefined) return null;
  const url = URL.parse(text);
  const host = url?.hostname.replace(/^\[(.*)\]$/, "$1") ?? "";
  const tls = url?.searchParams.get("tls") ?? null;
  const isKnown = url && ["smtp:", "smtps:"].includes(url.protocol) && host !== "";
  const hasOther = url && [...url.searchParams.keys()].some((key) => key !== "tls");
  const isPlain = ["", "/"].includes(url?.pathname ?? "") && !url?.hash;
  const user = decode(url?.username ?? "");
  const pass = decode(url?.password ?? "");
  if (!isKnown || !isPlain || hasOther || !(tls === null || tls === "off")) {
    throw refusedSecret("SMTP_URL");
  }
  if (user === null || pass === null || (url.protocol === "smtps:" && tls === "off")) {
    throw refusedSecret("SMTP_URL");
  }
  const isImplicit = url.protocol === "smtps:";
  return {
    host,
    port: Number(url.port) || (isImplicit ? 465 : 587),
    tls: isImplicit ? "implicit" : (tls ?? (LOCAL.test(host) ? "offered" : "required")),
    login: user === "" ? null : { user, pass: secret(pass) },
  };
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

const ADDRESS = /^[^\s@<>"(),:;\\[\]]+@([a-z0-9-]+\.)*[a-z0-9-]+$/i;

function readSender(text: string): { name: string; address: string } {
  const [, name = "", inner] = /^([^<>\r\n"]*)<([^<>]+)>$/.exec(text) ?? [];
  const address = (inner ?? text).trim();
  if (!ADDRESS.test(address)) throw refused("KEYHEARTH_MAIL_FROM", text);
  return { name: name.trim(), address };
}

function readDomains(env: Environment): MailDomain[] {
  const name = "KEYHEARTH_MAIL_FROM_DOMAINS";
  const entries = given(env, name)?.split(",") ?? [];
  return entries.map((entry) => {
    const text = entry.trim().toLowerCase();
    const [domain = "", familyId = null, ...others] = text.split("=");
    const isDomain = /^([a-z0-9-]+\.)+[a-z0-9-]+$/.test(domain) && !isIP(domain);
    const isFamily = familyId === null || UUID.test(familyId);
    if (!isDomain || !isFamily || others.length > 0) throw refused(name, text);
    return { domain, familyId };
  });
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

function readTemplates(env: Environment): string | null {
  const name = "KEYHEARTH_MAIL_TEMPLATES";
  const path = given(env, name);
  if (path === undefined) return null;
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw refused(name, path);
  return resolve(path);
}

function readDashboardUrl(env: Environment): string | null {
  const name = "KEYHEARTH_DASHBOARD_URL";
  const text = given(env, name);
  if (text === undefined) return null;
  const url = URL.parse(text);
  const isReachable =
    url?.protocol === "https:" || (url?.protocol === "http:" && LOCAL.test(url.hostname));
  if (!isReachable || url.username || url.password || url.search || url.hash) {
    throw text.includes("@") ? refusedSecret(name) : refused(name, text);
  }
  return url.href.replace(/\/+$/, "");
}

function readSms(env: Environment): Sms | null {
  const url = given(env, "SMS_WEBHOOK_URL");
  const names = ["TWILIO_ACCOUNT_SID", "TWILIO_AUTH_TOKEN", "TWILIO_FROM"] as const;
  const [accountSid, authToken, from] = names.map((name) => given(env, name));
  const missing = names.filter((name) => given(env, name) === undefined);
  if (missing.length === names.length) return url === undefined ? null : readWebhook(url);
  if (url !== undefined) {
    throw new SettingError(
      "SMS_WEBHOOK_URL and TWILIO_ACCOUNT_SID are both set; unset one of them, because one provider sends SMS",
    );
  }
  if (accountSid === undefined || authToken === undefined || from === undefined) {
    throw new SettingError(
      `${missing.join(" and ")} must be set too, because Twilio needs all of ${names.join(", ")}`,
    );
  }
  if (!/^AC[0-9a-f]{32}$/i.test(accountSid)) throw refused("TWILIO_ACCOUNT_SID", accountSid);
  if (!/^(\+[1-9]\d{3,14}|MG[0-9a-f]{32})$/i.test(from)) throw refused("TWILIO_FROM", from);
  return { kind: "twilio", accountSid, authToken: secret(authToken), from };
}

function readWebhook(text: string): Sms {
  const url = URL.parse(text);
  const isWeb = url && ["http:", "https:"].includes(url.protocol);
  if (!isWeb || url.username !== "" || url.password !== "") throw refusedSecret("SMS_WEBHOOK_URL");
  return { kind: "webhook", url: secret(url.href) };
}

/** An empty value counts as unset. */
function given(env: Environment, name: CourierVariable): string | undefined {
  return env[name]?.trim() || undefined;
}

function refused(name: CourierVariable, value: string): SettingError {
  const shown = value.length <= 80 ? value : `${value.slice(0, 80)}…`;
  return new SettingError(`${name} is \`${shown}\` but must be ${courierVariables[name].accepted}`);
}

function refusedSecret(name: CourierVariable): SettingError {
  return new SettingError(
    `${name} has a value that is not accepted (not shown because it may hold a secret): it must be ${courierVariables[name].accepted}`,
  );
}
