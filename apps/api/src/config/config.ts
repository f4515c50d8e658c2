import { isIP, isIPv4 } from "node:net";
import { availableParallelism } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { readSecretFiles } from "@keyhearth/courier/secret-files";
import {
  type CourierSettings,
  readCourierSettings,
  SettingError,
} from "@keyhearth/courier/settings";
import { type Secret, secret } from "@keyhearth/crypto/secret";
import { LOOPBACK, parseAncestors } from "@keyhearth/frames/ancestors";
import type { Pin } from "@keyhearth/outbound/door-key";
import { type AssistantModel, readAssistant } from "./assistant-model.ts";
import { type CaptchaSettings, readCaptcha } from "./captcha.ts";
import { STANDBY_TARGETS, urlsOfHosts } from "./database-url.ts";
import { type LoginProvider, readLoginProviders } from "./login-providers.ts";
import {
  openedToStrangers,
  type PrivateReceiver,
  readPrivateReceivers,
} from "./private-receivers.ts";
import { DEFAULT_RATE_LIMITS, parseRateLimits, type RateLimits } from "./rate-limits.ts";
import { forRehearsal } from "./rehearsal.ts";
import { DEFAULT_RETENTION, parseRetention, type Retention } from "./retention.ts";
import { parsePins, parseSignerAddresses, type SignerAddress } from "./signer-addresses.ts";
import { DEFAULT_STORAGE_LIMIT, parseStorageLimit } from "./storage-limit.ts";
import {
  type MetricsPushSettings,
  readMetricsPush,
  readTraces,
  type TracesSettings,
} from "./telemetry.ts";
import {
  ConfigError,
  described,
  type Environment,
  given,
  givenPlace,
  type LogLevel,
  logLevels,
  type Name,
  refused,
  refusedSecret,
  type SiteTheme,
  secretVariables,
  siteThemes,
} from "./variables.ts";
import {
  collectWarnings,
  EMBEDDED_SIGNER,
  moreWorkersThanCores,
  UNLISTED_PROXY,
} from "./warnings.ts";

/** The service's configuration. This file is the only reader of the environment. */
export type Config = {
  host: string;
  port: number;
  isLoopback: boolean;
  /** Nobody but the one who starts it reaches the service, as far as its settings say. */
  isForDeveloper: boolean;
  /** An origin, without a trailing slash. */
  publicUrl: string;
  dataDirectory: string;
  database:
    | { kind: "pglite"; directory: string }
    | { kind: "postgres"; url: Secret; isPooled: boolean; standbyUrl: Secret | null };
  signer: { kind: "embedded" } | SignerProcesses;
  signerStateDirectory: string;
  /** How many processes answer at the port. */
  apiWorkers: number;
  courier: { kind: "embedded"; settings: CourierSettings } | { kind: "socket"; path: string };
  /** Whether /mailbox shows messages instead of a mail server. */
  hasMailbox: boolean;
  /** For the embedded signer, which reads it. */
  oidcIssuers: string | undefined;
  oauth2Providers: string | undefined;
  seal: "file";
  signup: "open" | "closed";
  loginProviders: LoginProvider[];
  /** Null if nothing is limited. */
  rateLimit: RateLimits | null;
  /** How many bytes a family may store. Null if any number. */
  storageLimit: number | null;
  retention: Retention;
  trustedProxies: AddressRange[];
  webhookPrivateTargets: PrivateReceiver[];
  logLevel: LogLevel;
  metricsToken: Secret | null;
  /** Null if no traces are sent. */
  traces: TracesSettings | null;
  /** Null if the numbers of `/metrics` are sent nowhere. */
  metricsPush: MetricsPushSettings | null;
  /** Null if the assistant of the site quotes the pages, and asks no model. */
  assistant: AssistantModel | null;
  /** Where the secret of the login proxy's keys is, if not in the data directory. */
  proxyKeyFile: string | undefined;
  /** Null if the login proxy can ask for no captcha. */
  captcha: CaptchaSettings | null;
  /** Of the pages, before a reader chooses. */
  siteTheme: SiteTheme;
  /** Whether a restored copy is opened that must reach nobody. */
  isRehearsal: boolean;
  /** Who may embed the frames, as `frame-ancestors` has them. Null if nobody may. */
  frameAncestors: string | null;
  /** Sentences for the log about variables that are set and have no effect. */
  warnings: string[];
};

