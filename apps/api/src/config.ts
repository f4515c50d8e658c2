import { isIP, isIPv4 } from "node:net";
import { isAbsolute, join, resolve } from "node:path";
import { StartError } from "./start/start-error.ts";

/**
 * The only reader of the environment. Each variable is described once, in `described`; errors,
 * `--help` and the site's table speak from there.
 */
export type Config = {
  host: string;
  port: number;
  isLoopback: boolean;
  /** An origin, without a slash at its end. */
  publicUrl: string;
  dataDirectory: string;
  database: { kind: "pglite"; directory: string } | { kind: "postgres"; url: string };
  signer: { kind: "embedded" } | { kind: "socket"; path: string };
  signerStateDirectory: string;
  seal: "file";
  signup: "open" | "closed";
  rateLimit: { perSecond: number } | null;
  trustedProxies: AddressRange[];
  logLevel: LogLevel;
  metricsToken: string | null;
  /** Sentences for the log: what was set and has no effect. */
  warnings: string[];
};

export type AddressRange = { address: string; prefix: number; family: "ipv4" | "ipv6" };

export type LogLevel = (typeof logLevels)[number];

export type Variable = { name: string; default: string; accepted: string; description: string };

export type Environment = Record<string, string | undefined>;

export class ConfigError extends StartError {}

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

const described = {
  PORT: {
    default: "3000",
    accepted: "a whole number from 0 to 65535 (0 takes any free port)",
    description: "Port of the site, the API and everything else.",
  },
  HOST: {
    default: "127.0.0.1",
    accepted: "an IP address or a host name",
    description:
      "Address to listen on. Other machines reach the service only when this is not loopback.",
  },
  KEYHEARTH_PUBLIC_URL: {
    default: "http://localhost:PORT",
    accepted: "an http or https URL without path, query and user name",
    description: "Where people reach the service; links in messages and on the site start with it.",
  },
  KEYHEARTH_DATA_DIR: {
    default: "./data",
    accepted: "a directory",
    description: "Holds the embedded database and, unless set apart, the signer's state.",
  },
  DATABASE_URL: {
    default: "the embedded database in the data directory",
    accepted: "a URL of the form postgres://user:password@host:port/database",
    description:
      "PostgreSQL, or a database that speaks its protocol, in place of the embedded one.",
  },
  KEYHEARTH_SIGNER: {
    default: "embedded",
    accepted: "`embedded`, or `unix:` and an absolute path of at most 103 bytes",
    description:
      "Where the signer runs: in this process, or behind the socket of a signer process under another user id.",
  },
  KEYHEARTH_SIGNER_STATE: {
    default: "signer in the data directory",
    accepted: "a directory",
    description: "Root key file, keyring and marks of the embedded signer.",
  },
  KEYHEARTH_SEAL: {
    default: "file",
    accepted: "`file`",
    description: "What keeps the root key.",
  },
  KEYHEARTH_SIGNUP: {
    default: "closed",
    accepted: "`open` or `closed`",
    description: "Whether strangers may create organizations of their own.",
  },
  KEYHEARTH_RATE_LIMIT: {
    default: "off on a loopback HOST without trusted proxies, otherwise 60",
    accepted: "`off`, or a whole number from 1 to 1000000",
    description: "Requests a second that one client address may send.",
  },
  KEYHEARTH_TRUSTED_PROXIES: {
    default: "none",
    accepted: "IP addresses and ranges such as 10.0.0.0/8, separated by commas",
    description: "Proxies whose X-Forwarded-For header is believed.",
  },
  KEYHEARTH_LOG_LEVEL: {
    default: "info",
    accepted: `one of ${logLevels.join(", ")}`,
    description: "The least serious lines that are written to the log.",
  },
  KEYHEARTH_METRICS_TOKEN: {
    default: "none",
    accepted: "at least 16 printable ASCII characters without spaces",
    description: "Bearer token that opens /metrics to other machines than this one.",
  },
} satisfies Record<string, Omit<Variable, "name">>;

type Name = keyof typeof described;

/** Their meaning is settled, their features are not built; a set one must not look effective. */
const reserved =
  /^(KEYHEARTH_OIDC_ISSUERS|KEYHEARTH_WEBHOOK_PRIVATE_TARGETS|KEYHEARTH_ASSISTANT_(URL|KEY|MODEL)|ALGOLIA_\w+|SMTP_URL|TWILIO_\w+|SMS_WEBHOOK_URL)$/;

