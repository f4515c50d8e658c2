/** For web pages: registering passkeys, and sessions whose keys never leave the browser. */
export {
  type CodeBackend,
  type Contact,
  logInWithCode,
  type SentCode,
  sendCode,
} from "./browser/code-login.ts";
export { prepareAcceptance } from "./browser/invitations.ts";
export {
  type AccountRequest,
  LoginProxy,
  type LoginProxyOptions,
  type LoginProxySettings,
  type NewAccount,
  type ProxyLogin,
} from "./browser/login-proxy.ts";
export { logInWith, logInWithPasskey, prepareSignUp, type SignUp } from "./browser/logins.ts";
export type { Oauth2Login } from "./browser/oauth2-login.ts";
export { beginOidcLogin, logInWithOidc, type OidcBackend } from "./browser/oidc-login.ts";
export { createPasskey, type PasskeyOptions } from "./browser/passkey-registration.ts";
export type { Session, SessionEvent, SessionListener, SessionRequest } from "./browser/session.ts";
export { SessionKeeper, type SessionKeeperOptions } from "./browser/session-keeper.ts";
export type { EndReason } from "./browser/tabs.ts";
export type { Invitation } from "./crypto/invitation-proof.ts";
export {
  indexedDbStorage,
  type KeyEntry,
  type KeyStorage,
  memoryStorage,
} from "./stampers/key-storage.ts";
