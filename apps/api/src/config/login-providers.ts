import { type Environment, given, refused, refusedSecret } from "./variables.ts";

/** Where people log in at an OpenID provider, by the name that login proxies have for their client there. */
export type LoginProvider = { name: string; authorizationEndpoint: string };

const NAME = "KEYHEARTH_LOGIN_PROVIDERS";

/** The dashboard offers them where the login proxy of an organization has a client of that name. */
export function readLoginProviders(env: Environment): LoginProvider[] {
  const entries = given(env, NAME)?.split(",") ?? [];
  const providers = entries.map((entry) => {
    const [, name = "", endpoint = ""] = /^([a-z][a-z0-9-]{0,31})=(.+)$/.exec(entry.trim()) ?? [];
    if (!isAccepted(endpoint)) {
      throw entry.includes("@") ? refusedSecret(NAME) : refused(NAME, entry.trim());
    }
    return { name, authorizationEndpoint: endpoint };
  });
  const names = new Set(providers.map(({ name }) => name));
  if (names.size < providers.length) throw refused(NAME, given(env, NAME) ?? "");
  return providers;
}

/** A browser goes there, so http is for a provider on this machine only. */
function isAccepted(address: string): boolean {
  const url = URL.parse(address);
  if (!url || url.username || url.password || url.hash || url.href !== address) return false;
  if (url.protocol === "https:") return true;
  return url.protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
}