const laterSeals = ["shamir", "pkcs11", "aws-kms"];

export const variables: Variable[] = Object.entries(described).map(([name, rest]) => ({
  name,
  ...rest,
}));

/** Throws `ConfigError` at the first value that is not accepted. An empty value counts as unset. */
export function readConfig(env: Environment = process.env): Config {
  const host = readHost(env);
  const port = readPort(env);
  const isLoopback = isLoopbackHost(host);
  const dataDirectory = resolve(given(env, "KEYHEARTH_DATA_DIR") ?? "./data");
  const trustedProxies = readTrustedProxies(env);
  return {
    host,
    port,
    isLoopback,
    publicUrl: readPublicUrl(env) ?? defaultPublicUrl(port),
    dataDirectory,
    database: readDatabase(env, dataDirectory),
    signer: readSigner(env),
    signerStateDirectory: resolve(
      given(env, "KEYHEARTH_SIGNER_STATE") ?? join(dataDirectory, "signer"),
    ),
    seal: readSeal(env),
    signup: readSignup(env),
    // A proxy on the same machine brings the whole world to a loopback address.
    rateLimit: readRateLimit(env, { isOffByDefault: isLoopback && trustedProxies.length === 0 }),
    trustedProxies,
    logLevel: readLogLevel(env),
    metricsToken: readMetricsToken(env),
    warnings: collectWarnings(env, isLoopback),
  };
}

/** Exported for `PORT=0`, where the port is known only once the service listens. */
export function defaultPublicUrl(port: number): string {
  return `http://localhost:${port}`;
}

export function helpText(): string {
  const entries = variables.flatMap(({ name, default: initial, accepted, description }) => [
    `  ${name}`,
    `      ${description}`,
    `      Accepts ${accepted}.`,
    `      Default: ${initial}.`,
  ]);
  return `${["Usage: npm start", "", "Environment:", ...entries].join("\n")}\n`;
}

function readHost(env: Environment): string {
  const value = given(env, "HOST");
  if (value === undefined) return "127.0.0.1";
  const host = value.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  // What looks like a dotted number but is no address would be asked of a name server.
  const isName = /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)(\.(?!$)[a-z0-9_-]{1,63})*$/;
  if (isIP(host) === 0 && (!isName.test(host) || /^[\d.]+$/.test(host))) {
    throw refused("HOST", value);
  }
  return host;
}

function readPort(env: Environment): number {
  return readWholeNumber(env, "PORT", { least: 0, most: 65_535 }) ?? 3000;
}

function readPublicUrl(env: Environment): string | undefined {
  const name = "KEYHEARTH_PUBLIC_URL";
  const value = given(env, name);
  if (value === undefined) return undefined;
  const url = URL.parse(value);
  if (url?.username || url?.password) throw refusedSecret(name);
  if (!url || !["http:", "https:"].includes(url.protocol) || `${url.origin}/` !== url.href) {
    throw refused(name, value);
  }
  return url.origin;
}

function readDatabase(env: Environment, dataDirectory: string): Config["database"] {
  const url = given(env, "DATABASE_URL");
  if (url === undefined) return { kind: "pglite", directory: join(dataDirectory, "pglite") };
  // `postgres://user@/name?host=/run/postgresql` names a socket; URL itself wants a host there.
  if (!/^postgres(ql)?:\/\/./.test(url) || !URL.canParse(url.replace("@/", "@socket/"))) {
    throw refusedSecret("DATABASE_URL");
  }
  return { kind: "postgres", url };
}

function readSigner(env: Environment): Config["signer"] {
  const value = given(env, "KEYHEARTH_SIGNER") ?? "embedded";
  if (value === "embedded") return { kind: "embedded" };
  const path = value.startsWith("unix:") ? value.slice("unix:".length) : "";
  // The kernels keep 104 (BSD, macOS) or 108 (Linux) bytes for the path and its final zero.
  if (!isAbsolute(path) || Buffer.byteLength(path) > 103) throw refused("KEYHEARTH_SIGNER", value);
  return { kind: "socket", path };
}

