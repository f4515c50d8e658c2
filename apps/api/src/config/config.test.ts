import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { inspect } from "node:util";
import { secret } from "@keyhearth/crypto/secret";
import { describe, expect, onTestFinished, test } from "vitest";
import { createLog } from "../observability/log.ts";
import { defaultPublicUrl, readConfig } from "./config.ts";
import { DEFAULT_RATE_LIMITS, formatRateLimits, parseRateLimits } from "./rate-limits.ts";
import { DEFAULT_RETENTION } from "./retention.ts";
import { formatBytes } from "./storage-limit.ts";
import { ConfigError, helpText, secretVariables, variables } from "./variables.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

test("an empty environment gives a working loopback service with the embedded database", () => {
  expect(readConfig({})).toEqual({
    host: "127.0.0.1",
    port: 3000,
    isLoopback: true,
    isForDeveloper: true,
    publicUrl: "http://localhost:3000",
    dataDirectory: resolve("data"),
    database: { kind: "pglite", directory: resolve("data/pglite") },
    signer: { kind: "embedded" },
    signerStateDirectory: resolve("data/signer"),
    apiWorkers: 1,
    courier: {
      kind: "embedded",
      settings: {
        smtp: null,
        mailFrom: { name: "Keyhearth", address: "no-reply@localhost.invalid" },
        mailFromDomains: [],
        templates: null,
        dashboardUrl: null,
        sms: null,
      },
    },
    hasMailbox: true,
    seal: "file",
    signup: "closed",
    loginProviders: [],
    rateLimit: null,
    storageLimit: 10 * 1024 ** 3,
    retention: { historyMs: null, deliveriesMs: 7 * DAY_MS, feedbackMs: 365 * DAY_MS },
    trustedProxies: [],
    webhookPrivateTargets: [],
    logLevel: "info",
    metricsToken: null,
    traces: null,
    metricsPush: null,
    assistant: null,
    proxyKeyFile: undefined,
    captcha: null,
    siteTheme: "light",
    isRehearsal: false,
    frameAncestors: "http://localhost:* http://127.0.0.1:*",
    warnings: [],
  });
});

test("every variable is read", () => {
  expect(
    readConfig({
      PORT: "8443",
      HOST: "0.0.0.0",
      KEYHEARTH_PUBLIC_URL: "https://Keys.example.com/",
      KEYHEARTH_DATA_DIR: "/var/lib/keyhearth",
      DATABASE_URL: "postgres://keyhearth:secret@db:5432/keyhearth",
      DATABASE_READ_URL:
        "postgres://keyhearth:secret@db2,db3/keyhearth?target_session_attrs=standby",
      DATABASE_POOLER: "transaction",
      KEYHEARTH_API_WORKERS: "2",
      KEYHEARTH_SIGNER: "unix:/run/keyhearth/signer.sock",
      KEYHEARTH_SIGNER_STATE: "/var/lib/keyhearth-signer",
      KEYHEARTH_SEAL: "file",
      KEYHEARTH_SIGNUP: "open",
      KEYHEARTH_LOGIN_PROVIDERS: "acme=https://id.example.com/auth",
      KEYHEARTH_RATE_LIMIT: "250",
      KEYHEARTH_STORAGE_LIMIT: "2TiB",
      KEYHEARTH_RETENTION: "history=400d, deliveries=3d",
      KEYHEARTH_TRUSTED_PROXIES: "10.0.0.0/8, 192.0.2.7,2001:db8::/32",
      KEYHEARTH_WEBHOOK_PRIVATE_TARGETS:
        "10.0.0.0/8, receiver.internal:8080=019a9a51-7c3e-7d21-8a44-5b6c7d8e9f00",
      KEYHEARTH_LOG_LEVEL: "debug",
      KEYHEARTH_METRICS_TOKEN: "0123456789abcdef",
      KEYHEARTH_TRACES: "0.25",
      KEYHEARTH_METRICS_PUSH: "60",
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.example.com/otlp/",
      OTEL_EXPORTER_OTLP_HEADERS: "Authorization=Bearer%20abc, x-tenant=acme",
      KEYHEARTH_ASSISTANT_URL: "https://models.example.com/v1/",
      KEYHEARTH_ASSISTANT_MODEL: "acme/small-3:free",
      KEYHEARTH_ASSISTANT_KEY: "sk-0123456789",
      KEYHEARTH_PROXY_KEY_PATH: "/run/secrets/login-proxy-key",
      KEYHEARTH_CAPTCHA_URL: "https://captcha.example.com/siteverify",
      KEYHEARTH_CAPTCHA_SECRET: "sixth-secret",
      KEYHEARTH_CAPTCHA_SITE_KEY: "site-key",
      KEYHEARTH_SITE_THEME: "system",
      KEYHEARTH_FRAME_ANCESTORS: "https://app.example.com, https://admin.example.com:8443/",
      KEYHEARTH_MAIL_FROM: "Acme <login@example.com>",
      KEYHEARTH_MAIL_FROM_DOMAINS:
        "Example.com=01900000-0000-7000-8000-00000000000A, example.org=01900000-0000-7000-8000-00000000000b",
      KEYHEARTH_MAIL_TEMPLATES: "/tmp",
      KEYHEARTH_DASHBOARD_URL: "https://dashboard.example.com/",
      SMTP_URL: "smtps://keyhearth:p%40ss@mail.example.com",
      SMS_WEBHOOK_URL: "http://10.0.0.1/sms",
    }),
  ).toEqual({
    host: "0.0.0.0",
    port: 8443,
    isLoopback: false,
    isForDeveloper: false,
    publicUrl: "https://keys.example.com",
    dataDirectory: "/var/lib/keyhearth",
    database: { kind: "postgres", url: secret(""), isPooled: true, standbyUrl: secret("") },
    signer: {
      kind: "socket",
      addresses: [
        {
          kind: "unix",
          path: "/run/keyhearth/signer.sock",
          text: "unix:/run/keyhearth/signer.sock",
        },
      ],
      pins: [],
      keyFile: "/var/lib/keyhearth/signer-door-key",
    },
    signerStateDirectory: "/var/lib/keyhearth-signer",
    apiWorkers: 2,
    courier: {
      kind: "embedded",
      settings: {
        smtp: {
          host: "mail.example.com",
          port: 465,
          tls: "implicit",
          login: { user: "keyhearth", pass: secret("") },
        },
        mailFrom: { name: "Acme", address: "login@example.com" },
        mailFromDomains: [
          { domain: "example.com", familyId: "01900000-0000-7000-8000-00000000000a" },
          { domain: "example.org", familyId: "01900000-0000-7000-8000-00000000000b" },
        ],
        templates: "/tmp",
        dashboardUrl: "https://dashboard.example.com",
        sms: { kind: "webhook", url: secret("") },
      },
    },
    hasMailbox: false,
    seal: "file",
    signup: "open",
    loginProviders: [{ name: "acme", authorizationEndpoint: "https://id.example.com/auth" }],
    rateLimit: { ...DEFAULT_RATE_LIMITS, address: 250, credential: 250 },
    storageLimit: 2 * 1024 ** 4,
    retention: { historyMs: 400 * DAY_MS, deliveriesMs: 3 * DAY_MS, feedbackMs: 365 * DAY_MS },
    trustedProxies: [
      { address: "10.0.0.0", prefix: 8, family: "ipv4" },
      { address: "192.0.2.7", prefix: 32, family: "ipv4" },
      { address: "2001:db8::", prefix: 32, family: "ipv6" },
    ],
    webhookPrivateTargets: [
      { target: "10.0.0.0/8", familyId: null },
      { target: "receiver.internal:8080", familyId: "019a9a51-7c3e-7d21-8a44-5b6c7d8e9f00" },
    ],
    logLevel: "debug",
    metricsToken: secret(""),
    traces: {
      share: 0.25,
      url: "https://collector.example.com/otlp/v1/traces",
      headers: { authorization: secret(""), "x-tenant": secret("") },
    },
    metricsPush: {
      everyMs: 60_000,
      url: "https://collector.example.com/otlp/v1/metrics",
      headers: { authorization: secret(""), "x-tenant": secret("") },
    },
    assistant: {
      url: "https://models.example.com/v1/chat/completions",
      model: "acme/small-3:free",
      key: secret(""),
    },
    proxyKeyFile: "/run/secrets/login-proxy-key",
    captcha: {
      url: "https://captcha.example.com/siteverify",
      secret: expect.anything(),
      siteKey: "site-key",
    },
    siteTheme: "system",
    isRehearsal: false,
    frameAncestors: "https://app.example.com https://admin.example.com:8443",
    warnings: [expect.stringContaining("sent to 10.0.0.0/8")],
  });
});

