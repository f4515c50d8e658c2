import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { encryptToQuorumKey } from "@keyhearth/crypto/sealing/encrypt-to-quorum-key";

// A provider that only speaks OAuth 2.0, on a port of loopback: the double of X and of Discord. It is as strict as
// RFC 6749 and RFC 7636 want it, unless a test tells it to misbehave.

export const CLIENT = { clientId: "1029384756", clientSecret: "s3cret~of=the/client" };
export const REDIRECT_URI = "https://app.example.com/callback";

type Asked = { subject: string; challenge: string; redirectUri: string; clientId: string };

/** What a test answers instead of the provider. True if it has answered. */
type Misbehave = (
  path: string,
  response: ServerResponse,
  request: IncomingMessage,
) => boolean | undefined;

export type Oauth2Provider = {
  url: string;
  /** The code with which a person's browser comes back to the page. */
  codeOf(asked: Partial<Asked> & { verifier: string }): string;
  /** Who is logged in at the provider when a browser opens `/authorize`. */
  person: string;
  misbehave: Misbehave | null;
  /** Whether a code counts more than once. */
  allowsReplays: boolean;
  /** Every request, with what it was authorized with. */
  requests: { path: string; authorization: string; body: string }[];
  stop(): Promise<void>;
};

function challengeOf(verifier: string): string {
  return createHash("sha256").update(verifier).digest("base64url");
}

export async function startOauth2Provider(): Promise<Oauth2Provider> {
  const codes = new Map<string, Asked>();
  const tokens = new Map<string, string>();
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => {
      body += chunk;
    });
    request.on("end", () => answer(request, response, body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on a port has such an address.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const provider: Oauth2Provider = {
    url,
    codeOf({ verifier, subject = "80351110224678912", ...asked }) {
      const code = randomBytes(16).toString("base64url");
      const challenge = challengeOf(verifier);
      const by = { redirectUri: REDIRECT_URI, clientId: CLIENT.clientId };
      codes.set(code, { ...by, subject, challenge, ...asked });
      return code;
    },
    person: "80351110224678912",
    misbehave: null,
    allowsReplays: false,
    requests: [],
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  function answer(request: IncomingMessage, response: ServerResponse, body: string) {
    const { pathname, searchParams } = new URL(request.url ?? "", url);
    const { authorization = "" } = request.headers;
    provider.requests.push({ path: pathname, authorization, body });
    if (provider.misbehave?.(pathname, response, request)) return;
    switch (pathname) {
      case "/2/oauth2/token":
      case "/api/v10/oauth2/token":
        return answerToken(response, authorization, new URLSearchParams(body));
      case "/2/users/me":
        return answerUser(response, authorization, (id) => ({ data: { id, name: "Ada" } }));
      case "/api/v10/users/@me":
        return answerUser(response, authorization, (id) => ({ id, username: "ada" }));
      case "/authorize":
        return authorize(response, searchParams);
      default:
        return send(response, 404, { message: "404: Not Found" });
    }
  }

  /** As a browser comes, with somebody who is logged in and has consented before. */
  function authorize(response: ServerResponse, asked: URLSearchParams) {
    const { redirect_uri: redirectUri = "", client_id: clientId = "" } = Object.fromEntries(asked);
    const code = randomBytes(16).toString("base64url");
    const challenge = asked.get("code_challenge") ?? "";
    codes.set(code, { subject: provider.person, challenge, redirectUri, clientId });
    const back = new URLSearchParams({ code, state: asked.get("state") ?? "" });
    response.writeHead(302, { location: `${redirectUri}?${back}` }).end();
  }

  function answerToken(response: ServerResponse, authorization: string, form: URLSearchParams) {
    const given = Buffer.from(authorization.replace(/^Basic /, ""), "base64").toString();
    const [id, secret] = given.split(":").map(decodeURIComponent);
    if (id !== CLIENT.clientId || secret !== CLIENT.clientSecret) {
      return send(response, 401, { error: "invalid_client" });
    }
    const code = form.get("code") ?? "";
    const asked = codes.get(code);
    const isGood =
      form.get("grant_type") === "authorization_code" &&
      asked?.clientId === id &&
      asked.redirectUri === form.get("redirect_uri") &&
      asked.challenge === challengeOf(form.get("code_verifier") ?? "");
    if (!asked || !isGood) return send(response, 400, { error: "invalid_grant" });
    if (!provider.allowsReplays) codes.delete(code);
    const token = randomBytes(24).toString("base64url");
    tokens.set(token, asked.subject);
    send(response, 200, { access_token: token, token_type: "bearer", expires_in: 604800 });
  }

  function answerUser(
    response: ServerResponse,
    authorization: string,
    show: (id: string) => object,
  ) {
    const subject = tokens.get(authorization.replace(/^Bearer /, ""));
    if (subject === undefined) return send(response, 401, { message: "401: Unauthorized" });
    send(response, 200, show(subject));
  }

  return provider;
}

function send(response: ServerResponse, status: number, value: unknown) {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

/** A client's secret as client libraries encrypt it to the quorum key of a service. */
export function encryptClientSecret(quorumPublicKey: string, text = CLIENT.clientSecret): string {
  const point = Buffer.from(quorumPublicKey.slice(0, 130), "hex");
  return Buffer.from(encryptToQuorumKey(point, Buffer.from(text))).toString("hex");
}
