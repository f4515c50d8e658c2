import { fileURLToPath } from "node:url";
import { type AppOptions, createApp } from "@keyhearth/api/app";
import { createHost, type Host } from "@keyhearth/api/host/host";
import { createSignup } from "@keyhearth/api/host/signup";
import { routeNotFound } from "@keyhearth/api/http/routes";
import { startDelivery } from "@keyhearth/api/jobs/mail/deliver";
import { startSealing } from "@keyhearth/api/jobs/seal-segments";
import { startDelivering } from "@keyhearth/api/jobs/webhooks/deliver";
import { createMessages, type ListMessages } from "@keyhearth/api/mailbox/messages";
import type { Log } from "@keyhearth/api/observability/log";
import type { Metrics } from "@keyhearth/api/observability/metrics";
import { createFile } from "@keyhearth/api/serve/site";
import { findDescription, shownKeys } from "@keyhearth/api/signer/description";
import { foundOrganization } from "@keyhearth/api/start/first-start";
import { createReadiness } from "@keyhearth/api/start/readiness";
import type { Store } from "@keyhearth/api/store/connect";
import { openMessage } from "@keyhearth/courier/open-message";
import { render } from "@keyhearth/courier/render";
import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import type { SecretBytes } from "@keyhearth/crypto/secret-bytes";
import { fingerprint } from "@keyhearth/crypto/stamps/fingerprint";
import { ApiError } from "@keyhearth/engine/errors";
import { release } from "@keyhearth/outbound/release";
import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { type MemorySignerOptions, openMemorySigner } from "@keyhearth/signer/in-memory";
import type { Issuer } from "@keyhearth/signer/oidc/issuers";
import type { EmulatorClock } from "./clock.ts";
import { EmulatorError } from "./errors.ts";
import { answerMessages } from "./mailbox.ts";
import type { EmulatedOrganization, OrganizationOptions } from "./types.ts";

/** What stays when an emulator begins again. */
export type Setting = {
  url: string;
  store: Store;
  keyring: MemorySignerOptions["keyring"];
  courier: { privateKey: SecretBytes; publicKey: Uint8Array };
  clock: EmulatorClock;
  issuers: readonly Issuer[];
  log: Log;
  metrics: Metrics;
};

/** The service and its signer, from a start to a reset. */
export type World = {
  app: ReturnType<typeof createApp>;
  listMessages: ListMessages;
  found(options: NewOrganization): Promise<EmulatedOrganization>;
  /** Ends what runs by itself. */
  stop(): Promise<void>;
};

type NewOrganization = OrganizationOptions & { apiPrivateKey?: string; isFirst?: boolean };

const SEAL_INTERVAL_MS = 5000;

/** Tests receive webhooks on this machine. */
const THIS_MACHINE = ["127.0.0.0/8", "::1", "localhost"].map((target) => ({
  target,
  familyId: null,
}));

