import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { expect } from "vitest";
import { type Product, startProduct } from "../official-clients/product.ts";
import { type Authenticator, openAuthenticator, sharedBrowser } from "../start/browser.ts";
import { isLong } from "../start/long-form.ts";

// The dashboard as the service serves it, in a Chromium with a passkey authenticator of its own. Passkeys belong to a name,
// so the pages are at `localhost`.

export type World = { product: Product; browser: Browser; origin: string };

/** Starts a service that is open for sign-up, unless the environment says otherwise. */
export async function startWorld(environment: Record<string, string> = {}): Promise<World> {
  const [product, browser] = await Promise.all([
    startProduct({ KEYHEARTH_SIGNUP: "open", ...environment }),
    sharedBrowser(),
  ]);
  return { product, browser, origin: product.url.replace("127.0.0.1", "localhost") };
}

/** Somebody at a browser that has never been here. */
export type Person = {
  page: Page;
  context: BrowserContext;
  authenticator: Authenticator;
  /** What the console complained about, and what was thrown. */
  complaints: string[];
  /** Opens a screen by its path below `/dashboard`. */
  open(path?: string): Promise<void>;
  close(): Promise<void>;
};

export async function newPerson(
  { browser, origin }: World,
  { width = 1440, theme = "light" }: { width?: number; theme?: "light" | "dark" } = {},
): Promise<Person> {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: theme,
    permissions: ["clipboard-write"],
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (line) => {
    // An answer of the API that is an error is also a line of the browser.
    if (line.type() === "error" && !/status of 4\d\d/.test(line.text()))
      complaints.push(line.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  return {
    page,
    context,
    authenticator: await openAuthenticator(page),
    complaints,
    async open(path = "/") {
      await page.goto(`${origin}/dashboard${path}`);
      await isThere(page);
    },
    close: () => context.close(),
  };
}

/** Creates an organization with a passkey, and logs in. Returns its id. */
export async function signUp({ page, open }: Person, organizationName = "Acme"): Promise<string> {
  await open("/sign-up");
  await page.getByLabel("Name of the organization").fill(organizationName);
  await page.getByLabel("Your name").fill("Ada");
  await page.getByRole("button", { name: "Create it with a passkey" }).click();
  await heading(page, `${organizationName} is there`);
  const id = await page.locator(".mono").first().textContent();
  await page.getByRole("button", { name: "Log in with the new passkey" }).click();
  await heading(page, "Overview");
  return id ?? "";
}

/** Logs in to the organization that this browser remembers. */
export async function logIn({ page }: Person, organizationName = "Acme"): Promise<void> {
  await page.getByRole("button", { name: `Log in to ${organizationName}` }).click();
}

export async function logOut({ page }: Person): Promise<void> {
  await page.getByRole("button", { name: /^Session of/ }).click();
  await page.getByRole("menuitem", { name: "Log out", exact: true }).click();
  await heading(page, "Log in");
}

/** Waits until the page has taken over from its first view, in which nothing can be used. */
export async function isThere(page: Page): Promise<void> {
  await page.locator("html:not([data-first])").waitFor();
}

/** Waits until the screen with this title is shown. */
export async function heading(page: Page, title: string): Promise<void> {
  await isThere(page);
  await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Expects that axe finds nothing in what is shown now. */
async function expectNothingOfAxe(page: Page, what: string, rules?: string[]): Promise<void> {
  // The page's policy lets no script in, and what the browser itself evaluates is none of the page's. It stays until the page is
  // loaded again, and to compile it takes half as long as to use it.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe);
  const found = await page.evaluate(async (runOnly) => {
    const { axe } = globalThis as unknown as { axe: typeof import("axe-core") };
    const { violations } = await axe.run(
      // React Aria keeps what it has said for seconds, also if the button that it names is gone.
      { include: [document], exclude: ["[data-live-announcer]"] },
      runOnly ? { runOnly } : {},
    );
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join("\n")}`);
  }, rules);
  expect([what, found]).toEqual([what, []]);
}

type View = { width: number; theme: "light" | "dark"; rules?: string[] };

// A theme changes colours and nothing else.
const colours = ["color-contrast"];
const everyView: View[] = [
  { width: 1440, theme: "light" },
  { width: 1440, theme: "dark", rules: colours },
  { width: 390, theme: "light" },
  { width: 390, theme: "dark", rules: colours },
];
const onDesktop: View[] = [{ width: 1440, theme: "light" }];
const onPhone: View[] = [{ width: 390, theme: "dark" }];

/** What is shown now on a desktop in the light and on a phone in the dark, and in the long form in all four ways. */
export function axeCleanEverywhere(page: Page, what: string): Promise<void> {
  return axeCleanIn(isLong ? everyView : [...onDesktop, ...onPhone], page, what);
}

/**
 * What a screen shows now: in the long form everywhere, and otherwise half of the screens on a desktop in the light and half
 * on a phone in the dark. The name decides, so it is the same half in every run. `gallery.test.ts` sees the parts of all
 * screens everywhere.
 */
export function axeClean(page: Page, what: string): Promise<void> {
  if (isLong) return axeCleanEverywhere(page, what);
  return axeCleanIn(what.length % 2 ? onDesktop : onPhone, page, what);
}

async function axeCleanIn(views: View[], page: Page, what: string): Promise<void> {
  for (const { width, theme, rules } of views) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: theme });
    await expectNothingOfAxe(page, `${what}, ${width} px, ${theme}`, rules);
    await screenshot(page, `${what}-${width}-${theme}`);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: "light" });
}

/** Keeps a picture of the whole page, if `KEYHEARTH_TEST_PICTURES` names a folder for it. */
async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.KEYHEARTH_TEST_PICTURES;
  if (!folder) return;
  const path = join(folder, `${name.toLowerCase().replace(/[^a-z0-9]+/g, "-")}.png`);
  await page.screenshot({ path, fullPage: true });
}
