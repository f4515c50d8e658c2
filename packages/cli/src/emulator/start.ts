import { StartError } from "@keyhearth/api/config/start-error";
import { createLog } from "@keyhearth/api/observability/log";
import { createMetrics } from "@keyhearth/api/observability/metrics";
import { drain, listen, portOf, serve } from "@keyhearth/api/start/listener";
import { emptyDatabase } from "@keyhearth/api/store/empty-database";
import { courierPublicKeyOf, newCourierKey } from "@keyhearth/courier/key-file";
import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import { parseUrl } from "@keyhearth/crypto/encoding/url";
import { newKeyring } from "@keyhearth/signer/in-memory";
import { type Issuer, parseIssuers } from "@keyhearth/signer/oidc/issuers";
import { createEmulatorClock } from "./clock.ts";
import { createControl } from "./control.ts";
import { openDatabase } from "./database.ts";
import { EmulatorError } from "./errors.ts";
import { checkEmulatorOptions, checkMove, checkOrganizationOptions } from "./options.ts";
import { isOfAnotherSite } from "./other-sites.ts";
import type { EmulatedOrganization, Emulator, EmulatorOptions } from "./types.ts";
import { beginWorld, type World } from "./world.ts";

/** Nobody else reaches it, whatever the caller wants. */
const LOOPBACK = "127.0.0.1";

/** Starts an emulator. A `snapshot` is a file with a database that has all tables, for tests of a clone. */
export async function start(
  given: EmulatorOptions,
  { snapshot = null }: { snapshot?: string | null } = {},
): Promise<Emulator> {
  const options = checkEmulatorOptions(given);
  const issuers = readIssuers(options.oidcIssuers);
  const { port = 0, log: write } = options;
  const log = createLog({
    level: write ? "info" : "silent",
    destination: { write: (line) => write?.(line.trimEnd()) },
  });
  const metrics = createMetrics({ isWithProcess: false });
  const server = await listenAt(port, { log, metrics });
  try {
    const store = await openDatabase(snapshot);
    try {
      const url = `http://localhost:${portOf(server, { port })}`;
      const clock = createEmulatorClock();
      const setting = { url, store, keyring: newKeyring(), courier: newCourier(), clock };
      const emulator = await emulate(options, { ...setting, issuers, log, metrics });
      serve(server, emulator, { trustedProxies: [] });
      return {
        ...emulator.control,
        get organization() {
          return emulator.organization();
        },
        async close() {
          await drain(server);
          await emulator.stop();
          await store.close();
        },
      };
    } catch (error) {
      await store.close();
      throw error;
    }
  } catch (error) {
    server.close();
    throw error;
  }
}

type Fetch = World["app"]["fetch"];

/** Answers with the world of the moment. While it begins again, requests wait. */
async function emulate(options: EmulatorOptions, setting: Parameters<typeof beginWorld>[0]) {
  const { url, store, clock } = setting;
  const underWay = new Set<Promise<unknown>>();
  let world = await beginWorld(setting);
  let first = await world
    .found({ ...firstOf(options), isFirst: true })
    .catch(async (error: unknown) => {
      await world.stop();
      throw error;
    });
  const { organizationId } = first;
  let resetting: Promise<EmulatedOrganization> | null = null;

  async function beginAgain(): Promise<EmulatedOrganization> {
    await Promise.allSettled(underWay);
    await world.stop();
    await emptyDatabase(store);
    clock.restart();
    world = await beginWorld(setting);
    const { apiPrivateKey } = first;
    const key = apiPrivateKey === "" ? {} : { apiPrivateKey };
    first = await world.found({ ...firstOf(options), ...key, organizationId, isFirst: true });
    return first;
  }

  /** Two at once are one. */
  async function reset() {
    resetting ??= beginAgain().finally(() => {
      resetting = null;
    });
    return resetting;
  }

  async function inWorld<Result>(work: (now: World) => Promise<Result>): Promise<Result> {
    while (resetting) await resetting;
    const done = work(world);
    underWay.add(done);
    try {
      return await done;
    } finally {
      underWay.delete(done);
    }
  }

  const control = {
    url,
    createOrganization: (given: unknown = {}) =>
      inWorld(async (now) => now.found(checkOrganizationOptions(given))),
    messages: (to?: string) => inWorld((now) => now.listMessages(to)),
    now: async () => clock.now(),
    moveClock: async (milliseconds: unknown) => clock.move(milliseconds),
    reset,
  };
  const controls = createControl(
    {
      organizations: control.createOrganization,
      clock: async ({ forwardMs, ...others }) => {
        const [unknown] = Object.keys(others);
        if (unknown === undefined) return { nowMs: clock.move(checkMove(forwardMs)) };
        throw new EmulatorError(unknown, `the clock takes \`forwardMs\`, and no \`${unknown}\``);
      },
      reset,
      now: clock.now,
    },
    setting,
  );
  const fetch: Fetch = (request, ...rest) => {
    const isControl = parseUrl(request.url)?.pathname.startsWith("/emulator/");
    // The controls refuse other sites in their own words.
    if (isControl || isOfAnotherSite(request.headers)) return controls.fetch(request, ...rest);
    return inWorld(async ({ app }) => app.fetch(request, ...rest));
  };
  return {
    fetch,
    control,
    organization: () => first,
    async stop() {
      await resetting?.catch(() => {});
      await world.stop();
    },
  };
}

function firstOf({
  organizationName,
  organizationId,
  apiPublicKey,
  apiPrivateKey,
}: EmulatorOptions) {
  return {
    organizationName: organizationName ?? "Emulator",
    ...(organizationId !== undefined && { organizationId }),
    ...(apiPublicKey !== undefined && { apiPublicKey }),
    ...(apiPrivateKey !== undefined && { apiPrivateKey }),
  };
}

function newCourier() {
  const privateKey = newCourierKey();
  return { privateKey, publicKey: decodeHex(courierPublicKeyOf(privateKey)) };
}

function readIssuers(text: string | undefined): Issuer[] {
  try {
    return parseIssuers(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new EmulatorError("oidcIssuers", why.replace(/^KEYHEARTH_OIDC_ISSUERS/, "`oidcIssuers`"));
  }
}

async function listenAt(port: number, watchers: Parameters<typeof listen>[1]) {
  try {
    return await listen({ host: LOOPBACK, port, trustedProxies: [] }, watchers);
  } catch (cause) {
    if (!(cause instanceof StartError)) throw cause;
    const code = cause.cause instanceof Error && "code" in cause.cause ? cause.cause.code : "";
    const why =
      code === "EADDRINUSE"
        ? `port ${port} is in use by another process; stop it, or give another port (0 takes a free one)`
        : `this user may not listen on port ${port}; give a port above 1023, or 0 for a free one`;
    throw new EmulatorError("port", why, { cause });
  }
}
