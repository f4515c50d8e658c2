import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { waitUntilReady } from "../../tests/start/browser.ts";

export type Seen = {
  /** One line for each fault, with the view that has it. */
  faults: string[];
  /** By page, the paths of the scripts that it loads before any interaction. */
  scripts: Map<string, string[]>;
};

export type View = {
  path: string;
  theme: "light" | "dark";
  width: number;
  /** Whether axe measures the contrast of its texts and of links in them, which takes longer than all other rules. */
  hasContrast: boolean;
};

export type Options = {
  onView?: (done: number) => void;
  /** Whether the reader saves data, so that pages fetch nothing ahead for their links. */
  savesData?: boolean;
};

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
  "utf8",
);

/** On a phone of this width nothing may be wider than the window. */
export const narrow = 360;

/**
 * Opens each view, and returns its scripts and what is wrong with it: what axe finds, a request to another server, an
 * error, and content wider than a small phone. Three views are open at once, and each browser page shows one
 * after the other.
 */
export async function browse(
  browser: Browser,
  url: string,
  views: View[],
  { onView = () => {}, savesData = false }: Options = {},
): Promise<Seen> {
  const context = await browser.newContext();
  // On a busy machine, three of the largest pages at once take longer than the half minute of a single one.
  context.setDefaultTimeout(120_000);
  if (savesData) await context.addInitScript(saveData);
  const seen: Seen = { faults: [], scripts: new Map() };
  const queue = [...views];
  const work = async () => {
    const page = await context.newPage();
    for (let view = queue.shift(); view; view = queue.shift()) {
      const { path, theme, width } = view;
      const found = await look(page, url, view);
      seen.scripts.set(path, await scriptsOf(page));
      seen.faults.push(...found.map((fault) => `${path} (${theme}, ${width} px): ${fault}`));
      onView(views.length - queue.length);
    }
    await page.close();
  };
  await Promise.all([work(), work(), work()]);
  await context.close();
  seen.faults.sort();
  return seen;
}

/** As the browser says it to pages. */
function saveData() {
  const value = { effectiveType: "4g", saveData: true };
  Object.defineProperty(navigator, "connection", { value });
}

/** Without what the page fetches ahead for its links, which has another initiator. */
function scriptsOf(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    performance
      .getEntriesByType("resource")
      .filter((entry) => "initiatorType" in entry && entry.initiatorType === "script")
      .map(({ name }) => new URL(name).pathname),
  );
}

async function look(page: Page, url: string, view: View): Promise<string[]> {
  const { path, theme, width, hasContrast } = view;
  const faults: string[] = [];
  page.removeAllListeners();
  page.on("request", (request) => {
    const target = request.url();
    if (!target.startsWith(url) && !target.startsWith("data:")) faults.push(`asks for ${target}`);
  });
  page.on("pageerror", (error) => faults.push(`throws ${error.message}`));
  await page.setViewportSize({ width, height: 900 });
  const answer = await page.goto(`${url}${path}?docusaurus-theme=${theme}`);
  if (answer?.status() !== 200) return [`answers ${answer?.status()}`];
  // The page's script adds some of the controls when it hydrates the page.
  await waitUntilReady(page);
  faults.push(...(await violations(page, hasContrast)));
  if (width !== narrow) await page.setViewportSize({ width: narrow, height: 900 });
  const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (beyond > 0) faults.push(`is ${beyond} px wider than a window of ${narrow} px`);
  return faults;
}

/** What axe finds in a page as it is now, or in the part of it that a selector names. */
export async function violations(
  page: Page,
  hasContrast: boolean,
  part?: string,
): Promise<string[]> {
  // Evaluated, because the policy of our pages refuses a script element.
  await page.evaluate(axeSource);
  const found = await page.evaluate(
    async ([enabled, part]) => {
      // The script above defines it.
      const { axe: tool } = window as unknown as { axe: typeof axe };
      const rules = { "color-contrast": { enabled }, "link-in-text-block": { enabled } };
      const options = { resultTypes: ["violations" as const], rules };
      const { violations } = await tool.run(part ?? document, options);
      return violations.map(({ id, nodes }) => ({ id, targets: nodes.map((node) => node.target) }));
    },
    [hasContrast, part] as const,
  );
  return found.map(({ id, targets }) => {
    const [first = []] = targets;
    return `${id} at ${first.join(" ")}${targets.length > 1 ? ` and ${targets.length - 1} more` : ""}`;
  });
}
