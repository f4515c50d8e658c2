// Several hosts in one URL, as libpq reads them: postgres://user:password@a:5432,b:5432/name?target_session_attrs=read-write
// (PostgreSQL, "Connection URIs" and "Specifying Multiple Hosts"). One of them takes writes, and after a failover it is
// another one.

/** What a session must be able to do. The service always writes, so the other values of libpq are refused. */
const TARGETS = ["read-write", "primary"];

/** Of DATABASE_READ_URL. A host that is a standby no longer is not asked, so they all mean the same. */
export const STANDBY_TARGETS = ["standby", "prefer-standby", "read-only", "any"];

const several = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)([^#]*)$/;

/**
 * A URL for each host. Undefined if the text is no such URL.
 *
 *     urlsOfHosts("postgres://a,b:5433/x") // ["postgres://a/x", "postgres://b:5433/x"]
 */
export function urlsOfHosts(
  text: string,
  targets: readonly string[] = TARGETS,
): string[] | undefined {
  const [, start = "", hosts = "", rest = ""] = several.exec(text) ?? [];
  const parameters = new URLSearchParams(/\?.*/s.exec(rest)?.[0]);
  if (!hosts.includes(",")) {
    // libpq reads a list here too, and the driver one name.
    const isOne = !parameters.get("host")?.includes(",");
    return isOne && isUrl(text) ? [text] : undefined;
  }
  // The driver would take it in place of each host.
  if (parameters.has("host") || parameters.has("port")) return undefined;
  const urls = hosts.split(",").map((host) => (host === "" ? "" : start + host + rest));
  const target = parameters.getAll("target_session_attrs");
  const isTarget = target.every((each) => targets.includes(each));
  return isTarget && new Set(urls).size === urls.length && urls.every(isUrl) ? urls : undefined;
}

/** `postgres://user@/name?host=/run/postgresql` names a socket, but URL requires a host there. */
function isUrl(text: string): boolean {
  return /^postgres(ql)?:\/\/./.test(text) && URL.canParse(text.replace("@/", "@socket/"));
}
