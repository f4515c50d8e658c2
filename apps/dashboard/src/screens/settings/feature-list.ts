import type { FeatureName } from "@keyhearth/sdk";

export type FeatureFacts = {
  name: FeatureName;
  title: string;
  what: string;
  /** What its value is. A feature without one is only on or off. */
  value?: { label: string; hint: string; isLong?: boolean };
  /** The page that explains it. */
  docs: string;
};

export const featureList: readonly FeatureFacts[] = [
  {
    name: "FEATURE_NAME_WEBAUTHN_ORIGINS",
    title: "Pages that may use passkeys",
    what: "Only pages of these origins can stamp with passkeys, here and in all sub-organizations. While it is off, any page may.",
    value: {
      label: "Origins",
      hint: "Such as https://app.example.com, separated by commas. Leave this dashboard's own origin in, or nobody can log in here with a passkey.",
    },
    docs: "/concepts/organizations#features",
  },
  {
    name: "FEATURE_NAME_AUTH_PROXY",
    title: "Login proxy",
    what: "Pages without a server of their own sign people up and log them in to sub-organizations.",
    value: {
      label: "Settings",
      hint: "JSON, as the guide shows it. Switching it on makes a user and policies.",
      isLong: true,
    },
    docs: "/guides/login-proxy",
  },
  {
    name: "FEATURE_NAME_OTP_EMAIL_AUTH",
    title: "Login by a code in an email",
    what: "The service mails a code, which logs a user in.",
    docs: "/authentication/email",
  },
  {
    name: "FEATURE_NAME_SMS_AUTH",
    title: "Login by a code in an SMS",
    what: "The service sends a code to a phone, which logs a user in.",
    docs: "/authentication/sms",
  },
  {
    name: "FEATURE_NAME_EMAIL_AUTH",
    title: "Login by email",
    what: "A mail has a credential, encrypted to the page that asked for it.",
    docs: "/authentication/email",
  },
  {
    name: "FEATURE_NAME_EMAIL_RECOVERY",
    title: "Recovery by email",
    what: "Users who have lost their credentials get a new one by mail.",
    docs: "/authentication/email#recovery-flow",
  },
  {
    name: "FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY",
    title: "Recovery of root users by email",
    what: "Root users who have lost their credentials get a new one by mail, so their mailbox can do everything.",
    docs: "/authentication/email#recovery-flow",
  },
  {
    name: "FEATURE_NAME_WEBHOOK",
    title: "One webhook for everything",
    what: "Every activity is sent to one address. The tab Webhooks has endpoints with names and a log of deliveries.",
    value: { label: "Address", hint: "An https address that reaches your server." },
    docs: "/developer-reference/webhooks",
  },
];
