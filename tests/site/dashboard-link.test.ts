import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePages, hasBrowser, sharedBrowser, waitUntilReady } from "../start/browser.ts";
import { type SharedProduct, sharedProduct } from "../start/shared.ts";

// The navbar leads to the dashboard of the service that serves the site.

describe.runIf(hasBrowser)("in a browser,", () => {
  let service: SharedProduct;
  beforeAll(async () => {
    service = await sharedProduct();
  });
  afterAll(closePages);

  test.each([
    ["/", "Dashboard"],
    ["/es/", "Panel"],
  ])("the navbar of %s leads to the dashboard, beside GitHub", async (path, label) => {
    const context = await (await sharedBrowser()).newContext({
      viewport: { width: 1440, height: 900 },
    });
    const page = await context.newPage();
    await page.goto(service.url + path);
    await waitUntilReady(page);
    const link = page.locator(".navbar").getByRole("link", { name: label, exact: true });
    const next = page.locator(".navbar").getByRole("link", { name: /^GitHub/ });
    const [at, beside] = await Promise.all([link.boundingBox(), next.boundingBox()]);
    expect(Math.abs((at?.x ?? 0) + (at?.width ?? 0) - (beside?.x ?? 0))).toBeLessThan(30);
    await link.click();
    await page.waitForURL(`${service.url}/dashboard`);
    await page.getByRole("heading", { level: 1, name: "Log in" }).waitFor();
    expect(context.pages()).toHaveLength(1);
    await context.close();
  });
});