test("a rehearsal has a port that nobody knows and no issuers, and takes nothing of a service that works", () => {
  const env = { KEYHEARTH_REHEARSAL: "on", KEYHEARTH_DATA_DIR: "/tmp/copy" };
  expect(readConfig(env)).toMatchObject({
    isRehearsal: true,
    port: 0,
    host: "127.0.0.1",
    oidcIssuers: "none",
    oauth2Providers: "none",
    signup: "closed",
    loginProviders: [],
    courier: { kind: "embedded", settings: { smtp: null, sms: null } },
    warnings: [],
  });
  expect(readConfig({ ...env, KEYHEARTH_REHEARSAL: "off" }).isRehearsal).toBe(false);
  const others = variables
    .map(({ name }) => name)
    .filter((name) => !/^(KEYHEARTH_(REHEARSAL|DATA_DIR|LOG_LEVEL)|DATABASE_URL)$/.test(name));
  expect(others.length).toBeGreaterThan(20);
  for (const name of others) {
    const start = () => readConfig({ ...env, [name]: "hunter2" });
    expect(start, name).toThrow(`${name} is set, but a rehearsal reaches nobody`);
    expect(start, name).not.toThrow("hunter2");
  }
  expect(() => readConfig({ KEYHEARTH_REHEARSAL: "yes" })).toThrow(
    "KEYHEARTH_REHEARSAL is `yes` but must be `on` or `off`",
  );
});

const withSecrets = {
  DATABASE_URL: "postgres://keyhearth:first-secret@db:5432/keyhearth",
  DATABASE_READ_URL: "postgres://keyhearth:seventh-secret@db2:5432/keyhearth",
  KEYHEARTH_METRICS_TOKEN: "second-secret-token",
  OTEL_EXPORTER_OTLP_HEADERS: "authorization=eighth-secret-token",
  KEYHEARTH_ASSISTANT_URL: "http://localhost:11434/v1",
  KEYHEARTH_ASSISTANT_MODEL: "small",
  KEYHEARTH_ASSISTANT_KEY: "fifth-secret-key",
  KEYHEARTH_CAPTCHA_URL: "https://captcha.example.com/siteverify",
  KEYHEARTH_CAPTCHA_SECRET: "sixth-secret-key",
  KEYHEARTH_CAPTCHA_SITE_KEY: "site-key",
  KEYHEARTH_MAIL_FROM: "login@example.com",
  SMTP_URL: "smtps://keyhearth:third%2Dsecret@mail.example.com",
};

