import { parseUrl } from "@keyhearth/crypto/encoding/url";
import {
  OAUTH2_PROVIDERS,
  type Oauth2Provider,
  shortNameOf,
} from "@keyhearth/engine/fields/oauth2";
import { SignerStateError } from "../state/state-error.ts";

/** A provider that only speaks OAuth 2.0: where codes are exchanged, and where it says who somebody is. */
export type Provider = {
  provider: Oauth2Provider;
  tokenUrl: string;
  userUrl: string;
  /** Whom the answer of `userUrl` is about. */
  subjectOf(answer: Record<string, unknown>): unknown;
  /** What may be reached although it is private: the host and port that the operator named. */
  allowPrivate: readonly string[];
};

export const PROVIDERS_VARIABLE = "KEYHEARTH_OAUTH2_PROVIDERS";
export const DEFAULT_PROVIDERS = "x,discord";

type Known = { base: string; token: string; user: string; subjectOf: Provider["subjectOf"] };

const known: Record<Oauth2Provider, Known> = {
  OAUTH2_PROVIDER_X: {
    base: "https://api.x.com",
    token: "/2/oauth2/token",
    user: "/2/users/me",
    subjectOf: ({ data }) =>
      typeof data === "object" && data !== null && "id" in data ? data.id : undefined,
  },
  OAUTH2_PROVIDER_DISCORD: {
    base: "https://discord.com",
    token: "/api/v10/oauth2/token",
    user: "/api/v10/users/@me",
    subjectOf: ({ id }) => id,
  },
};

const names = new Map(OAUTH2_PROVIDERS.map((each) => [shortNameOf(each), each]));

const PRIVATE = "private:";

/**
 * Reads a list such as `x,discord`. `=` and a URL after a name is where the provider is instead: a double of it, for tests.
 * `private:` before the URL allows a private address and http. `none` exchanges no codes.
 */
export function parseProviders(text = DEFAULT_PROVIDERS): Provider[] {
  if (text.trim() === "none") return [];
  const providers = text.split(",").map((each) => parseEntry(each.trim()));
  for (const [index, { provider }] of providers.entries()) {
    const isFirst = providers.findIndex((each) => each.provider === provider) === index;
    if (!isFirst) throw refused(`it lists ${shortNameOf(provider)} twice`);
  }
  return providers;
}

function parseEntry(entry: string): Provider {
  const at = entry.indexOf("=");
  const provider = names.get(at < 0 ? entry : entry.slice(0, at));
  if (!provider) throw notAccepted(entry);
  const { base, token, user, subjectOf } = known[provider];
  if (at < 0) {
    return {
      provider,
      tokenUrl: `${base}${token}`,
      userUrl: `${base}${user}`,
      subjectOf,
      allowPrivate: [],
    };
  }
  const given = entry.slice(at + 1);
  const isPrivate = given.startsWith(PRIVATE);
  const place = isPrivate ? given.slice(PRIVATE.length) : given;
  const url = parseUrl(place);
  const protocols = isPrivate ? ["https:", "http:"] : ["https:"];
  // An origin and nothing else: the paths are those of the provider.
  if (url === null || url.origin !== place || !protocols.includes(url.protocol)) {
    throw notAccepted(entry);
  }
  const port = url.port || (url.protocol === "https:" ? 443 : 80);
  return {
    provider,
    tokenUrl: `${place}${token}`,
    userUrl: `${place}${user}`,
    subjectOf,
    allowPrivate: isPrivate ? [`${url.hostname}:${port}`] : [],
  };
}

function notAccepted(entry: string): SignerStateError {
  return refused(
    `\`${entry.slice(0, 80)}\` is not accepted; use ${[...names.keys()].join(" or ")}, each with or without = and the https origin of its double, or ${PRIVATE} and an http or https origin`,
  );
}

function refused(why: string): SignerStateError {
  return new SignerStateError(`${PROVIDERS_VARIABLE}: ${why}`);
}
