import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Frame, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Product } from "../official-clients/product.ts";
import { hasBrowser } from "../start/browser.ts";
import { isLong } from "../start/long-form.ts";
import type { Embedding } from "./embedding.ts";
import { newPerson } from "./people.ts";
import { type Frames, startFrames } from "./start.ts";

// How the frames look and read: alone, with an export, and with the fields of an import.

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// One, and in the long form both themes in both widths.
const looks = ([390, 1440] as const)
  .flatMap((width) => (["dark", "light"] as const).map((colorScheme) => ({ width, colorScheme })))
  .slice(0, isLong ? 4 : 1);

describe.runIf(hasBrowser)("in a browser,", () => {
  let started: Frames;
  let product: Product;
  let embedding: Embedding;
  let browser: Browser;

  beforeAll(async () => {
    started = await startFrames();
    ({ product, embedding, browser } = started);
  }, 120_000);

  afterAll(() => started?.stop());

  async function violationsIn(page: Page | Frame): Promise<string[]> {
    await page.evaluate(axe);
    return page.evaluate(async () => {
      const { axe: found } = globalThis as unknown as { axe: typeof import("axe-core") };
      const { violations } = await found.run();
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`);
    });
  }

  const frameIn = (page: Page, name: string) => {
    const frame = page.frames().find((each) => each.url().endsWith(`/frames/${name}`));
    if (!frame) throw new Error(`the page has no frame ${name}`);
    return frame;
  };

  test.each(looks)(
    "axe finds nothing at $width px, $colorScheme",
    { timeout: 60_000 },
    async ({ width, colorScheme }) => {
      const context = await browser.newContext({
        viewport: { width, height: 800 },
        colorScheme,
      });
      const alone = await context.newPage();
      for (const name of ["auth", "export", "import", "export-and-sign"]) {
        await alone.goto(`${product.url}/frames/${name}`);
        expect(await alone.locator("#notice").textContent()).toMatch(/By itself/i);
        expect([name, await violationsIn(alone)]).toEqual([name, []]);
      }

      const { client, organizationId } = await newPerson(product);
      const page = await context.newPage();
      await page.goto(`${embedding.origin}/`);
      await page.waitForFunction(() => window.embedding !== undefined);
      const open = (name: string) =>
        page.evaluate(
          (url) => window.embedding.open("2.11.1", url),
          `${product.url}/frames/${name}`,
        );
      const call = (...given: [method: string, ...args: unknown[]]) =>
        page.evaluate((all) => window.embedding.call(...all), given);
      const targetPublicKey = (await open("export")) ?? "";
      const { walletId } = await client.createWallet({ walletName: "shown", accounts: [] });
      const { exportBundle } = await client.exportWallet({ walletId, targetPublicKey });
      await call("injectWalletExportBundle", exportBundle, organizationId);
      expect(await violationsIn(frameIn(page, "export"))).toEqual([]);
      await page.frameLocator("#frame").getByRole("button", { name: "Hide" }).click();
      expect(await violationsIn(frameIn(page, "export"))).toEqual([]);
      await page.evaluate(() => window.embedding.clear());

      await open("import");
      expect(await violationsIn(frameIn(page, "import"))).toEqual([]);
      await call("applySettings", { enablePassphrase: true });
      expect(await violationsIn(frameIn(page, "import"))).toEqual([]);
      await context.close();
    },
  );

  test("somebody who reads Spanish reads what the pages are for", async () => {
    const context = await browser.newContext({ locale: "es-ES" });
    const page = await context.newPage();
    await page.goto(`${product.url}/frames/import`);
    expect(await page.locator("html").getAttribute("lang")).toBe("es");
    expect(await page.locator("#purpose").textContent()).toMatch(/^Esta página recibe/);
    expect(await page.locator("#plaintext").isVisible()).toBe(false);
    await context.close();
  });
});
