"use client";
/** Ready components for React 19: logins, exports, imports and signatures, above the hooks of `@keyhearth/sdk/react`. */
export { Auth } from "./kit/auth.tsx";
export type { AuthMethod, AuthPreview, AuthProps } from "./kit/auth-props.ts";
export { ConfirmTransaction, type ConfirmTransactionProps } from "./kit/confirm-transaction.tsx";
export { Export, type Exported, type ExportProps } from "./kit/export.tsx";
export { Import, type ImportedKind, type ImportProps } from "./kit/import.tsx";
export { type KitOptions, KitProvider } from "./kit/kit.tsx";
export { type SigningPreview, SignMessage, type SignMessageProps } from "./kit/sign-message.tsx";
export { google, type OpenIdProvider } from "./kit/social.ts";
export { spanish } from "./kit/spanish.ts";
export { type KitTheme, kitStyles } from "./kit/styles.ts";
export { english, type KitTexts } from "./kit/texts.ts";
export type { OwnWallet } from "./kit/wallets.ts";
