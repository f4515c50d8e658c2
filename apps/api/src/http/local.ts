import type { Context } from "hono";
import { type Env, headerOf, socketAddressOf } from "../wire/request.ts";

/**
 * Whether somebody on this machine asks, by one of its own names and at the port that they reached, and nothing shows
 * a proxy. The name keeps out pages of other sites that point their own name here. A proxy that adds no header looks
 * like this machine, so what is secret needs a token as well.
 */
export function isLocal(c: Context<Env>): boolean {
  const host = headerOf(c, "host") ?? "";
  return (
    isLoopbackAddress(socketAddressOf(c) ?? "") &&
    isLocalName(host, c.env?.incoming?.socket?.localPort) &&
    !headerNames(c).some((name) => proxyHeader.test(name))
  );
}

/** What proxies and content networks add to a request that they pass on. Some add nothing. */
const proxyHeader =
  /^(forwarded|via|cdn-loop|x-forwarded(-.+)?|x-original-.+|x-envoy-.+|cf-.+|(x-)?(real|client|true-client|cluster-client|connecting)-ip)$/;

function headerNames(c: Context<Env>): string[] {
  return Object.keys(c.env?.incoming?.headers ?? c.req.header()).map((name) => name.toLowerCase());
}

/** An IPv4 address may come in its IPv6 form. */
function isLoopbackAddress(address: string): boolean {
  return address === "::1" || /^(::ffff:)?127(\.\d{1,3}){3}$/i.test(address);
}

function isLocalName(host: string, port: number | undefined): boolean {
  const [, name = "", given = "80"] = /^(.*?)(?::(\d{1,5}))?$/.exec(host) ?? [];
  return isNameOfThisMachine(name) && Number(given) === port;
}

/** Whether nobody can give this name another meaning. */
export function isNameOfThisMachine(name: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i.test(name);
}
