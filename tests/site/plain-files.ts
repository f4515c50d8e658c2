import { createReadStream, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { extname, join, normalize } from "node:path";

const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".json": "application/json",
  ".xml": "application/xml",
};

/** How a host of plain files answers what is not a GET. */
export type OtherMethods = { status: number; isPage: boolean };

/** A host that knows only files, with the index of a folder, and nothing of the service. */
export async function startPlainHost(
  directory: string,
  otherMethods: () => OtherMethods,
): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://plain.test");
    const path = normalize(join(directory, decodeURIComponent(pathname)));
    const file = [path, join(path, "index.html")].find((each) =>
      statSync(each, { throwIfNoEntry: false })?.isFile(),
    );
    const other = request.method === "GET" ? null : otherMethods();
    const status = other?.status ?? (file ? 200 : 404);
    const shown = file ?? join(directory, "404.html");
    if (other?.isPage === false) return void response.writeHead(status).end();
    response.writeHead(status, { "content-type": types[extname(shown)] ?? "text/plain" });
    createReadStream(shown).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${portOf(server)}`, stop: () => stop(server) };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("it does not listen");
  return address.port;
}

function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
