import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";

export type PlainHost = { origin: string; stop(): Promise<void> };

const types: Record<string, string> = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** A host of plain files, which reads no settings: it answers with `404.html` where there is no file. */
export async function startPlainHost(folder: string): Promise<PlainHost> {
  const server = createServer(async ({ url = "/" }, answer) => {
    const path = normalize(decodeURIComponent(url.replace(/[?#].*/, "")));
    const name = path.endsWith("/") ? `${path}index.html` : path;
    const found = await readFile(join(folder, name)).catch(() => undefined);
    answer.writeHead(found ? 200 : 404, {
      "Content-Type": types[found ? extname(name) : ".html"] ?? "application/octet-stream",
    });
    answer.end(found ?? (await readFile(join(folder, "404.html"))));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    origin: `http://localhost:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