test.each([
  { SMS_WEBHOOK_URL: "https://sms.example.com/fourth-secret" },
  {
    TWILIO_ACCOUNT_SID: `AC${"0".repeat(32)}`,
    TWILIO_AUTH_TOKEN: "fourth-secret",
    TWILIO_FROM: "+14155550100",
  },
])("a configuration shows no secret, and its readers open each", (provider) => {
  const config = readConfig({ ...withSecrets, ...provider });
  const lines: string[] = [];
  createLog({ level: "info", destination: { write: (line) => lines.push(line) } }).info(
    { config, found: Object.values(config) },
    "the configuration",
  );
  const shown = [JSON.stringify(config), inspect(config, { depth: 9, showHidden: true }), ...lines];
  for (const text of shown) {
    expect(text).toContain("[secret]");
    expect(text).not.toMatch(/(first|second|third|fourth|fifth|sixth|seventh).secret/);
  }
  const { database, courier, metricsToken } = config;
  const { smtp, sms } = courier.kind === "embedded" ? courier.settings : { smtp: null, sms: null };
  const opened = [
    database.kind === "postgres" && database.url.open(),
    database.kind === "postgres" && database.standbyUrl?.open(),
    metricsToken?.open(),
    smtp?.login?.pass.open(),
    sms?.kind === "webhook" ? sms.url.open() : sms?.authToken.open(),
  ];
  expect(opened).toEqual([
    withSecrets.DATABASE_URL,
    withSecrets.DATABASE_READ_URL,
    "second-secret-token",
    "third-secret",
    provider.SMS_WEBHOOK_URL ?? "fourth-secret",
  ]);
});

const places = [
  "KEYHEARTH_DATA_DIR",
  "DATABASE_URL",
  "KEYHEARTH_SIGNER",
  "KEYHEARTH_SIGNER_STATE",
  "KEYHEARTH_COURIER",
  "KEYHEARTH_PROXY_KEY_PATH",
  "KEYHEARTH_SIGNER_KEY_PATH",
];

test("an empty value counts as unset, unless the variable says where state is", () => {
  const others = variables.filter(({ name }) => !places.includes(name));
  const empty = Object.fromEntries(others.map(({ name }) => [name, " "]));
  expect(readConfig(empty)).toEqual(readConfig({}));
  for (const name of places) {
    for (const value of ["", " "]) {
      expect(() => readConfig({ [name]: value })).toThrow(
        new RegExp(`^${name} is set but empty; set it to .+, or unset it to use .+$`),
      );
    }
  }
});

const pin = `keyhearth-signer:${"A".repeat(43)}`;

test("signers on several machines are named with their keys", () => {
  const { signer } = readConfig({
    KEYHEARTH_DATA_DIR: "/var/lib/keyhearth",
    KEYHEARTH_SIGNER: "unix:/run/a.sock, tls://Signer-B.internal:7443,tls://[2001:db8::1]:65535",
    KEYHEARTH_SIGNER_PINS: `${pin}, ${pin.replaceAll("AAA", "BAA")}`,
    KEYHEARTH_SIGNER_KEY_PATH: "/run/secrets/signer-door-key",
  });
  expect(signer).toEqual({
    kind: "socket",
    addresses: [
      { kind: "unix", path: "/run/a.sock", text: "unix:/run/a.sock" },
      {
        kind: "tls",
        host: "signer-b.internal",
        port: 7443,
        text: "tls://signer-b.internal:7443",
      },
      { kind: "tls", host: "2001:db8::1", port: 65_535, text: "tls://[2001:db8::1]:65535" },
    ],
    pins: [expect.any(Buffer), expect.any(Buffer)],
    keyFile: "/run/secrets/signer-door-key",
  });
});

test.each([
  ["tls://b", "`embedded`, `unix:`"],
  ["tls://b:0", "`embedded`, `unix:`"],
  ["tls://b:65536", "`embedded`, `unix:`"],
  ["tls://b:7443/", "`embedded`, `unix:`"],
  ["tls://b:7443?pin=1", "`embedded`, `unix:`"],
  ["tls://me:secret@b:7443", "`embedded`, `unix:`"],
  ["tls://1.2.3:7443", "`embedded`, `unix:`"],
  ["tls://[b]:7443", "`embedded`, `unix:`"],
  ["tls://[fe80::1%eth0]:7443", "`embedded`, `unix:`"],
  ["https://b:7443", "`embedded`, `unix:`"],
  ["unix:signer.sock", "`embedded`, `unix:`"],
  ["unix:/a.sock,embedded", "has `embedded`, which is none of these addresses"],
  ["tls://b:7443,http://c:7443", "has `http://c:7443`, which is none of these addresses"],
  ["tls://b:7443,", "has ``, which is none of these addresses"],
  ["tls://b:7443,unix:/a.sock,tls://B:7443", "has tls://b:7443 twice; name each signer once"],
  ["unix:/a.sock,unix:/a.sock", "has unix:/a.sock twice"],
  [
    Array.from({ length: 9 }, (_, index) => `tls://b${index}:7443`).join(","),
    "has 9 addresses; at most 8 are accepted",
  ],
])("KEYHEARTH_SIGNER %s is refused", (KEYHEARTH_SIGNER, problem) => {
  const start = () => readConfig({ KEYHEARTH_SIGNER, KEYHEARTH_SIGNER_PINS: pin });
  expect(start).toThrow(/^KEYHEARTH_SIGNER [^\n]+ must be [^\n]+$/);
  expect(start).toThrow(problem);
});

test("a signer on another machine needs its key, and only its own kind of line", () => {
  const env = { KEYHEARTH_SIGNER: "unix:/a.sock,tls://b:7443" };
  expect(() => readConfig(env)).toThrow(
    "KEYHEARTH_SIGNER has tls://b:7443, but KEYHEARTH_SIGNER_PINS is not set",
  );
  for (const wrong of [pin.slice(0, -1), pin.replace("signer", "api"), `${pin},`, "secret"]) {
    expect(() => readConfig({ ...env, KEYHEARTH_SIGNER_PINS: wrong })).toThrow(
      "KEYHEARTH_SIGNER_PINS is `",
    );
  }
  const local = { KEYHEARTH_SIGNER: "unix:/a.sock", KEYHEARTH_SIGNER_PINS: pin };
  expect(readConfig(local).warnings).toContain(
    "KEYHEARTH_SIGNER_PINS is set but has no effect: KEYHEARTH_SIGNER has no tls:// address",
  );
  const paired = { ...env, KEYHEARTH_SIGNER_PINS: pin, KEYHEARTH_SIGNER_LISTEN: "[::]:7443" };
  expect(readConfig(paired).warnings).toEqual([]);
});

