import { ApiError, shorten } from "@keyhearth/engine/errors";
import { type ProxySettings, proxySettingsOf } from "@keyhearth/engine/people/auth-proxy";
import type { Context } from "hono";
import { findCurrent } from "../callers/current-document.ts";
import type { Host } from "../host/host.ts";
import { type Env, headerOf } from "../wire/request.ts";
import type { ProxyKeys } from "./key.ts";

/** An organization whose proxy a call is for, and what it set. */
export type Configuration = {
  organizationId: string;
  parentOrganizationId: string | null;
  settings: ProxySettings;
};

const HEADER = "X-Auth-Proxy-Config-ID";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The id of a configuration is that of its organization. */
export function configurationIdOf(c: Context<Env>): string {
  const id = headerOf(c, HEADER);
  if (id !== undefined && UUID.test(id)) return id;
  const given = id === undefined ? "missing" : `\`${shorten(id)}\``;
  throw new ApiError(
    "INVALID_ARGUMENT",
    "FIELD_INVALID",
    `\`${HEADER}\` is ${given}: send the id of the organization that switched its login proxy on`,
    { field: HEADER },
  );
}

/** Unknown organizations, those without a proxy and those with another service's key have the same answer. */
export async function findConfiguration(
  host: Host,
  keys: ProxyKeys,
  organizationId: string,
): Promise<Configuration> {
  const found = await findCurrent(host, organizationId);
  const settings = found ? proxySettingsOf(found.document) : null;
  if (found && settings && settings.publicKey === keys.publicKeyOf(organizationId)) {
    const { parentOrganizationId } = found.document;
    return { organizationId, parentOrganizationId, settings };
  }
  throw new ApiError(
    "NOT_FOUND",
    "NOT_FOUND",
    `no login proxy is configured for \`${organizationId}\`: its root quorum sets FEATURE_NAME_AUTH_PROXY, with the key that this service shows for it`,
    { field: HEADER },
  );
}

/**
 * A browser says which page a call is from, and other programs can say anything. So the check keeps other pages from
 * using a visitor's browser, and a program without Origin is refused unless the settings are for native apps too.
 */
export function assertOrigin(
  { settings: { origins, nativeApps } }: Configuration,
  origin: string | undefined,
) {
  if (origin === undefined ? nativeApps : origins.includes(origin)) return;
  const given =
    origin === undefined ? "`Origin` is missing" : `\`Origin\` is \`${shorten(origin)}\``;
  const mend =
    origin === undefined
      ? "only pages may call this login proxy, unless its organization sets `nativeApps`"
      : "it is not in the `origins` that the organization set for its login proxy";
  throw new ApiError("PERMISSION_DENIED", "REQUEST_NOT_AUTHORIZED", `${given}: ${mend}`);
}
