import { isNameOfThisMachine } from "@keyhearth/api/http/local";
import { parseUrl } from "@keyhearth/crypto/encoding/url";

/**
 * Whether a page of another site asks, or one whose name was pointed at this machine. Anybody may make an organization in
 * an emulator, and it sends webhooks to this machine, so such a page could reach every service here.
 */
export function isOfAnotherSite(headers: Headers): boolean {
  const origin = headers.get("origin");
  const isForeign = origin !== null && !isOwn(origin);
  return isForeign || !isOwn(`http://${headers.get("host") ?? ""}`);
}

function isOwn(address: string): boolean {
  return isNameOfThisMachine(parseUrl(address)?.hostname ?? "");
}
