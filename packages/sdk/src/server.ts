/** What a backend needs: proxies for requests that browsers stamped, and its own API key. */
export { NodeApiKeyStamper, type NodeApiKeyStamperOptions } from "./server/api-key.ts";
export { type ApiKeyFile, readApiKeyFile } from "./server/api-key-file.ts";
export {
  type ExpressProxyOptions,
  type ExpressRequest,
  expressProxyHandler,
} from "./server/express.ts";
export type { Endpoint, ProxyOptions } from "./server/forward.ts";
export type { ProxyErrorCode } from "./server/refusal.ts";
export {
  honoProxyHandler,
  nextProxyHandler,
  proxyHandler,
  type WebProxyOptions,
} from "./server/web.ts";
