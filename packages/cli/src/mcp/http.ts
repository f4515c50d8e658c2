import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import {
  createMcpHandler,
  isLegacyRequest,
  type McpServerFactory,
} from "@modelcontextprotocol/server";
import { readPrivate } from "../connection/own-folder.ts";
import { InputError } from "../errors.ts";
import { plain } from "../output.ts";
import type { Agent } from "./agent.ts";
import { LONGEST_REQUEST_BYTES } from "./bounds.ts";
import { boundConnections } from "./connections.ts";
import { createSessions } from "./http-sessions.ts";
import { refusalLog } from "./refusal-log.ts";

const PATH = "/mcp";

/** The token that clients send: of a file, or a new one. */
export async function tokenOf(
  file: string | undefined,
): Promise<{ token: string; isNew: boolean }> {
  if (file === undefined) return { token: randomBytes(32).toString("base64url"), isNew: true };
  const token = (await readPrivate(file, "the token")).trim();
  // What a header can carry, and nobody can guess.
  if (/^[\w.~+/=-]{32,512}$/.test(token)) return { token, isNew: false };
  throw new InputError(
    `${plain(file)} must have a token of 32 to 512 letters, digits and -._~+/= on one line, such as \`openssl rand -hex 32\` writes`,
  );
}

type Listening = { readonly url: string; readonly close: () => Promise<void> };

/** Serves clients on this machine that know the token. */
export async function serveOverHttp(
  agent: Agent,
  servers: McpServerFactory,
  { port, token }: { port: number; token: string },
): Promise<Listening> {
  const sessions = createSessions(servers);
  const logRefusal = refusalLog(agent.log);
  const handler = createMcpHandler(servers, {
    legacy: "reject",
    maxRequestBodySize: LONGEST_REQUEST_BYTES,
    maxSubscriptions: 0,
    onerror: (error) => logRefusal(`a message of a client was refused: ${error.message}`),
  });
  const server = createServer({
    ...{ headersTimeout: 10_000, requestTimeout: 60_000, connectionsCheckingInterval: 1000 },
  });
  const connections = boundConnections(server);
  const names = () => {
    const address = server.address();
    const bound = typeof address === "object" && address !== null ? address.port : port;
    return ["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${bound}`);
  };
  server.on(
    "request",
    getRequestListener(async (request, { incoming }) => {
      const refused =
        refusalOf(request, { names: names(), token }) ??
        (connections.prove(incoming.socket) ? undefined : TOO_MANY);
      if (refused !== undefined) {
        logRefusal(`refused a request over HTTP: ${refused.error}`);
        return Response.json(
          { jsonrpc: "2.0", error: { code: -32_000, message: refused.error }, id: null },
          { status: refused.status, headers: { ...refused.headers, connection: "close" } },
        );
      }
      const limits = { maxRequestBodySize: LONGEST_REQUEST_BYTES };
      const isLegacy = await isLegacyRequest(request, undefined, limits);
      const answer = await (isLegacy ? sessions : handler).fetch(request);
      // The rest of its body still comes on this connection.
      if (answer.status === 413) answer.headers.set("connection", "close");
      return answer;
    }),
  );
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => reject(notListening(cause, port)));
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://${names()[0]}${PATH}`,
    async close() {
      await Promise.all([handler.close(), sessions.close()]);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Refused = { status: number; error: string; headers?: Record<string, string> };

const TOO_MANY: Refused = {
  status: 503,
  error: "too many clients of this server are at work; try again in a moment",
};

/** A page in a browser on this machine reaches it too, so names and origins are checked before the token. */
function refusalOf(
  request: Request,
  { names, token }: { names: readonly string[]; token: string },
): Refused | undefined {
  const host = request.headers.get("host") ?? "";
  if (!names.includes(host.toLowerCase())) {
    return { status: 403, error: `the Host of a request must be ${names[0]}` };
  }
  const origin = request.headers.get("origin");
  if (origin !== null && !names.some((name) => origin === `http://${name}`)) {
    return { status: 403, error: "pages of other sites may not use this server" };
  }
  const [, given = ""] =
    /^Bearer ([^\s]+)$/i.exec(request.headers.get("authorization") ?? "") ?? [];
  if (!isSame(given, token)) {
    return {
      status: 401,
      error:
        "the token is missing or is another one: send `Authorization: Bearer TOKEN`, with the token that keyhearth mcp printed at its start or read from --token-file",
      headers: { "www-authenticate": 'Bearer realm="keyhearth mcp"' },
    };
  }
  if (new URL(request.url).pathname === PATH) return undefined;
  return { status: 404, error: `there is only ${PATH}` };
}

/** Hashes have one length, so the time of the comparison says nothing about the token. */
function isSame(given: string, token: string): boolean {
  const [one, other] = [given, token].map((each) => createHash("sha256").update(each).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}

function notListening({ code }: NodeJS.ErrnoException, port: number): InputError {
  const why = code === "EADDRINUSE" ? "another program listens there" : (code ?? "unknown error");
  return new InputError(
    `cannot listen on 127.0.0.1:${port}: ${why}. Give another port, or 0 for a free one: --http 0`,
  );
}
