import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";

/** A page at another site than the frames: this machine by its other name, at a port of its own. */
export type Embedding = {
  origin: string;
  /** A page whose script is `embedding.page.ts`. `path` may be `/nested?` and the address of a page to frame. */
  openPage(browser: Browser, path?: string): Promise<Page>;
  stop(): Promise<void>;
};

export async function startEmbedding(): Promise<Embedding> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("embedding.page.ts", import.meta.url))],
    bundle: true,
    format: "esm",
    platform: "browser",
    write: false,
    logLevel: "warning",
  });
  const script = outputFiles[0]?.text ?? "";
  const server = createServer(({ url = "" }, response) => {
    if (url === "/page.js") {
      response.writeHead(200, { "Content-Type": "text/javascript" }).end(script);
      return;
    }
    response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" });
    response.end(
      '<!doctype html><title>App</title><body><script type="module" src="/page.js"></script>',
    );
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    async openPage(browser, path = "/") {
      const page = await browser.newPage();
      await page.goto(`${origin}${path}`);
      await page.waitForFunction(() => window.embedding !== undefined);
      return page;
    },
    stop: () => new Promise((closed) => void server.close(() => closed())),
  };
}
