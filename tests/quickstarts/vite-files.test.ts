import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createServer } from "vite";
import { expect, onTestFinished, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A clone with a data directory and an app below it, as Vite finds them. */
function makeClone(app: string): string {
  const clone = mkdtempSync(join(tmpdir(), "keyhearth-clone-"));
  onTestFinished(() => rmSync(clone, { recursive: true }));
  writeFileSync(join(clone, "package.json"), JSON.stringify({ workspaces: ["packages/*"] }));
  mkdirSync(join(clone, "data"));
  writeFileSync(join(clone, "data/root-api-key.json"), '{"apiPrivateKey":"secret"}');
  mkdirSync(join(clone, app), { recursive: true });
  writeFileSync(join(clone, app, "index.html"), "<title>App</title>");
  return clone;
}

test.each([
  ["my-wallet", "apps/website/snippets/vite-wallet/vite.config.js"],
  ["examples/passkey-wallet", "examples/passkey-wallet/vite.config.ts"],
])("the pages of %s serve no key of the clone that they are in", async (app, config) => {
  const clone = makeClone(app);
  const folder = join(clone, app);
  const server = await createServer({
    root: folder,
    configFile: join(root, config),
    logLevel: "silent",
    server: { host: "127.0.0.1", port: 0 },
    optimizeDeps: { noDiscovery: true },
  });
  onTestFinished(() => server.close());
  await server.listen();
  const { port } = (server.httpServer?.address() ?? {}) as AddressInfo;
  const ask = async (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  expect((await ask("/")).status).toBe(200);
  for (const path of [
    `/@fs${clone}/data/root-api-key.json`,
    `/@fs${clone}/data/root-api-key.json?import&raw`,
  ]) {
    const answer = await ask(path);
    expect(await answer.text()).not.toContain("secret");
    expect(answer.status).toBe(403);
  }
});