test.each([
  ["127.0.0.1", true],
  ["127.8.8.8", true],
  ["localhost", true],
  ["[::1]", true],
  ["0.0.0.0", false],
  ["::", false],
  ["keys.example.com", false],
  ["127.example.org", false],
  ["127.0.0.1.example.org", false],
  ["localhost.example.org", false],
])("HOST %s: loopback %s", (HOST, isLoopback) => {
  expect(readConfig({ HOST }).isLoopback).toBe(isLoopback);
});

test("the rate limit is off by default only if no other machine can reach the service", () => {
  const proxied = { KEYHEARTH_TRUSTED_PROXIES: "127.0.0.1" };
  // A proxy on this machine that nobody has listed.
  const named = { KEYHEARTH_PUBLIC_URL: "https://keys.example.com" };
  expect(readConfig({ HOST: "0.0.0.0" }).rateLimit).toEqual(DEFAULT_RATE_LIMITS);
  expect(readConfig(named).rateLimit).toEqual(DEFAULT_RATE_LIMITS);
  expect(readConfig({ KEYHEARTH_PUBLIC_URL: "http://localhost:3000" }).rateLimit).toBeNull();
  expect(readConfig(proxied).rateLimit).toEqual(DEFAULT_RATE_LIMITS);
  expect(readConfig({ ...proxied, KEYHEARTH_RATE_LIMIT: "off" }).rateLimit).toBeNull();
  const five = { ...DEFAULT_RATE_LIMITS, address: 5, credential: 5 };
  expect(readConfig({ KEYHEARTH_RATE_LIMIT: "5" }).rateLimit).toEqual(five);
});

test.each([
  ["address=5", { address: 5 }],
  ["credential=off", { credential: null }],
  ["contact=2/1m", { contact: [{ most: 2, withinMs: 60_000 }] }],
  ["contact=off, identifier=off", { contact: [], identifier: [] }],
  ["receiver=off, family-sms=off", { receiver: [], familySms: null }],
  [
    "family-email=2000/1h,total-email=1000000/30d,total-sms=1/1s",
    {
      familyEmail: { most: 2000, withinMs: 3_600_000 },
      totalEmail: { most: 1_000_000, withinMs: 30 * 86_400_000 },
      totalSms: { most: 1, withinMs: 1000 },
    },
  ],
  [
    "address=off,credential=7,contact=1/30s+5/2h+9/30d,identifier=1/1d",
    {
      address: null,
      credential: 7,
      contact: [
        { most: 1, withinMs: 30_000 },
        { most: 5, withinMs: 7_200_000 },
        { most: 9, withinMs: 30 * 86_400_000 },
      ],
      identifier: [{ most: 1, withinMs: 86_400_000 }],
    },
  ],
])("of the rate limit %s, what is left out keeps its default", (text, expected) => {
  const { rateLimit } = readConfig({ KEYHEARTH_RATE_LIMIT: text });
  expect(rateLimit).toEqual({ ...DEFAULT_RATE_LIMITS, ...expected });
  expect(rateLimit && parseRateLimits(formatRateLimits(rateLimit))).toEqual(rateLimit);
});

test.each([
  ["1MiB", 1024 ** 2],
  ["9999GiB", 9999 * 1024 ** 3],
  ["off", null],
])("of the storage limit %s, a family may store %s bytes", (text, expected) => {
  const { storageLimit } = readConfig({ KEYHEARTH_STORAGE_LIMIT: text });
  expect(storageLimit).toBe(expected);
});

test.each([
  ["history=30d", { historyMs: 30 * DAY_MS }],
  ["deliveries=1d , feedback=30d", { deliveriesMs: DAY_MS, feedbackMs: 30 * DAY_MS }],
])("of the retention %s, what is left out keeps its default", (text, expected) => {
  const { retention } = readConfig({ KEYHEARTH_RETENTION: text });
  expect(retention).toEqual({ ...DEFAULT_RETENTION, ...expected });
});

test.each([
  [10 * 1024 ** 3, "10GiB"],
  [1.26 * 1024 ** 4, "1.3TiB"],
  [1.5 * 1024 ** 2, "1.5MiB"],
  [1024, "0MiB"],
])("%d bytes are shown as %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test("a database behind a Unix socket is accepted", () => {
  const url = "postgresql://keyhearth@/keyhearth?host=/run/postgresql";
  const { database } = readConfig({ DATABASE_URL: url });
  expect(database.kind === "postgres" && database.url.open()).toBe(url);
});

test.each([
  ["DATABASE_POOLER", "transaction"],
  ["DATABASE_READ_URL", "postgres://keyhearth:hunter2@db/keyhearth"],
])("%s needs a database that is a server", (name, value) => {
  expect(() => readConfig({ [name]: value })).toThrow(
    new ConfigError(
      `${name} is set but DATABASE_URL is not, so the service would use the embedded database; set DATABASE_URL, or unset ${name}`,
    ),
  );
});

test.each(["hunter2", "postgres://keyhearth:hunter2@a,b/x?target_session_attrs=read-write"])(
  "standbys at %s are refused, and the value is not echoed",
  (value) => {
    const env = { DATABASE_URL: "postgres://db/keyhearth", DATABASE_READ_URL: value };
    const error = String(catchError(() => readConfig(env)));
    expect(error).toContain("DATABASE_READ_URL has a value that is not accepted");
    expect(error).not.toContain("hunter2");
  },
);

test("a pooler is in transaction mode, or needs no setting", () => {
  const url = { DATABASE_URL: "postgres://db/keyhearth" };
  expect(readConfig(url).database).toMatchObject({ isPooled: false, standbyUrl: null });
  const none = readConfig({ ...url, DATABASE_POOLER: "none" });
  expect(none.database).toMatchObject({ isPooled: false });
  expect(() => readConfig({ ...url, DATABASE_POOLER: "session" })).toThrow(
    "DATABASE_POOLER is `session` but must be `none` or `transaction`",
  );
});