function readSeal(env: Environment): Config["seal"] {
  const value = given(env, "KEYHEARTH_SEAL") ?? "file";
  if (value === "file") return value;
  if (laterSeals.includes(value)) {
    throw new ConfigError(
      `KEYHEARTH_SEAL is \`${value}\`, which this version does not offer yet; use \`file\``,
    );
  }
  throw refused("KEYHEARTH_SEAL", value);
}

function readSignup(env: Environment): Config["signup"] {
  const value = given(env, "KEYHEARTH_SIGNUP") ?? "closed";
  if (value === "open" || value === "closed") return value;
  throw refused("KEYHEARTH_SIGNUP", value);
}

function readRateLimit(
  env: Environment,
  { isOffByDefault }: { isOffByDefault: boolean },
): Config["rateLimit"] {
  const name = "KEYHEARTH_RATE_LIMIT";
  if (given(env, name) === "off") return null;
  const perSecond = readWholeNumber(env, name, { least: 1, most: 1_000_000 });
  if (perSecond !== undefined) return { perSecond };
  return isOffByDefault ? null : { perSecond: 60 };
}

function readTrustedProxies(env: Environment): AddressRange[] {
  const name = "KEYHEARTH_TRUSTED_PROXIES";
  const entries = given(env, name)?.split(",") ?? [];
  return entries.map((entry) => parseRange(entry.trim()) ?? raise(refused(name, entry.trim())));
}

function parseRange(text: string): AddressRange | undefined {
  const [address = "", prefix, ...rest] = text.split("/");
  if (isIP(address) === 0 || address.includes("%") || rest.length > 0) return undefined;
  const family = isIPv4(address) ? "ipv4" : "ipv6";
  const bits = family === "ipv4" ? 32 : 128;
  if (prefix === undefined) return { address, prefix: bits, family };
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > bits) return undefined;
  return { address, prefix: Number(prefix), family };
}

function readLogLevel(env: Environment): LogLevel {
  const value = given(env, "KEYHEARTH_LOG_LEVEL") ?? "info";
  return logLevels.find((level) => level === value) ?? raise(refused("KEYHEARTH_LOG_LEVEL", value));
}

function readMetricsToken(env: Environment): string | null {
  const value = given(env, "KEYHEARTH_METRICS_TOKEN");
  if (value === undefined) return null;
  if (!/^[\x21-\x7e]{16,}$/.test(value)) throw refusedSecret("KEYHEARTH_METRICS_TOKEN");
  return value;
}

function readWholeNumber(
  env: Environment,
  name: Name,
  { least, most }: { least: number; most: number },
): number | undefined {
  const value = given(env, name);
  if (value === undefined) return undefined;
  const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= least && number <= most)) throw refused(name, value);
  return number;
}

function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}

function collectWarnings(env: Environment, isLoopback: boolean): string[] {
  const warnings: string[] = [];
  for (const name of Object.keys(env).toSorted()) {
    if (given(env, name) === undefined || Object.hasOwn(described, name)) continue;
    if (reserved.test(name)) {
      warnings.push(`${name} is set but this version does not use it`);
    } else if (name.startsWith("KEYHEARTH_")) {
      warnings.push(
        `${name} is set but unknown; the nearest known variable is ${nearestName(name)}`,
      );
    }
  }
  if (!isLoopback && given(env, "KEYHEARTH_PUBLIC_URL") === undefined) {
    warnings.push(
      "KEYHEARTH_PUBLIC_URL is not set although HOST is not loopback; links will point to localhost",
    );
  }
  return warnings;
}

function nearestName(name: string): string {
  const names = variables.map((variable) => variable.name);
  const distances = names.map((candidate) => editDistance(name, candidate));
  return names[distances.indexOf(Math.min(...distances))] ?? "";
}

/** Levenshtein, one row at a time. */
function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}

function given(env: Environment, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

function refused(name: Name, value: string): ConfigError {
  const shown = value.length <= 80 ? value : `${value.slice(0, 80)}…`;
  return new ConfigError(`${name} is \`${shown}\` but must be ${described[name].accepted}`);
}

function refusedSecret(name: Name): ConfigError {
  return new ConfigError(
    `${name} has a value that is not accepted (not shown, it may hold a secret): it must be ${described[name].accepted}`,
  );
}

function raise(error: Error): never {
  throw error;
}