/** Begins with an empty database, and founds nothing yet. */
export async function beginWorld(setting: Setting): Promise<World> {
  const { url, store, keyring, courier, clock, issuers, log, metrics } = setting;
  const { now } = clock;
  const signer = openMemorySigner({
    keyring,
    // Time that a test lets pass has passed for the machine too.
    machine: { now, running: now, up: now },
    courierKey: courier.publicKey,
    issuers,
    log: ({ event, ...rest }) => log.info({ signer: rest }, `signer: ${event}`),
  });
  const host = createHost({
    store,
    log,
    metrics,
    now,
    webhookPrivateTargets: THIS_MACHINE,
    signer: {
      // Messages are copied, as a connection would: host and signer share no objects.
      call: async (request) => structuredClone(await signer.answer(structuredClone(request))),
      depth: () => 0,
      close: async () => {},
    },
  });
  const keys = await findDescription((request) => host.askSigner(request));
  const listMessages = createMessages(host, mailReader(courier.privateKey));
  const jobs = [
    startSealing(host, SEAL_INTERVAL_MS),
    startDelivering(host),
    // Nothing is sent: messages wait in the mailbox until they expire.
    startDelivery(host, { courier: NOBODY, channels: [], isMailbox: true }),
  ];
  let rootOrganizationId = "";
  const app = createApp({
    host,
    wellKnown: async () => ({
      version: release,
      rootOrganizationId,
      ...shownKeys(keys),
    }),
    openApi: createFile(
      fileURLToPath(new URL("../../../../contract/openapi.json", import.meta.url)),
    ),
    isReady: createReadiness(host),
    metricsToken: null,
    rateLimit: null,
    // Each test file makes an organization of its own.
    signup: createSignup({ isOpen: true, isLimited: false }),
    clientAddress: () => "127.0.0.1",
    mailbox: answerMessages(listMessages),
    site: (c) => {
      const isCall = c.req.path.startsWith("/public/") || c.req.method !== "GET";
      throw isCall ? routeNotFound(c.req.path) : noPages();
    },
  } satisfies AppOptions);

  return {
    app,
    listMessages,
    async found(options) {
      const { organizationId, organizationName = "Organization", apiPublicKey } = options;
      const { apiPrivateKey, isFirst = false } = options;
      const asFounder: Host = {
        ...host,
        askSigner(request, ...turn) {
          if (organizationId !== undefined && request.call === "submit") {
            signer.foundAs(fingerprint(request.body), organizationId);
          }
          return host.askSigner(request, ...turn);
        },
      };
      const founded = await foundOrganization(asFounder, {
        organizationName,
        rootUserName: "Root user",
        isRoot: isFirst,
        ...(apiPrivateKey !== undefined && { privateKey: decodeHex(apiPrivateKey) }),
      }).catch((error: unknown) => {
        throw isTaken(error) ? existsAlready(organizationId) : error;
      });
      if (!founded) throw existsAlready(organizationId);
      if (isFirst) rootOrganizationId = founded.organizationId;
      if (apiPublicKey === undefined || apiPublicKey === founded.apiPublicKey) return founded;
      const fetch: typeof globalThis.fetch = async (input, init) =>
        app.request(input instanceof URL ? input.href : input, init);
      await replaceKey({ url, fetch, nowMs: now() }, founded, apiPublicKey);
      return { ...founded, apiPublicKey, apiPrivateKey: "" };
    },
    async stop() {
      for (const job of jobs) await job.stop();
      await host.reader.stop();
    },
  };
}

/** Opens and renders messages as the courier does. Mail is shown without the logos of applications. */
function mailReader(privateKey: SecretBytes): Parameters<typeof createMessages>[1] {
  const sending = {
    mailFrom: { name: "Keyhearth", address: "no-reply@localhost.invalid" },
    mailFromDomains: [],
    templates: null,
    dashboardUrl: null,
  };
  return {
    show(sealed) {
      const message = openMessage(sealed, privateKey);
      return message && { message, rendered: render(message, sending) };
    },
    logos: { find: async () => null },
  };
}

const NOBODY = {
  ask: () => Promise.reject(new Error("the emulator sends nothing")),
  close() {},
};

function noPages(): ApiError {
  return new ApiError(
    "NOT_FOUND",
    "ROUTE_NOT_FOUND",
    "the emulator has no pages: `keyhearth start` serves them, and /openapi.json lists all endpoints",
  );
}

function isTaken(error: unknown): boolean {
  return error instanceof ApiError && error.code === "ALREADY_EXISTS";
}

function existsAlready(organizationId: string | undefined): EmulatorError {
  return new EmulatorError(
    "organizationId",
    `the emulator has the organization ${organizationId} already; give another id, or reset the emulator`,
  );
}

type Sending = { url: string; fetch: typeof globalThis.fetch; nowMs: number };

/** The organization was founded with a key of the emulator. From now on its root user has the caller's key alone. */
async function replaceKey(
  { url, fetch, nowMs }: Sending,
  { organizationId, userId, apiPublicKey, apiPrivateKey }: EmulatedOrganization,
  publicKey: string,
) {
  const stamper = new ApiKeyStamper({ apiPublicKey, apiPrivateKey });
  const client = new KeyhearthClient({ baseUrl: url, organizationId, stamper, fetch });
  const timed = { timestampMs: String(nowMs) };
  const { user } = await client.getUser({ userId });
  const apiKey = { apiKeyName: "API key", publicKey, curveType: "API_KEY_CURVE_P256" } as const;
  await client.createApiKeys({ userId, apiKeys: [apiKey] }, timed);
  const apiKeyIds = user.apiKeys.map(({ apiKeyId }) => apiKeyId);
  await client.deleteApiKeys({ userId, apiKeyIds }, timed);
}