const ofSeveral = {
  DATABASE_URL: "postgres://db/keyhearth",
  KEYHEARTH_SIGNER: "unix:/run/keyhearth/signer.sock",
};

test.each([
  [
    ["DATABASE_URL"],
    "DATABASE_URL is not set, and the embedded database belongs to one process; set DATABASE_URL,",
  ],
  [
    ["KEYHEARTH_SIGNER"],
    "KEYHEARTH_SIGNER is not set, and the embedded signer belongs to one process; set KEYHEARTH_SIGNER,",
  ],
  [
    ["DATABASE_URL", "KEYHEARTH_SIGNER"],
    "DATABASE_URL and KEYHEARTH_SIGNER are not set, and the embedded database and signer belong to one process; set DATABASE_URL and KEYHEARTH_SIGNER,",
  ],
])("several workers need %s", (missing, problem) => {
  const env = Object.entries(ofSeveral).filter(([name]) => !missing.includes(name));
  const workers = { KEYHEARTH_API_WORKERS: "2" };
  expect(() => readConfig({ ...Object.fromEntries(env), ...workers })).toThrow(
    new ConfigError(
      `KEYHEARTH_API_WORKERS is \`2\`, but ${problem} or unset KEYHEARTH_API_WORKERS`,
    ),
  );
});

test("an embedded signer that is named belongs to one process too", () => {
  const env = { ...ofSeveral, KEYHEARTH_SIGNER: "embedded", KEYHEARTH_API_WORKERS: "2" };
  expect(() => readConfig(env)).toThrow("the embedded signer belongs to one process");
});

test("more workers than cores start, with a warning", () => {
  const withWorkers = (count: number) =>
    readConfig({ ...ofSeveral, KEYHEARTH_API_WORKERS: String(count) }).warnings;
  const cores = availableParallelism();
  expect(withWorkers(8).length).toBe(cores < 8 ? 1 : 0);
  expect(withWorkers(Math.min(cores, 8))).toEqual([]);
});

test("where anybody may sign up, each domain of mail is of an organization", () => {
  const env = { ...mail, KEYHEARTH_SIGNUP: "open", KEYHEARTH_RATE_LIMIT: "60" };
  const withDomains = (domains: string) =>
    readConfig({ ...env, KEYHEARTH_MAIL_FROM_DOMAINS: domains });
  const own = "acme.example=01900000-0000-7000-8000-00000000000a";
  expect(() => withDomains(`${own},example.com`)).toThrow(
    "KEYHEARTH_SIGNUP is open, so KEYHEARTH_MAIL_FROM_DOMAINS must say which organization may send from example.com",
  );
  expect(() => withDomains(own)).not.toThrow();
});

const twilio = {
  TWILIO_ACCOUNT_SID: `AC${"0".repeat(32)}`,
  TWILIO_AUTH_TOKEN: "secret",
  TWILIO_FROM: "+14155550100",
};

const mail = { SMTP_URL: "smtp://mail.example.com", KEYHEARTH_MAIL_FROM: "login@example.com" };

