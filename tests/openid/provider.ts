import { generateKeyPairSync, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Configuration, Provider } from "oidc-provider";

/** A real OpenID provider on a port of loopback. People log in with any name. */
export type OpenIdProvider = {
  issuer: string;
  /** The ID token of somebody who logs in through the browser's redirects. */
  logIn(subject: string, options: { nonce: string; clientId?: string }): Promise<string>;
  /** Where a browser starts to log in. It ends at `REDIRECT`, with a code. */
  authorizationUrl(nonce: string): string;
  /** The ID token for a code, as the app's backend gets it. */
  exchange(code: string): Promise<string>;
  /** From now on, tokens are signed with a new key, and the old one is no longer published. */
  changeKeys(): void;
  /** How many requests there were, by path. */
  requests: Map<string, number>;
  stop(): Promise<void>;
};

export const CLIENT_ID = "my-app";
export const OTHER_CLIENT_ID = "other-app";

export const REDIRECT = "https://app.example.com/callback";
const SECRET = "secret of the test";

/** The app of a page that gets its ID tokens without a backend. */
export const PAGE_CLIENT_ID = "my-page";

/** `pages` are where people may come back to with an ID token, for the client `PAGE_CLIENT_ID`. */
export async function startOpenIdProvider({
  pages = [],
}: {
  pages?: string[];
} = {}): Promise<OpenIdProvider> {
  let listener: (request: IncomingMessage, response: ServerResponse) => unknown = () => {};
  const requests = new Map<string, number>();
  const server = createServer((request, response) => {
    const path = (request.url ?? "").split("?")[0] ?? "";
    requests.set(path, (requests.get(path) ?? 0) + 1);
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on a port has such an address.
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const changeKeys = () => {
    listener = new Provider(issuer, configuration(pages)).callback();
  };
  changeKeys();
  return {
    issuer,
    changeKeys,
    requests,
    logIn: (subject, { nonce, clientId = CLIENT_ID }) =>
      logIn(issuer, { subject, nonce, clientId }),
    authorizationUrl: (nonce) => `${issuer}${authorizationPath({ nonce, clientId: CLIENT_ID })}`,
    exchange: (code) => exchange(issuer, code, CLIENT_ID),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function configuration(pages: string[]): Configuration {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = { ...privateKey.export({ format: "jwk" }), kid: randomUUID(), use: "sig" };
  return {
    clients: [
      ...[CLIENT_ID, OTHER_CLIENT_ID].map((clientId) => ({
        client_id: clientId,
        client_secret: SECRET,
        redirect_uris: [REDIRECT],
        token_endpoint_auth_method: "client_secret_post" as const,
      })),
      ...(pages.length > 0 ? [pageClient(pages)] : []),
    ],
    responseTypes: ["code", "id_token"],
    // The library's types want each kind of key to be one of its own.
    jwks: { keys: [key] } as unknown as NonNullable<Configuration["jwks"]>,
    cookies: { keys: ["of the test"] },
    pkce: { required: () => false },
    findAccount: (_context, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
  };
}

/** Providers let only native apps come back to a loopback address without TLS. */
function pageClient(pages: string[]) {
  return {
    client_id: PAGE_CLIENT_ID,
    application_type: "native" as const,
    redirect_uris: pages,
    response_types: ["id_token" as const],
    grant_types: ["implicit"],
    token_endpoint_auth_method: "none" as const,
  };
}

type Login = { subject: string; nonce: string; clientId: string };

/** The authorization code flow, as a browser and the app's backend go through it. */
async function logIn(issuer: string, { subject, nonce, clientId }: Login): Promise<string> {
  const visit = createBrowser(issuer);
  let at = await visit(authorizationPath({ nonce, clientId }));
  const forms: Record<string, string>[] = [
    { prompt: "login", login: subject, password: "any" },
    { prompt: "consent" },
  ];
  for (const form of forms) {
    at = await visit(at, form);
    at = await visit(at);
  }
  const code = new URL(at).searchParams.get("code");
  if (!code) throw new Error(`the provider did not redirect with a code: ${at}`);
  return exchange(issuer, code, clientId);
}

function authorizationPath({ nonce, clientId }: Omit<Login, "subject">): string {
  const asked = { client_id: clientId, response_type: "code", scope: "openid", nonce };
  return `/auth?${new URLSearchParams({ ...asked, redirect_uri: REDIRECT })}`;
}

async function exchange(issuer: string, code: string, clientId: string): Promise<string> {
  const response = await fetch(`${issuer}/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code,
      redirect_uri: REDIRECT,
      client_id: clientId,
      client_secret: SECRET,
    }),
  });
  const { id_token: token } = (await response.json()) as { id_token?: string };
  if (!token) throw new Error(`the provider gave no token: ${response.status}`);
  return token;
}

/** Sends a request with the cookies so far. Returns where the answer redirects to. */
function createBrowser(issuer: string) {
  const cookies = new Map<string, string>();
  return async (place: string, form?: Record<string, string>): Promise<string> => {
    const response = await fetch(new URL(place, issuer), {
      method: form ? "POST" : "GET",
      redirect: "manual",
      headers: { cookie: [...cookies].map((pair) => pair.join("=")).join("; ") },
      ...(form ? { body: new URLSearchParams(form) } : {}),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [name = "", value = ""] = (cookie.split(";")[0] ?? "").split("=");
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (!location) throw new Error(`${place} answered ${response.status} without a redirect`);
    return new URL(location, issuer).href;
  };
}