/** One or several processes, of which one works at a time. */
export type SignerProcesses = {
  kind: "socket";
  addresses: SignerAddress[];
  /** The keys that a signer on another machine may prove. Empty if all are on this machine. */
  pins: Pin[];
  /** The file of the key that this process proves to them. */
  keyFile: string;
};

export type AddressRange = { address: string; prefix: number; family: "ipv4" | "ipv6" };

/** Throws `ConfigError` at the first value that is not accepted. */
export function readConfig(environment: Environment = process.env): Config {
  const { isRehearsal, env } = forRehearsal(readSecrets(environment));
  const host = readHost(env);
  const port = readPort(env);
  const isLoopback = isLoopbackHost(host);
  const dataDirectory = resolve(givenPlace(env, "KEYHEARTH_DATA_DIR") ?? "./data");
  const trustedProxies = readTrustedProxies(env);
  const signup = readSignup(env);
  const courier = readCourier(env);
  const signer = readSigner(env, dataDirectory);
  const apiWorkers = readApiWorkers(env, signer);
  const publicUrl = readPublicUrl(env) ?? defaultPublicUrl(port);
  // With a proxy on the same machine, the whole world reaches a loopback address, also if nobody has listed the proxy.
  const isWithoutListedProxy = isLoopback && trustedProxies.length === 0;
  // What is for a developer is not there if anybody else may reach the service, by a proxy or by its name.
  const isForDeveloper = isWithoutListedProxy && isLoopbackHost(hostnameOf(publicUrl));
  const webhookPrivateTargets = readPrivateReceivers(env);
  const rateLimit = readRateLimit(env, { isOffByDefault: isForDeveloper });
  const hasUnlistedProxy = isWithoutListedProxy && !isForDeveloper;
  return {
    host,
    port,
    isLoopback,
    isForDeveloper,
    publicUrl,
    dataDirectory,
    database: readDatabase(env, dataDirectory),
    signer,
    signerStateDirectory: resolve(
      givenPlace(env, "KEYHEARTH_SIGNER_STATE") ?? join(dataDirectory, "signer"),
    ),
    apiWorkers,
    courier,
    hasMailbox: isForDeveloper && courier.kind === "embedded" && courier.settings.smtp === null,
    oidcIssuers: given(env, "KEYHEARTH_OIDC_ISSUERS"),
    oauth2Providers: given(env, "KEYHEARTH_OAUTH2_PROVIDERS"),
    seal: readSeal(env),
    signup,
    loginProviders: readLoginProviders(env),
    rateLimit,
    storageLimit: readStorageLimit(env),
    retention: readRetention(env),
    trustedProxies,
    webhookPrivateTargets,
    logLevel: readLogLevel(env),
    metricsToken: readMetricsToken(env),
    traces: readTraces(env),
    metricsPush: readMetricsPush(env),
    assistant: readAssistant(env),
    proxyKeyFile: readProxyKeyFile(env),
    captcha: readCaptcha(env),
    siteTheme: readSiteTheme(env),
    isRehearsal,
    frameAncestors: readFrameAncestors(env, { isForDeveloper }),
    warnings: [
      ...collectWarnings(env, {
        isLoopback,
        isSeparate: courier.kind === "socket",
        hasRemoteSigner: signer.kind === "socket" && signer.pins.length > 0,
      }),
      ...(apiWorkers > availableParallelism() ? [moreWorkersThanCores(apiWorkers)] : []),
      ...(hasUnlistedProxy && rateLimit !== null ? [UNLISTED_PROXY] : []),
      ...(signer.kind === "embedded" && !isForDeveloper ? [EMBEDDED_SIGNER] : []),
      ...(signup === "open" && rateLimit === null ? [UNLIMITED_SIGNUP] : []),
      ...(signup === "open" && !isForDeveloper ? openedToStrangers(webhookPrivateTargets) : []),
    ],
  };
}

const UNLIMITED_SIGNUP =
  "KEYHEARTH_SIGNUP is open and requests are not limited: anyone who reaches the service can create any number of organizations; KEYHEARTH_RATE_LIMIT limits that too";

/** Exported for `PORT=0`, where the port is known only once the service listens. */
export function defaultPublicUrl(port: number): string {
  return `http://localhost:${port}`;
}

/** More on one machine would divide what they share into parts that are too small. */
const MOST_API_WORKERS = 8;

const laterSeals = ["shamir", "pkcs11", "aws-kms"];