describe("a wrong value is one sentence that names the variable, the value and what is accepted", () => {
  test.each([
    ["PORT", "http"],
    ["PORT", "65536"],
    ["PORT", "-1"],
    ["PORT", "3e3"],
    ["HOST", "http://localhost"],
    ["HOST", "300.1.1.1"],
    ["HOST", "a b"],
    ["KEYHEARTH_PUBLIC_URL", "keys.example.com"],
    ["KEYHEARTH_PUBLIC_URL", "https://keys.example.com/base"],
    ["KEYHEARTH_PUBLIC_URL", "https://keys.example.com?x"],
    ["KEYHEARTH_PUBLIC_URL", "ftp://keys.example.com"],
    ["KEYHEARTH_API_WORKERS", "0"],
    ["KEYHEARTH_API_WORKERS", "9"],
    ["KEYHEARTH_API_WORKERS", "1.5"],
    ["KEYHEARTH_API_WORKERS", "all"],
    ["KEYHEARTH_SIGNER", "tcp:127.0.0.1:9"],
    ["KEYHEARTH_SIGNER", "unix:relative.sock"],
    ["KEYHEARTH_SIGNER", "unix:"],
    ["KEYHEARTH_COURIER", "tcp:127.0.0.1:9"],
    ["KEYHEARTH_COURIER", "unix:relative.sock"],
    ["KEYHEARTH_MAIL_FROM", "Acme"],
    ["KEYHEARTH_MAIL_FROM", "a@example.com, b@example.com"],
    ["KEYHEARTH_MAIL_FROM_DOMAINS", "*.example.com"],
    ["KEYHEARTH_MAIL_FROM_DOMAINS", "example.com=acme"],
    ["KEYHEARTH_MAIL_FROM_DOMAINS", "example.com="],
    ["KEYHEARTH_MAIL_TEMPLATES", "/nowhere/templates"],
    ["KEYHEARTH_DASHBOARD_URL", "http://keys.example.com/dashboard"],
    ["KEYHEARTH_LOGIN_PROVIDERS", "acme=javascript:alert(1)"],
    ["TWILIO_ACCOUNT_SID", "x"],
    ["TWILIO_FROM", "Acme"],
    ["KEYHEARTH_SEAL", "paper"],
    ["KEYHEARTH_SIGNUP", "yes"],
    ["KEYHEARTH_RATE_LIMIT", "0"],
    ["KEYHEARTH_RATE_LIMIT", "1.5"],
    ["KEYHEARTH_RATE_LIMIT", "on"],
    ["KEYHEARTH_RATE_LIMIT", "1000001"],
    ["KEYHEARTH_RATE_LIMIT", "address"],
    ["KEYHEARTH_RATE_LIMIT", "address=0"],
    ["KEYHEARTH_RATE_LIMIT", "address=60,"],
    ["KEYHEARTH_RATE_LIMIT", "address=60,address=70"],
    ["KEYHEARTH_RATE_LIMIT", "address=60=70"],
    ["KEYHEARTH_RATE_LIMIT", "contact=3"],
    ["KEYHEARTH_RATE_LIMIT", "contact=0/1m"],
    ["KEYHEARTH_RATE_LIMIT", "contact=101/1m"],
    ["KEYHEARTH_RATE_LIMIT", "contact=3/0m"],
    ["KEYHEARTH_RATE_LIMIT", "contact=3/31d"],
    ["KEYHEARTH_RATE_LIMIT", "contact=3/1w"],
    ["KEYHEARTH_RATE_LIMIT", "receiver=101/1m"],
    ["KEYHEARTH_RATE_LIMIT", "family-sms=3/1m+10/1d"],
    ["KEYHEARTH_RATE_LIMIT", "family-sms=1000001/1m"],
    ["KEYHEARTH_RATE_LIMIT", "family-sms=3"],
    ["KEYHEARTH_RATE_LIMIT", "familySms=3/1m"],
    ["KEYHEARTH_RATE_LIMIT", "constructor=3/1m"],
    ["KEYHEARTH_RATE_LIMIT", "person=3/1m"],
    ["KEYHEARTH_STORAGE_LIMIT", "0"],
    ["KEYHEARTH_STORAGE_LIMIT", "0GiB"],
    ["KEYHEARTH_STORAGE_LIMIT", "10"],
    ["KEYHEARTH_STORAGE_LIMIT", "10GB"],
    ["KEYHEARTH_STORAGE_LIMIT", "1.5GiB"],
    ["KEYHEARTH_STORAGE_LIMIT", "10000GiB"],
    ["KEYHEARTH_RETENTION", "off"],
    ["KEYHEARTH_RETENTION", "400d"],
    ["KEYHEARTH_RETENTION", "history=29d"],
    ["KEYHEARTH_RETENTION", "history=36501d"],
    ["KEYHEARTH_RETENTION", "history=13m"],
    ["KEYHEARTH_RETENTION", "history=040d"],
    ["KEYHEARTH_RETENTION", "deliveries=0d"],
    ["KEYHEARTH_RETENTION", "deliveries=31d"],
    ["KEYHEARTH_RETENTION", "history=40d,history=50d"],
    ["KEYHEARTH_RETENTION", "history=40d,"],
    ["KEYHEARTH_RETENTION", "activities=40d"],
    ["KEYHEARTH_RETENTION", "constructor=40d"],
    ["KEYHEARTH_TRUSTED_PROXIES", "10.0.0.0/33"],
    ["KEYHEARTH_TRUSTED_PROXIES", "proxy.local"],
    ["KEYHEARTH_TRUSTED_PROXIES", "10.0.0.0/"],
    ["KEYHEARTH_LOG_LEVEL", "loud"],
  ])("%s=%s", (name, value) => {
    const accepted = variables.find((variable) => variable.name === name)?.accepted;
    const isOfTwilio = name.startsWith("TWILIO_");
    expect(() => readConfig({ ...(isOfTwilio && twilio), ...mail, [name]: value })).toThrow(
      new ConfigError(`${name} is \`${value}\` but must be ${accepted}`),
    );
  });

  test("of a list, the error shows the entry that is wrong", () => {
    expect(() => readConfig({ KEYHEARTH_TRUSTED_PROXIES: "10.0.0.1,,::1" })).toThrow(/is `` but/);
  });

  test("a socket path that is too long for the kernel", () => {
    const path = `unix:/${"a".repeat(120)}`;
    expect(() => readConfig({ KEYHEARTH_SIGNER: path })).toThrow(
      /KEYHEARTH_SIGNER is `unix:\/a+…`/,
    );
  });

  test.each(["shamir", "pkcs11", "aws-kms"])("the seal %s is not offered yet", (seal) => {
    expect(() => readConfig({ KEYHEARTH_SEAL: seal })).toThrow(
      new ConfigError(
        `KEYHEARTH_SEAL is \`${seal}\`, which this version does not offer yet; use \`file\``,
      ),
    );
  });
});

test.each([
  ["DATABASE_URL", "mysql://keyhearth:hunter2@db/keyhearth"],
  ["DATABASE_URL", "postgres://keyhearth:hunter2@db:port/keyhearth"],
  ["DATABASE_URL", "hunter2"],
  ["DATABASE_URL", "postgres://keyhearth:hunter2@db,db/keyhearth"],
  ["KEYHEARTH_PUBLIC_URL", "https://user:hunter2@keys.example.com"],
  ["KEYHEARTH_DASHBOARD_URL", "https://user:hunter2@keys.example.com/dashboard"],
  ["KEYHEARTH_LOGIN_PROVIDERS", "acme=https://user:hunter2@id.example.com/auth"],
  ["SMTP_URL", "hunter2"],
  ["SMTP_URL", "http://keyhearth:hunter2@mail.example.com"],
  ["SMTP_URL", "smtp://keyhearth:hunter2@mail.example.com/path"],
  ["SMTP_URL", "smtps://keyhearth:hunter2@mail.example.com?tls=off"],
  ["SMS_WEBHOOK_URL", "ftp://example.com/hunter2"],
  ["SMS_WEBHOOK_URL", "http://user:hunter2@example.com/"],
  ["KEYHEARTH_METRICS_TOKEN", "hunter2"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "hunter2"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "https://grace:hunter2@collector.example.com"],
  ["KEYHEARTH_METRICS_TOKEN", "hunter2 with spaces"],
])("a refused %s is not echoed", (name, value) => {
  const error = catchError(() => readConfig({ [name]: value }));
  expect(error).toBeInstanceOf(ConfigError);
  expect(String(error)).toContain(name);
  expect(String(error)).not.toContain("hunter2");
});

