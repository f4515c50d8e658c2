"use client";
/** The SDK for React 19: a provider that keeps the session of this browser, and hooks. */
export {
  type CallState,
  type QueryState,
  type Task,
  useQuery,
  useSubmission,
  useTask,
} from "./react/calls.ts";
export {
  type SignUpRequest,
  useCodeLogin,
  useOidcLogin,
  usePasskeyLogin,
  usePasskeySignUp,
} from "./react/logins.ts";
export {
  KeyhearthProvider,
  type KeyhearthProviderProps,
  useKeyhearth,
  useSession,
} from "./react/provider.ts";
export type { SessionState } from "./react/session-store.ts";
export {
  type SignedMessage,
  type SigningAccount,
  useSignMessage,
  useWallets,
  type WalletWithAccounts,
} from "./react/wallets.ts";
