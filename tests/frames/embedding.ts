import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Browser, Frame, Page } from "playwright-core";

/** A page at a different site from the frames: this machine by its other name, at a port of its own. */
export type Embedding = {
  origin: string;
  /** A page whose script is `embedding.page.ts`. */
  openPage(browser: Browser): Promise<Page>;
  /** The same page in a frame of another one. */
  openFramed(browser: Browser): Promise<Frame>;
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
    if (url === "/framing") {
      response.end('<!doctype html><title>Other app</title><body><iframe src="/"></iframe>');
      return;
    }
    response.end(
      '<!doctype html><title>App</title><body><script type="module" src="/page.js"></script>',
    );
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    async openFramed(browser) {
      const page = await browser.newPage();
      await page.goto(`${origin}/framing`);
      const frame = page.frames()[1];
      if (!frame) throw new Error("the page has no frame");
      await frame.waitForFunction(() => window.embedding !== undefined);
      return frame;
    },
    async openPage(browser) {
      const page = await browser.newPage();
      await page.goto(`${origin}/`);
      await page.waitForFunction(() => window.embedding !== undefined);
      return page;
    },
    stop() {
      server.closeAllConnections();
      return new Promise((closed) => void server.close(() => closed()));
    },
  };
}