test("a variable that has no effect gives a warning", () => {
  expect(
    readConfig({
      HOST: "0.0.0.0",
      KEYHEARTH_COURIER: "unix:/run/courier.sock",
      KEYHEARTH_COURIER_STATE: "/var/lib/keyhearth-courier",
      SMTP_URL: "smtp://mail",
      TWILIO_ACCOUNT_SID: "x",
      KEYHEARTH_SIGN_UP: "open",
      KEYHEARTH_DATADIR: "/data",
      KEYHEARTH_UNUSED: "",
      PATH: "/bin",
    }).warnings,
  ).toEqual([
    "KEYHEARTH_DATADIR is set but unknown; the nearest known variable is KEYHEARTH_DATA_DIR",
    "KEYHEARTH_SIGN_UP is set but unknown; the nearest known variable is KEYHEARTH_SIGNUP",
    "SMTP_URL is set but has no effect here: the process of KEYHEARTH_COURIER needs it",
    "TWILIO_ACCOUNT_SID is set but has no effect here: the process of KEYHEARTH_COURIER needs it",
    "KEYHEARTH_PUBLIC_URL is not set although HOST is not loopback; links will point to localhost",
    expect.stringMatching(/^the signer is embedded/),
  ]);
});

test("an embedded signer that others may reach gives a warning, and one behind a socket none", () => {
  const warning = expect.stringMatching(/^the signer is embedded .+ \/self-hosting\/production/);
  const named = { KEYHEARTH_PUBLIC_URL: "https://keys.example.com" };
  const reached = [{ HOST: "0.0.0.0" }, { KEYHEARTH_TRUSTED_PROXIES: "127.0.0.1" }];
  for (const each of reached) {
    expect(readConfig({ ...named, ...each }).warnings).toEqual([warning]);
    const apart = { ...named, ...each, KEYHEARTH_SIGNER: "unix:/run/signer.sock" };
    expect(readConfig(apart).warnings).toEqual([]);
  }
  expect(readConfig(named).warnings).toContainEqual(warning);
  expect(readConfig({}).warnings).toEqual([]);
});

test("a public URL on a loopback HOST without a listed proxy gives a warning, because clients share one limit", () => {
  const named = {
    KEYHEARTH_PUBLIC_URL: "https://keys.example.com",
    KEYHEARTH_SIGNER: "unix:/run/signer.sock",
  };
  expect(readConfig(named).warnings).toEqual([
    "KEYHEARTH_PUBLIC_URL names another host, so a proxy on this machine answers there, but KEYHEARTH_TRUSTED_PROXIES is not set: all clients seem to have the proxy's address and share one limit; set it to the address of the proxy, such as 127.0.0.1",
  ]);
  for (const mended of [
    { KEYHEARTH_TRUSTED_PROXIES: "127.0.0.1" },
    { HOST: "0.0.0.0" },
    { KEYHEARTH_RATE_LIMIT: "off" },
  ]) {
    expect(readConfig({ ...named, ...mended }).warnings).toEqual([]);
  }
});

test("the token that templates have shown is refused, and the sentence says how to make one", () => {
  const shown = "replace-this-with-a-long-random-text";
  expect(() => readConfig({ KEYHEARTH_METRICS_TOKEN: shown })).toThrow(
    /^KEYHEARTH_METRICS_TOKEN is still the text of the template.+`openssl rand -hex 32`/,
  );
});

test("variables of messages that do not fit together are one sentence", () => {
  expect(() => readConfig({ SMTP_URL: "smtp://mail.example.com" })).toThrow(
    /^KEYHEARTH_MAIL_FROM must be set with SMTP_URL, to an email address/,
  );
  const { TWILIO_FROM: _, ...partly } = twilio;
  expect(() => readConfig(partly)).toThrow(
    "TWILIO_FROM must be set too, because Twilio needs all of TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN, TWILIO_FROM",
  );
  expect(() => readConfig({ ...twilio, SMS_WEBHOOK_URL: "https://example.com" })).toThrow(
    "SMS_WEBHOOK_URL and TWILIO_ACCOUNT_SID are both set; unset one of them",
  );
});

test.each([
  ["smtp://mail.example.com", 587, "required"],
  ["smtp://mail.example.com:25?tls=off", 25, "off"],
  ["smtp://localhost:2525", 2525, "offered"],
  ["smtps://[::1]", 465, "implicit"],
])("%s is port %d with TLS %s", (SMTP_URL, port, tls) => {
  const { courier, hasMailbox } = readConfig({ ...mail, SMTP_URL });
  expect(courier.kind === "embedded" && courier.settings.smtp).toMatchObject({ port, tls });
  expect(hasMailbox).toBe(false);
});

test("there is a mailbox only without a mail server, on this machine alone, with the courier in this process", () => {
  expect(readConfig({}).hasMailbox).toBe(true);
  expect(readConfig({ HOST: "0.0.0.0" }).hasMailbox).toBe(false);
  expect(readConfig(mail).hasMailbox).toBe(false);
  expect(readConfig({ KEYHEARTH_COURIER: "unix:/run/courier.sock" }).hasMailbox).toBe(false);
  expect(readConfig({ KEYHEARTH_TRUSTED_PROXIES: "127.0.0.1" }).hasMailbox).toBe(false);
  for (const [url, hasMailbox] of [
    ["https://keys.example.com", false],
    ["http://localhost.example.com:3000", false],
    ["http://192.168.1.7:3000", false],
    ["http://localhost:3000", true],
    ["http://127.0.0.1:8080", true],
    ["http://[::1]:3000", true],
  ] as const) {
    const config = readConfig({ KEYHEARTH_PUBLIC_URL: url });
    expect([url, config.hasMailbox]).toEqual([url, hasMailbox]);
  }
});

test("a service that is open for signup without any limit gives a warning", () => {
  const warning = expect.stringMatching(/^KEYHEARTH_SIGNUP is open and requests are not limited/);
  const open = { KEYHEARTH_SIGNUP: "open" };
  expect(readConfig(open).warnings).toEqual([warning]);
  expect(readConfig({ ...open, KEYHEARTH_RATE_LIMIT: "60" }).warnings).toEqual([]);
  const proxied = { KEYHEARTH_TRUSTED_PROXIES: "127.0.0.1", KEYHEARTH_SIGNER: "unix:/s.sock" };
  expect(readConfig({ ...open, ...proxied }).warnings).toEqual([]);
  expect(readConfig({ KEYHEARTH_SIGNUP: "closed" }).warnings).toEqual([]);
});