function readSecrets(env: Environment): Environment {
  try {
    return readSecretFiles(env, secretVariables);
  } catch (cause) {
    if (!(cause instanceof SettingError)) throw cause;
    throw new ConfigError(cause.message, { cause });
  }
}

function readHost(env: Environment): string {
  const value = given(env, "HOST");
  if (value === undefined) return "127.0.0.1";
  const host = value.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  // A dotted number that is not an address would be looked up at a name server.
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
  const url = givenPlace(env, "DATABASE_URL");
  if (url === undefined) {
    assertWithoutServer(env, ["DATABASE_READ_URL", "DATABASE_POOLER"]);
    return { kind: "pglite", directory: join(dataDirectory, "pglite") };
  }
  if (!urlsOfHosts(url)) throw refusedSecret("DATABASE_URL");
  const isPooled = readPooler(env);
  return { kind: "postgres", url: secret(url), isPooled, standbyUrl: readStandbyUrl(env) };
}

function readStandbyUrl(env: Environment): Secret | null {
  const url = given(env, "DATABASE_READ_URL");
  if (url === undefined) return null;
  if (!urlsOfHosts(url, STANDBY_TARGETS)) throw refusedSecret("DATABASE_READ_URL");
  return secret(url);
}

/** With one of these alone, somebody meant a database other than the embedded one. */
function assertWithoutServer(env: Environment, names: Name[]) {
  const alone = names.find((name) => given(env, name) !== undefined);
  if (alone === undefined) return;
  throw new ConfigError(
    `${alone} is set but DATABASE_URL is not, so the service would use the embedded database; set DATABASE_URL, or unset ${alone}`,
  );
}

/** Whether each transaction may get another session. */
function readPooler(env: Environment): boolean {
  const value = given(env, "DATABASE_POOLER") ?? "none";
  if (value !== "none" && value !== "transaction") throw refused("DATABASE_POOLER", value);
  return value === "transaction";
}

function readSigner(env: Environment, dataDirectory: string): Config["signer"] {
  const name = "KEYHEARTH_SIGNER";
  const value = givenPlace(env, name) ?? "embedded";
  const keyFile = givenPlace(env, "KEYHEARTH_SIGNER_KEY_PATH");
  const pins = readPins(env);
  if (value === "embedded") return { kind: "embedded" };
  const addresses = parseSignerAddresses(value) ?? raise(refused(name, value));
  if ("problem" in addresses) {
    throw new ConfigError(`${name} ${addresses.problem}: it must be ${described[name].accepted}`);
  }
  const remote = addresses.find(({ kind }) => kind === "tls");
  if (remote && pins.length === 0) {
    throw new ConfigError(
      `${name} has ${remote.text}, but KEYHEARTH_SIGNER_PINS is not set, so the service could not tell that signer from another; set it to what \`npm run -s signer -- pair\` prints on the signer's machine`,
    );
  }
  return {
    kind: "socket",
    addresses,
    pins: remote ? pins : [],
    keyFile: resolve(keyFile ?? join(dataDirectory, "signer-door-key")),
  };
}

function readPins(env: Environment): Pin[] {
  const name = "KEYHEARTH_SIGNER_PINS";
  const value = given(env, name);
  return value === undefined ? [] : (parsePins(value) ?? raise(refused(name, value)));
}

function readCourier(env: Environment): Config["courier"] {
  const path = readSocketPath(env, "KEYHEARTH_COURIER");
  if (path !== null) return { kind: "socket", path };
  try {
    const settings = readCourierSettings(env);
    assertOwnedDomains(env, settings);
    const publicUrl = readPublicUrl(env);
    // Where nobody said how people reach the service, a link would lead to each reader's own machine.
    const own = publicUrl === undefined ? null : `${publicUrl}/dashboard`;
    return {
      kind: "embedded",
      settings: { ...settings, dashboardUrl: settings.dashboardUrl ?? own },
    };
  } catch (cause) {
    if (!(cause instanceof SettingError)) throw cause;
    throw new ConfigError(cause.message, { cause });
  }
}

/** Anybody could create an organization and send mail from a domain that all may use, by a server that signs for it. */
function assertOwnedDomains(env: Environment, { mailFromDomains }: CourierSettings) {
  const name = "KEYHEARTH_MAIL_FROM_DOMAINS";
  const shared = mailFromDomains.find(({ familyId }) => familyId === null);
  if (shared === undefined || readSignup(env) === "closed") return;
  throw new ConfigError(
    `KEYHEARTH_SIGNUP is open, so ${name} must say which organization may send from ${shared.domain}: add = and the id of a top-level organization`,
  );
}

