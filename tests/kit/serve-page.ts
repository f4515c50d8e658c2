import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { build } from "vite";

type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => unknown;

/** An app on a port of its own, and the backend that it may have. */
export type KitPage = {
  origin: string;
  /** What the service's address is, for the policy, and what the page knows. */
  show(serviceUrl: string, settings: object): void;
  /** The backend's part of logins, at `/api/login`. */
  logins: { handle?: Handler };
  stop(): Promise<void>;
};

/** Builds the page with Vite, and serves it under a policy that lets no style in without the nonce. */
export async function serveKitPage(): Promise<KitPage> {
  const files = await buildPage();
  const logins: KitPage["logins"] = {};
  let service = "";
  let head = "";
  const server = createServer((request, response) => {
    const [path = "/"] = (request.url ?? "/").split("?");
    if (path.startsWith("/api/login/") && logins.handle) {
      const failed = (error: unknown) => response.writeHead(500).end(String(error));
      void logins.handle(request, response, failed);
      return;
    }
    const text = files.get(path);
    if (text !== undefined) {
      response.writeHead(200, { "Content-Type": "text/javascript" }).end(text);
      return;
    }
    response.writeHead(path === "/" ? 200 : 404, {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": [
        "default-src 'none'; base-uri 'none'; img-src 'self' data:",
        "script-src 'self' 'nonce-of-the-test'; style-src 'nonce-of-the-test'",
        `connect-src 'self' ${service}; frame-src ${service}`,
      ].join("; "),
    });
    response.end((files.get("/index.html") ?? "").replace("<head>", `<head>${head}`));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    // Passkeys belong to a name, and the service is at the other one of this machine.
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    show(serviceUrl, settings) {
      service = serviceUrl;
      const json = JSON.stringify(settings).replaceAll("<", "\\u003c");
      head = `<script nonce="of-the-test">window.settings=${json}</script>`;
    },
    logins,
    stop() {
      server.closeAllConnections();
      return new Promise((closed) => void server.close(() => closed()));
    },
  };
}

async function buildPage(): Promise<Map<string, string>> {
  const root = fileURLToPath(new URL("page", import.meta.url));
  const built = await build({
    ...{ root, configFile: false, logLevel: "warn", plugins: [react()] },
    build: { write: false, minify: false, target: "es2022", modulePreload: { polyfill: false } },
  });
  if (!("output" in built)) throw new Error("Vite wrote more than one bundle");
  return new Map(
    built.output.map((file) => [
      `/${file.fileName}`,
      file.type === "chunk" ? file.code : String(file.source),
    ]),
  );
}
