import { type Secret, secret } from "@keyhearth/crypto/secret";
import { isPublic, parseAddress } from "@keyhearth/outbound/addresses";
import { ConfigError, type Environment, given, refused, refusedSecret } from "./variables.ts";

/** The model that writes the answers of the site's assistant. The operator chose it, and trusts it with the questions. */
export type AssistantModel = {
  /** Where chat completions are asked for. */
  url: string;
  model: string;
  key: Secret | null;
};

const URL_NAME = "KEYHEARTH_ASSISTANT_URL";
const MODEL_NAME = "KEYHEARTH_ASSISTANT_MODEL";
const KEY_NAME = "KEYHEARTH_ASSISTANT_KEY";

/** The path of the one call that is made. Some people write it too. */
const CALL = "/chat/completions";

/** Null without any of the settings. */
export function readAssistant(env: Environment): AssistantModel | null {
  const [url, model, key] = [URL_NAME, MODEL_NAME, KEY_NAME].map((name) => given(env, name));
  if (url === undefined && model === undefined && key === undefined) return null;
  if (url === undefined) throw missing(URL_NAME, model === undefined ? KEY_NAME : MODEL_NAME);
  if (model === undefined) throw missing(MODEL_NAME, URL_NAME);
  if (!/^[\w.:/@+-]{1,200}$/.test(model)) throw refused(MODEL_NAME, model);
  if (key !== undefined && !/^[\x21-\x7e]{1,4096}$/.test(key)) throw refusedSecret(KEY_NAME);
  return { url: readUrl(url), model, key: key === undefined ? null : secret(key) };
}

function readUrl(given: string): string {
  const url = URL.parse(given);
  if (url?.username || url?.password) throw refusedSecret(URL_NAME);
  const isKept = url?.protocol === "https:" || (url?.protocol === "http:" && isNear(url));
  if (!url || !isKept || /[?#]/.test(given)) throw refused(URL_NAME, given);
  return `${url.href.replace(/\/+$/, "").replace(new RegExp(`${CALL}$`), "")}${CALL}`;
}

/** Questions and the key would cross other networks in the clear. */
function isNear({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const address = parseAddress(host);
  return address ? !isPublic(address) : !host.includes(".");
}

function missing(name: string, other: string): ConfigError {
  return new ConfigError(
    `${other} is set but ${name} is not: the assistant needs ${URL_NAME} and ${MODEL_NAME}, or neither`,
  );
}