/** Null for `embedded`. */
function readSocketPath(env: Environment, name: Name): string | null {
  const value = givenPlace(env, name) ?? "embedded";
  if (value === "embedded") return null;
  const path = value.startsWith("unix:") ? value.slice("unix:".length) : "";
  // Kernels reserve 104 (BSD, macOS) or 108 (Linux) bytes for the path and its final zero.
  if (!isAbsolute(path) || Buffer.byteLength(path) > 103) throw refused(name, value);
  return path;
}

/** One process has the embedded database, and the embedded signer. */
function readApiWorkers(env: Environment, signer: Config["signer"]): number {
  const name = "KEYHEARTH_API_WORKERS";
  const workers = readWholeNumber(env, name, { least: 1, most: MOST_API_WORKERS }) ?? 1;
  if (workers === 1) return workers;
  const missing = [
    { variable: "DATABASE_URL", embedded: "database", isMissing: !given(env, "DATABASE_URL") },
    { variable: "KEYHEARTH_SIGNER", embedded: "signer", isMissing: signer.kind === "embedded" },
  ].filter(({ isMissing }) => isMissing);
  if (missing.length === 0) return workers;
  const names = missing.map(({ variable }) => variable).join(" and ");
  const what = missing.map(({ embedded }) => embedded).join(" and ");
  const [are, belong] = missing.length === 1 ? ["is", "belongs"] : ["are", "belong"];
  throw new ConfigError(
    `${name} is \`${workers}\`, but ${names} ${are} not set, and the embedded ${what} ${belong} to one process; set ${names}, or unset ${name}`,
  );
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
  const value = given(env, name);
  if (value === undefined) return isOffByDefault ? null : DEFAULT_RATE_LIMITS;
  if (value === "off") return null;
  return parseRateLimits(value) ?? raise(refused(name, value));
}

function readStorageLimit(env: Environment): Config["storageLimit"] {
  const name = "KEYHEARTH_STORAGE_LIMIT";
  const value = given(env, name);
  if (value === undefined) return DEFAULT_STORAGE_LIMIT;
  if (value === "off") return null;
  return parseStorageLimit(value) ?? raise(refused(name, value));
}

function readRetention(env: Environment): Retention {
  const name = "KEYHEARTH_RETENTION";
  const value = given(env, name);
  if (value === undefined) return DEFAULT_RETENTION;
  return parseRetention(value) ?? raise(refused(name, value));
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

function readSiteTheme(env: Environment): SiteTheme {
  const value = given(env, "KEYHEARTH_SITE_THEME") ?? "light";
  return (
    siteThemes.find((theme) => theme === value) ?? raise(refused("KEYHEARTH_SITE_THEME", value))
  );
}

/** Earlier releases had it in their template of `api.env`, where it may still stand. */
const SHOWN_TOKEN = "replace-this-with-a-long-random-text";

function readMetricsToken(env: Environment): Secret | null {
  const value = given(env, "KEYHEARTH_METRICS_TOKEN");
  if (value === undefined) return null;
  if (value === SHOWN_TOKEN) {
    throw new ConfigError(
      "KEYHEARTH_METRICS_TOKEN is still the text of the template, which everybody knows; set it to what `openssl rand -hex 32` prints, or unset it",
    );
  }
  if (!/^[\x21-\x7e]{16,}$/.test(value)) throw refusedSecret("KEYHEARTH_METRICS_TOKEN");
  return secret(value);
}

function readFrameAncestors(
  env: Environment,
  { isForDeveloper }: { isForDeveloper: boolean },
): string | null {
  const name = "KEYHEARTH_FRAME_ANCESTORS";
  const value = given(env, name);
  if (value === undefined) return isForDeveloper ? LOOPBACK : null;
  if (value === "none") return null;
  return parseAncestors(value) ?? raise(refused(name, value));
}

function readProxyKeyFile(env: Environment): string | undefined {
  const path = givenPlace(env, "KEYHEARTH_PROXY_KEY_PATH");
  return path === undefined ? undefined : resolve(path);
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

function hostnameOf(url: string): string {
  return new URL(url).hostname.replace(/^\[(.*)\]$/, "$1");
}

function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}

function raise(error: Error): never {
  throw error;
}
