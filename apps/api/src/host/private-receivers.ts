import { parseUrl } from "@keyhearth/crypto/encoding/url";
import { shorten } from "@keyhearth/engine/errors";
import { refusalOf } from "@keyhearth/outbound/guarded-request";
import { parsePrivateTarget } from "@keyhearth/outbound/private-targets";
import type { PrivateReceiver } from "../config/private-receivers.ts";

/** The private targets of the webhooks of one family. */
export function targetsOfFamily(
  receivers: readonly PrivateReceiver[],
  familyId: string,
): readonly string[] {
  return receivers.flatMap((each) =>
    each.familyId === null || each.familyId === familyId ? each.target : [],
  );
}

/** What the operator can do for a receiver of webhooks that the service refuses, if that helps. */
export function unlessListed(url: string): string {
  const { hostname, port } = parseUrl(url) ?? { hostname: "", port: "" };
  const target = port === "" ? hostname.replace(/^\[|\]$/g, "") : `${hostname}:${port}`;
  if (!parsePrivateTarget(target)) return "";
  if (refusalOf(url, { allowPrivate: [target], isHttpsRequired: true }) !== null) return "";
  return `, unless the operator of this service lists \`${shorten(target)}\` in KEYHEARTH_WEBHOOK_PRIVATE_TARGETS`;
}
