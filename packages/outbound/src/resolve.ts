import { lookup, Resolver } from "node:dns/promises";
import { OutboundError } from "./outbound-error.ts";

/** Finds every address of a name. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<string[]>;

/**
 * Asks the name servers directly. The system's own way would occupy one of a few threads until a slow
 * name server answers, and would also find names of the local network.
 */
export async function resolvePublicName(host: string, signal: AbortSignal): Promise<string[]> {
  if (host === "localhost" || host.endsWith(".localhost")) return ["127.0.0.1", "::1"];
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  const cancel = () => resolver.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = found.flatMap((each) => (each.status === "fulfilled" ? each.value : []));
    const [first] = found;
    if (addresses.length === 0 && first.status === "rejected") throw unresolved(host, first.reason);
    return addresses;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

/** As other programs of this machine do, with its hosts file: for names that the operator listed. */
export async function resolveListedName(host: string): Promise<string[]> {
  try {
    const found = await lookup(host, { all: true, verbatim: true });
    return found.map(({ address }) => address);
  } catch (error) {
    throw unresolved(host, error);
  }
}

function unresolved(host: string, cause: unknown): OutboundError {
  return new OutboundError("unresolved", `the name ${host} has no address`, { cause });
}