test("private receivers that strangers may have events sent to give a warning each", () => {
  const family = "019a9a51-7c3e-7d21-8a44-5b6c7d8e9f00";
  const targets = `10.0.3.0/24, hooks.internal:8443=${family.toUpperCase()}`;
  const open = {
    ...{ KEYHEARTH_SIGNUP: "open", KEYHEARTH_WEBHOOK_PRIVATE_TARGETS: targets },
    ...{ KEYHEARTH_TRUSTED_PROXIES: "127.0.0.1", KEYHEARTH_SIGNER: "unix:/s.sock" },
  };
  expect(readConfig(open).warnings).toEqual([
    "KEYHEARTH_SIGNUP is open, so anyone can have events sent to 10.0.3.0/24 of KEYHEARTH_WEBHOOK_PRIVATE_TARGETS; add = and the id of the top-level organization that may",
  ]);
  expect(readConfig({ ...open, KEYHEARTH_SIGNUP: "closed" }).warnings).toEqual([]);
  for (const wrong of ["127.0.0.1=", "127.0.0.1=acme", `127.0.0.1=${family}=1`, `=${family}`]) {
    expect(() => readConfig({ KEYHEARTH_WEBHOOK_PRIVATE_TARGETS: wrong })).toThrow(
      "KEYHEARTH_WEBHOOK_PRIVATE_TARGETS",
    );
  }
});

test("the help names every variable with its default and what it accepts", () => {
  for (const { name, default: initial, accepted, description } of variables) {
    for (const text of [name, initial, accepted, description]) expect(helpText()).toContain(text);
  }
  expect(defaultPublicUrl(4000)).toBe("http://localhost:4000");
});

test("a secret can be in a file, and a file that is missing is one sentence", () => {
  const folder = mkdtempSync(join(tmpdir(), "keyhearth-config-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const files = secretVariables.map((name) => [`${name}_FILE`, join(folder, name)] as const);
  const secrets: Record<string, string> = { ...withSecrets, ...twilio };
  for (const name of secretVariables) writeFileSync(join(folder, name), `${secrets[name] ?? ""}\n`);
  const { SMS_WEBHOOK_URL_FILE: _, ...given } = Object.fromEntries(files);
  const { TWILIO_ACCOUNT_SID, TWILIO_FROM, KEYHEARTH_MAIL_FROM } = secrets;
  const { KEYHEARTH_ASSISTANT_URL, KEYHEARTH_ASSISTANT_MODEL } = secrets;
  const { KEYHEARTH_CAPTCHA_URL, KEYHEARTH_CAPTCHA_SITE_KEY } = secrets;
  const config = readConfig({
    ...given,
    ...{ TWILIO_ACCOUNT_SID, TWILIO_FROM, KEYHEARTH_MAIL_FROM },
    ...{ KEYHEARTH_ASSISTANT_URL, KEYHEARTH_ASSISTANT_MODEL },
    ...{ KEYHEARTH_CAPTCHA_URL, KEYHEARTH_CAPTCHA_SITE_KEY },
    KEYHEARTH_TRACES: "1",
  });
  expect(config.warnings).toEqual([]);
  expect(config.database.kind === "postgres" && config.database.url.open()).toBe(
    withSecrets.DATABASE_URL,
  );
  expect(config.database.kind === "postgres" && config.database.standbyUrl?.open()).toBe(
    withSecrets.DATABASE_READ_URL,
  );
  expect(config.metricsToken?.open()).toBe(withSecrets.KEYHEARTH_METRICS_TOKEN);
  expect(config.traces?.headers.authorization?.open()).toBe("eighth-secret-token");
  expect(config.assistant?.key?.open()).toBe(withSecrets.KEYHEARTH_ASSISTANT_KEY);
  expect(config.captcha?.secret.open()).toBe(withSecrets.KEYHEARTH_CAPTCHA_SECRET);
  expect(() => readConfig({ DATABASE_URL_FILE: join(folder, "none") })).toThrow(
    new ConfigError(
      `DATABASE_URL_FILE is \`${join(folder, "none")}\`, which does not exist; write the secret into it, or correct the path`,
    ),
  );
});

function catchError(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

describe("KEYHEARTH_FRAME_ANCESTORS", () => {
  const ancestorsOf = (env: Record<string, string>) => readConfig(env).frameAncestors;

  test.each([
    ["KEYHEARTH_PUBLIC_URL", "https://keys.example.com"],
    ["KEYHEARTH_TRUSTED_PROXIES", "10.0.0.1"],
    ["HOST", "0.0.0.0"],
    ["KEYHEARTH_FRAME_ANCESTORS", "none"],
  ])("nobody may embed the frames with %s=%s", (name, value) => {
    expect(ancestorsOf({ [name]: value })).toBeNull();
  });

  test("origins are taken as they are, each once", () => {
    const list = "https://a.example,http://localhost:5173, https://a.example";
    expect(ancestorsOf({ KEYHEARTH_FRAME_ANCESTORS: list })).toBe(
      "https://a.example http://localhost:5173",
    );
  });

  test.each([
    "*",
    "https:",
    "app.example.com",
    "https://*.example.com",
    "https://app.example.com/path",
    "https://user@app.example.com",
    "http://app.example.com",
    "https://app.example.com; script-src *",
    "https://app.example.com https://b.example",
    "https://a.example,",
    "'self'",
    "none,https://a.example",
    'https://a.example"',
  ])("`%s` is refused in one sentence", (value) => {
    expect(() => ancestorsOf({ KEYHEARTH_FRAME_ANCESTORS: value })).toThrow(
      `KEYHEARTH_FRAME_ANCESTORS is \`${value}\` but must be \`none\`, or https origins`,
    );
  });
});
