/** What a backend needs: its own API key, its part of logins, and proxies for requests that browsers stamped. */
export { NodeApiKeyStamper, type NodeApiKeyStamperOptions } from "./server/api-key.ts";
export { type ApiKeyFile, readApiKeyFile } from "./server/api-key-file.ts";
export {
  type ExpressHandler,
  type ExpressProxyOptions,
  type ExpressRequest,
  expressProxyHandler,
} from "./server/express.ts";
export type { Endpoint, ProxyOptions } from "./server/forward.ts";
export {
  expressLoginHandler,
  honoLoginHandler,
  loginHandler,
  nextLoginHandler,
} from "./server/login-handler.ts";
export type { LoginAttempt, LoginHandlerOptions, LoginMethod } from "./server/login-options.ts";
export type { ProxyErrorCode } from "./server/refusal.ts";
export {
  honoProxyHandler,
  nextProxyHandler,
  proxyHandler,
  type WebProxyOptions,
} from "./server/web.ts";
