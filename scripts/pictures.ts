// `npm run pictures`: photographs the passkey wallet, the mailbox and the policy playground for the site's home page, in
// light and dark, from a service that it starts. Run it when one of them looks different.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { initOtp, setOrganizationFeature } from "@keyhearth/sdk";
import type { Browser, Locator, Page } from "playwright-core";
import { build } from "vite";
import { start } from "../tests/examples/programs.ts";
import { launchBrowser, openAuthenticator, waitUntilReady } from "../tests/start/browser.ts";
import { clientOf, readRootKey, type Service, startService } from "../tests/start/process.ts";

const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));

const colorSchemes = ["light", "dark"] as const;
type ColorScheme = (typeof colorSchemes)[number];

/** In CSS pixels. The files have twice as many, for sharp screens. */
const size = { width: 390, height: 600 };

async function open(browser: Browser, colorScheme: ColorScheme): Promise<Page> {
  const context = await browser.newContext({
    viewport: size,
    deviceScaleFactor: 2,
    colorScheme,
    reducedMotion: "reduce",
  });
  return await context.newPage();
}

/** What the page shows, as it stands. */
async function keep(page: Page, name: string) {
  const devTools = await page.context().newCDPSession(page);
  const { data } = await devTools.send("Page.captureScreenshot", { format: "webp", quality: 80 });
  const file = path(`apps/website/static/img/shown/${name}.webp`);
  writeFileSync(file, Buffer.from(data, "base64"));
  console.log(`  ${file}`);
  await page.context().close();
}

async function bringToTop(top: Locator) {
  await top.evaluate((element) =>
    window.scrollTo(0, element.getBoundingClientRect().top + scrollY - 16),
  );
}

async function photographWallet(page: Page, url: string, name: string) {
  await openAuthenticator(page);
  await page.goto(url);
  await page.getByLabel("Your name").fill("Ada");
  await page.getByRole("button", { name: "Create a wallet", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Ada" }).waitFor();
  const form = page.getByRole("region", { name: "Sign a transfer", exact: true });
  await form.getByLabel("To, on Ethereum").fill("0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045");
  await form.getByLabel("Amount in ETH").fill("0.5");
  await form.getByRole("button", { name: "Sign transfer" }).click();
  const signed = page.getByRole("region", { name: "Signed", exact: true });
  await signed.getByText("0.5 ETH").waitFor();
  await bringToTop(form);
  await keep(page, name);
}

async function photographMailbox(page: Page, { mailboxUrl }: Service, name: string) {
  await page.goto(mailboxUrl);
  const mail = page.frameLocator("#mail").getByRole("heading", { name: /code/i });
  await mail.waitFor();
  await bringToTop(page.getByRole("heading", { level: 2 }));
  await keep(page, name);
}

async function photographPlayground(page: Page, { url }: Service, theme: string, name: string) {
  await page.addInitScript((chosen) => localStorage.setItem("theme", chosen), theme);
  await page.goto(`${url}/concepts/policies/language#playground`);
  await waitUntilReady(page);
  await page.locator("#playground").evaluate((heading) => heading.scrollIntoView());
  const verdict = page.getByRole("region", { name: "Playground of policies" }).locator("output");
  await verdict.getByText("denied", { exact: true }).waitFor();
  // What follows a reader down the page would hide a part of it.
  await page.addStyleTag({ content: ".navbar, .theme-back-to-top-button { display: none; }" });
  await verdict.evaluate((element) => element.scrollIntoView({ block: "start" }));
  await keep(page, name);
}

const directory = mkdtempSync(join(tmpdir(), "keyhearth-pictures-"));
mkdirSync(path("apps/website/static/img/shown"), { recursive: true });
const service = await startService({ KEYHEARTH_DATA_DIR: directory });
await build({ root: path("examples/passkey-wallet/"), logLevel: "error" });
const wallet = start("passkey-wallet/server.ts", [], {
  KEYHEARTH_URL: service.url.replace("127.0.0.1", "localhost"),
  KEYHEARTH_ROOT_KEY: join(directory, "root-api-key.json"),
  PORT: "0",
});
const browser = await launchBrowser();
try {
  const root = clientOf(service, readRootKey(directory));
  await setOrganizationFeature(root, { name: "FEATURE_NAME_OTP_EMAIL_AUTH" });
  await initOtp(root, {
    otpType: "OTP_TYPE_EMAIL",
    contact: "ada@example.com",
    appName: "Hearth",
  });
  const [walletUrl] = await wallet.waitFor(/http:\/\/localhost:\d+/);
  for (const colorScheme of colorSchemes) {
    const page = () => open(browser, colorScheme);
    await photographWallet(await page(), walletUrl, `wallet-${colorScheme}`);
    await photographMailbox(await page(), service, `mailbox-${colorScheme}`);
    await photographPlayground(await page(), service, colorScheme, `playground-${colorScheme}`);
  }
} finally {
  await browser.close();
  await wallet.stop();
  await service.stop();
  rmSync(directory, { recursive: true });
}
