import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { chromium } from "playwright-core";
import { startProduct } from "../../tests/official-clients/product.ts";
import { type Measured, measure, type Visit } from "./lighthouse.ts";

export type DashboardMeasured = { bare: Measured; login: Measured; overview: Measured };

/**
 * Measures the login and the overview of the dashboard, as a new service serves them, in turns with a page that has
 * a sentence and nothing else. Each run has a browser of its own, and before the overview somebody logs in with it.
 */
export async function measureDashboard(runs: number): Promise<DashboardMeasured> {
  const [product, bare] = await Promise.all([startProduct(), serveSentence()]);
  try {
    const url = `${product.url}/dashboard/`;
    const key = readFileSync(product.rootKeyFile, "utf8");
    const visits: Visit[] = [
      { url: bare.url },
      { url },
      { url, prepare: (port) => logIn(port, url, key) },
    ];
    const [sentence, login, overview] = await measure(visits, runs);
    if (!sentence || !login || !overview) throw new Error("the dashboard was not measured");
    return { bare: sentence, login, overview };
  } finally {
    await bare.stop();
    await product.stop();
  }
}

/** As people do it, so the session is one that the dashboard keeps. */
async function logIn(port: number, url: string, key: string): Promise<void> {
  const browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`);
  const [context] = browser.contexts();
  if (!context) throw new Error("the browser has no window");
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole("tab", { name: "API key" }).click();
  await page.getByRole("textbox", { name: "API key" }).fill(key);
  await page.getByRole("button", { name: "Log in with the key", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Overview", exact: true }).waitFor();
  await page.getByRole("table", { name: "Recent activities" }).waitFor();
  await page.close();
  await browser.close();
}

async function serveSentence(): Promise<{ url: string; stop(): Promise<void> }> {
  const page =
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Bare</title><p>A sentence.</p>';
  const server = createServer((_, response) => {
    response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
