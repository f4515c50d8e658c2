import { courierSecrets } from "@keyhearth/courier/secret-files";
import { courierVariables } from "@keyhearth/courier/settings";
import { DEFAULT_RATE_LIMITS, formatRateLimits } from "./rate-limits.ts";
import { ACCEPTED_RETENTION } from "./retention.ts";
import { StartError } from "./start-error.ts";
import { DEFAULT_STORAGE_LIMIT, formatBytes } from "./storage-limit.ts";

/**
 * The environment variables, each described once: errors, `--help` and the site's table use these
 * texts.
 */

export type Variable = { name: string; default: string; accepted: string; description: string };

export type Environment = Record<string, string | undefined>;

export class ConfigError extends StartError {}

export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

export type LogLevel = (typeof logLevels)[number];

/** Which colours a page has before its reader chooses. */
export const siteThemes = ["light", "system"] as const;

export type SiteTheme = (typeof siteThemes)[number];

export const described = {
  PORT: {
    default: "3000",
    accepted: "a whole number from 0 to 65535 (0 takes any free port)",
    description: "Port of the site, the API and everything else.",
  },
  HOST: {
    default: "127.0.0.1",
    accepted: "an IP address or a host name",
    description:
      "Address to listen on. Other machines can reach the service only if this is not loopback.",
  },
  KEYHEARTH_PUBLIC_URL: {
    default: "http://localhost:PORT",
    accepted: "an http or https URL without a path, query or user name",
    description: "URL at which people reach the service. The service prints it when it starts.",
  },
  KEYHEARTH_DATA_DIR: {
    default: "./data",
    accepted: "a directory",
    description: "Holds the embedded database and, by default, the signer's state.",
  },
  DATABASE_URL: {
    default: "the embedded database in the data directory",
    accepted:
      "a URL of the form postgres://user:password@host:port/database, or with several hosts: postgres://user:password@host:port,host:port/database?target_session_attrs=read-write",
    description:
      "PostgreSQL database, or one that speaks its protocol, to use instead of the embedded one. Of several hosts, the service uses the one that takes writes, and after a failover it finds the new one.",
  },
  DATABASE_READ_URL: {
    default: "none",
    accepted:
      "a URL as of DATABASE_URL, with one or several hosts; `target_session_attrs` may be standby, prefer-standby, read-only or any",
    description:
      "Standbys of the PostgreSQL of DATABASE_URL. Queries that read long lists are asked of one that has all that the primary had when the query came. If none has, the primary answers.",
  },
  DATABASE_POOLER: {
    default: "none",
    accepted: "`none` or `transaction`",
    description:
      "Whether DATABASE_URL, and DATABASE_READ_URL too, leads to a pooler that gives each transaction another session, such as pgbouncer with pool_mode = transaction. Then the service prepares no statements by name and leaves nothing in a session. A pooler in session mode needs no setting.",
  },
  KEYHEARTH_API_WORKERS: {
    default: "1",
    accepted: "a whole number from 1 to 8",
    description:
      "How many processes answer requests at PORT, each on a core of its own. More than one need DATABASE_URL and KEYHEARTH_SIGNER. They share one memory of limits: each has its part of every bound.",
  },
  KEYHEARTH_SIGNER: {
    default: "embedded",
    accepted:
      "`embedded`, `unix:` and an absolute path of at most 103 bytes, or `tls://` with a host and a port; up to 8 addresses of processes, separated by commas",
    description:
      "Where the signer runs: in this process, or as a separate process under another user id, reached through its socket, or by TLS on another machine. Of several addresses, the service uses the first that works, and goes on to another when it fails.",
  },
  KEYHEARTH_SIGNER_PINS: {
    default: "none",
    accepted:
      "lines such as keyhearth-signer:… that `pair` prints on the signers' machines, up to 16, separated by commas",
    description: "Keys by which the service knows the signers at `tls://` addresses.",
  },
  KEYHEARTH_SIGNER_KEY_PATH: {
    default: "`signer-door-key` in the data directory",
    accepted: "the path of a file, which the service makes if it is missing",
    description:
      "Holds the key that the service proves to signers at `tls://` addresses. Each machine has another one.",
  },
  KEYHEARTH_SIGNER_STATE: {
    default: "`signer` in the data directory",
    accepted: "a directory",
    description: "Holds the embedded signer's root key file, keyring and marks.",
  },
  KEYHEARTH_OIDC_ISSUERS: {
    default: "google,apple,facebook",
    accepted:
      "`none`, or names and issuer URLs separated by commas: `google`, `apple`, `facebook`, an https URL, or `private:` and a URL at a private address; add `=` and a path to read an issuer's keys from a file",
    description:
      "Whose OpenID Connect tokens the embedded signer accepts. It fetches the issuers' keys itself. A signer in its own process reads its own environment.",
  },
  KEYHEARTH_OAUTH2_PROVIDERS: {
    default: "x,discord",
    accepted:
      "`none`, or `x` and `discord`, separated by commas; `=` and the https origin of a double of the provider can follow, or `private:` and an http or https origin",
    description:
      "At which providers that only speak OAuth 2.0 the embedded signer exchanges codes. It asks them itself. A signer in its own process reads its own environment.",
  },
  KEYHEARTH_SEAL: {
    default: "file",
    accepted: "`file`",
    description: "How the root key is stored.",
  },
  KEYHEARTH_SIGNUP: {
    default: "closed",
    accepted: "`open` or `closed`",
    description:
      "Whether anyone may create an organization: at most 10 within an hour from one address and 1000 from all, and beyond that 5 from each network of a provider, unless requests are not limited.",
  },
  KEYHEARTH_LOGIN_PROVIDERS: {
    default: "none",
    accepted:
      "names of `oauthClientIds`, each with `=` and the https URL of the provider's authorization endpoint, separated by commas",
    description:
      "OpenID providers that the dashboard offers for logins, beside Google, where an organization's login proxy has a client of that name.",
  },
  KEYHEARTH_RATE_LIMIT: {
    default: `off if HOST and KEYHEARTH_PUBLIC_URL are loopback and no proxy is trusted, otherwise ${formatRateLimits(DEFAULT_RATE_LIMITS)}`,
    accepted:
      "`off`; or a whole number from 1 to 1000000, for requests of an address and of a credential; or parts of the default, separated by commas, each with such a number, with counts such as 3/10m+10/1d (up to 100 within up to 30 days; units s, m, h, d), with one count of up to 1000000 for families and totals, or with off",
    description:
      "Requests per second of one client address and of one credential; how many messages one contact gets from one family (a top-level organization with its sub-organizations) and from all; how many are sent for one userIdentifier, by the application and by the users of one family, and in total. Parts that are left out keep their defaults. API processes that share a database count together.",
  },
  KEYHEARTH_STORAGE_LIMIT: {
    default: formatBytes(DEFAULT_STORAGE_LIMIT),
    accepted: "`off`, or a whole number from 1 to 9999 and MiB, GiB or TiB, such as 500GiB",
    description:
      "How much one family (a top-level organization with its sub-organizations) may store in the database. Beyond it, its users can only read, vote, delete and log in, until the limit is raised.",
  },
  KEYHEARTH_RETENTION: {
    default: "deliveries=7d,feedback=365d",
    accepted: ACCEPTED_RETENTION,
    description:
      "After how many days the service deletes activities that have ended, with earlier versions of documents (history), deliveries to webhooks that have ended, and feedback about pages. Without history, these are kept. Receipts, wallets, keys and what waits for votes are always kept.",
  },
  KEYHEARTH_TRUSTED_PROXIES: {
    default: "none",
    accepted: "IP addresses and ranges such as 10.0.0.0/8, separated by commas",
    description: "Proxies whose X-Forwarded-For header the service trusts.",
  },
  KEYHEARTH_WEBHOOK_PRIVATE_TARGETS: {
    default: "none",
    accepted:
      "addresses, ranges such as 10.0.0.0/8 and host names, each with or without a port, separated by commas; each for all organizations, or with = and the id of the top-level organization that may send there",
    description:
      "Private targets that webhooks may reach, also by plain http. They reach public addresses by https only.",
  },
  KEYHEARTH_COURIER: {
    default: "embedded",
    accepted: "`embedded`, or `unix:` and an absolute path of at most 103 bytes",
    description:
      "Where the courier runs, the only part that can read messages: in this process, or as a separate process under another user id, reached through its socket. Set the variables from SMTP_URL to SMS_WEBHOOK_URL for a separate process, and not here.",
  },
  ...courierVariables,
  KEYHEARTH_LOG_LEVEL: {
    default: "info",
    accepted: `one of ${logLevels.join(", ")}`,
    description: "Lowest level of log lines that are written.",
  },
  KEYHEARTH_METRICS_TOKEN: {
    default: "none",
    accepted: "at least 16 printable ASCII characters without spaces",
    description: "Bearer token that lets other machines read /metrics.",
  },
  KEYHEARTH_TRACES: {
    default: "off",
    accepted:
      "`off`, or which part of the requests is traced: a number above 0 and up to 1, such as 1 or 0.05",
    description:
      "Sends traces of requests to the collector of OTEL_EXPORTER_OTLP_ENDPOINT, of at most 100 requests a second.",
  },
  KEYHEARTH_METRICS_PUSH: {
    default: "off",
    accepted: "`off`, or after how many seconds they are sent again: a whole number from 5 to 3600",
    description:
      "Sends the numbers of /metrics to the collector of OTEL_EXPORTER_OTLP_ENDPOINT, for machines that nobody can read them from.",
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    default: "http://localhost:4318",
    accepted: "an http or https URL without a user name, query or fragment",
    description:
      "Collector of OpenTelemetry, which takes OTLP over HTTP in JSON at /v1/traces and /v1/metrics below this URL. Nothing is sent while KEYHEARTH_TRACES and KEYHEARTH_METRICS_PUSH are off.",
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    default: "none",
    accepted:
      "pairs such as authorization=Bearer%20abc, separated by commas, with escapes as in URLs",
    description: "Headers that are sent to the collector.",
  },
  KEYHEARTH_ASSISTANT_URL: {
    default: "none",
    accepted:
      "an https URL, or an http URL at a private address, localhost or a name without a dot, without a user name, query or fragment",
    description:
      "Address of an API in the manner of OpenAI, such as https://models.example.com/v1, whose model writes the answers of the site's assistant. Without it, the assistant quotes the pages, in the browser.",
  },
  KEYHEARTH_ASSISTANT_MODEL: {
    default: "none",
    accepted: "the name of a model: up to 200 letters, digits and the signs ._:/@+-",
    description: "Model that KEYHEARTH_ASSISTANT_URL is asked for.",
  },
  KEYHEARTH_ASSISTANT_KEY: {
    default: "none",
    accepted: "up to 4096 printable ASCII characters without spaces",
    description: "Bearer token that is sent to KEYHEARTH_ASSISTANT_URL.",
  },
  KEYHEARTH_PROXY_KEY_PATH: {
    default: "`login-proxy-key` in the data directory",
    accepted: "the path of a file, which the service makes if it is missing",
    description:
      "Holds the secret of the keys with which the login proxy stamps. API processes of one installation need the same file.",
  },
  KEYHEARTH_CAPTCHA_URL: {
    default: "none",
    accepted: "an https URL, or an http URL of localhost, without a user name or fragment",
    description:
      "Where the login proxy asks whether a captcha was solved, in the manner of `siteverify` of Turnstile, hCaptcha and reCAPTCHA. Organizations ask for one with `captcha` in the settings of their proxy.",
  },
  KEYHEARTH_CAPTCHA_SECRET: {
    default: "none",
    accepted: "8 to 200 printable ASCII characters without spaces",
    description: "Secret that is sent to KEYHEARTH_CAPTCHA_URL.",
  },
  KEYHEARTH_CAPTCHA_SITE_KEY: {
    default: "none",
    accepted: "up to 200 printable ASCII characters without spaces",
    description: "Key with which pages show the captcha.",
  },
  KEYHEARTH_SITE_THEME: {
    default: "light",
    accepted: "`light` or `system`",
    description:
      "Colours of the pages until a reader chooses: light, or as the reader's system is, light or dark.",
  },
  KEYHEARTH_REHEARSAL: {
    default: "off",
    accepted: "`on` or `off`",
    description:
      "Opens a restored copy to try it, and sends nothing: no messages, no webhooks, nothing to issuers of tokens, and no work in the background. On loopback and a free port, at an address with a secret that it prints, without pages, until standard input ends. Takes only KEYHEARTH_DATA_DIR, DATABASE_URL and KEYHEARTH_LOG_LEVEL beside it.",
  },
  KEYHEARTH_FRAME_ANCESTORS: {
    default:
      "none; pages of localhost and 127.0.0.1 while HOST and KEYHEARTH_PUBLIC_URL are of this machine and KEYHEARTH_TRUSTED_PROXIES is not set",
    accepted:
      "`none`, or https origins such as https://app.example.com, separated by commas, without a path or wildcard; http only for localhost and 127.0.0.1",
    description:
      "Pages that may embed the frames below /frames/, which hold the keys of logins, exports and imports.",
  },
} satisfies Record<string, Omit<Variable, "name">>;

