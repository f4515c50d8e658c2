import { type Secret, secret } from "@keyhearth/crypto/secret";
import { ConfigError, type Environment, given, refused, refusedSecret } from "./variables.ts";

/** Who says whether a captcha was solved. */
export type CaptchaSettings = { url: string; secret: Secret; siteKey: string };

const names = [
  "KEYHEARTH_CAPTCHA_URL",
  "KEYHEARTH_CAPTCHA_SECRET",
  "KEYHEARTH_CAPTCHA_SITE_KEY",
] as const;

/** Null if the login proxy asks for no captcha. */
export function readCaptcha(env: Environment): CaptchaSettings | null {
  const [url, key, siteKey] = names.map((name) => given(env, name));
  if (url === undefined && key === undefined && siteKey === undefined) return null;
  if (url === undefined || key === undefined || siteKey === undefined) {
    const missing = names.filter((name) => given(env, name) === undefined);
    throw new ConfigError(
      `${missing.join(" and ")} must be set too: a captcha needs ${names.join(", ")}`,
    );
  }
  if (!isAccepted(url)) throw refused("KEYHEARTH_CAPTCHA_URL", url);
  if (!/^[\x21-\x7e]{1,200}$/.test(siteKey)) throw refused("KEYHEARTH_CAPTCHA_SITE_KEY", siteKey);
  if (!/^[\x21-\x7e]{8,200}$/.test(key)) throw refusedSecret("KEYHEARTH_CAPTCHA_SECRET");
  return { url, secret: secret(key), siteKey };
}

function isAccepted(value: string): boolean {
  const url = URL.parse(value);
  if (!url || url.username || url.password || url.hash) return false;
  if (url.protocol === "https:") return true;
  return url.protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
}