export type Name = keyof typeof described;

/** Variables that a file may hold: `_FILE` after the name, and the path as the value. */
export const secretVariables = [
  "DATABASE_URL",
  "DATABASE_READ_URL",
  "KEYHEARTH_METRICS_TOKEN",
  "OTEL_EXPORTER_OTLP_HEADERS",
  "KEYHEARTH_ASSISTANT_KEY",
  "KEYHEARTH_CAPTCHA_SECRET",
  ...courierSecrets,
] as const satisfies readonly Name[];

export const variables: Variable[] = Object.entries(described).map(([name, rest]) => ({
  name,
  ...rest,
}));

export function helpText(): string {
  const entries = variables.flatMap(({ name, default: initial, accepted, description }) => [
    `  ${name}`,
    `      ${description}`,
    `      Accepts ${accepted}.`,
    `      Default: ${initial}.`,
  ]);
  const options = [
    "  --demo",
    "      Also makes an organization to look around in: three people, a wallet, and a signature that waits for approval.",
    "  --check",
    "      Starts nothing: looks at settings, files, database and signer, and prints what it finds as JSON, for keyhearth doctor.",
  ];
  const files = [
    `${secretVariables.join(", ")} can be in files: name each with _FILE, such as DATABASE_URL_FILE=/run/secrets/database-url.`,
  ];
  return `${["Usage: npm start -- [--demo | --check]", "", "Options:", ...options, "", "Environment:", ...entries, "", ...files].join("\n")}\n`;
}

/** An empty value counts as unset. */
export function given(env: Environment, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

/**
 * For a variable that says where state is. Empty, it is almost always a template that was not filled
 * in, and the default would begin another installation.
 */
export function givenPlace(env: Environment, name: Name): string | undefined {
  const value = given(env, name);
  if (value === undefined && env[name] !== undefined) {
    throw new ConfigError(
      `${name} is set but empty; set it to ${described[name].accepted}, or unset it to use ${described[name].default}`,
    );
  }
  return value;
}

export function refused(name: Name, value: string): ConfigError {
  const shown = value.length <= 80 ? value : `${value.slice(0, 80)}…`;
  return new ConfigError(`${name} is \`${shown}\` but must be ${described[name].accepted}`);
}

export function refusedSecret(name: Name): ConfigError {
  return new ConfigError(
    `${name} has a value that is not accepted (not shown because it may hold a secret): it must be ${described[name].accepted}`,
  );
}
