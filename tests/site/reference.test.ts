import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePages, hasBrowser, sharedBrowser, waitUntilReady } from "../start/browser.ts";
import { type SharedProduct, sharedProduct } from "../start/shared.ts";

// The API reference is one page with every operation. It shows one group of them at a time, and opens others for a
// link, for the filter, and for what the browser finds in the page.

/** Thirty screens of a desktop. All groups together are 150,000. */
const TALLEST = 30_000;

describe.runIf(hasBrowser)("the API reference", () => {
  let service: SharedProduct;
  let browser: Browser;

  beforeAll(async () => {
    service = await sharedProduct();
    browser = await sharedBrowser();
  });
  afterAll(async () => {
    await closePages();
  });

  async function open(hash: string, use: (page: Page) => Promise<void>, width = 1440) {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    await page.goto(`${service.url}/api${hash}`);
    await waitUntilReady(page);
    await use(page);
    expect(problems).toEqual([]);
    await page.close();
  }

  const groups = (page: Page) => page.locator("main h2 button");
  const openGroups = (page: Page) =>
    groups(page).evaluateAll((buttons) =>
      buttons
        .filter((button) => button.getAttribute("aria-expanded") === "true")
        .map((button) => button.firstChild?.textContent),
    );
  const heightOf = (page: Page) => page.evaluate(() => document.documentElement.scrollHeight);
  const distanceFromTop = (place: Locator) => () =>
    place.evaluate((each) => Math.abs(each.getBoundingClientRect().top));

  test("lists the operations of the contract", async () => {
    const contract = await (await fetch(`${service.url}/openapi.json`)).json();
    await open("", async (page) => {
      // One look at all texts: a locator for each path takes most of a minute on this page.
      const texts = await page
        .locator("body *")
        .evaluateAll((elements) =>
          elements
            .filter((element) => element.childElementCount === 0)
            .map((element) => element.textContent?.trim()),
        );
      const stamped = Object.keys(contract.paths).filter((path) => path.startsWith("/public/v1/"));
      expect(texts).toEqual(expect.arrayContaining(stamped));
    });
  });

  test("links to the calls of the login proxy, which have a page of their own", async () => {
    await open("", async (page) => {
      const anchors = await page.locator("[id]").evaluateAll((all) => all.map(({ id }) => id));
      await page.getByRole("link", { name: "Login Proxy", exact: true }).click();
      await page.waitForURL("**/api/login-proxy");
      await page.getByRole("heading", { name: "Login proxy", level: 1 }).waitFor();
      const shown = await page.locator("section code").allTextContents();
      const contract = await (await fetch(`${service.url}/openapi.json`)).json();
      const paths = Object.keys(contract.paths).filter((path) => path.startsWith("/proxy/v1/"));
      expect(paths).toHaveLength(14);
      expect(shown).toEqual(expect.arrayContaining(paths));
      const links = await page
        .locator("table a")
        .evaluateAll((all) => all.map((each) => (each as HTMLAnchorElement).hash.slice(1)));
      expect(links).toContain("object-ApiKeyParamsV2");
      for (const anchor of links) expect(anchors).toContain(anchor);
      const signUp = page.locator("#signup_v2");
      await signUp.getByText("Errors", { exact: true }).click();
      await signUp.getByRole("link", { name: "VERIFICATION_TOKEN_INVALID" }).waitFor();
      await signUp.getByText("Example", { exact: true }).click();
      await signUp.getByText("X-Auth-Proxy-Config-ID").waitFor();
    });
  });

  test("shows one group at a time, and no view of it is longer than thirty screens", async () => {
    await open("", async (page) => {
      expect(await openGroups(page)).toEqual(["Organizations"]);
      expect(await groups(page).count()).toBeGreaterThan(15);
      for (const button of await groups(page).all()) {
        if ((await button.getAttribute("aria-expanded")) === "false") await button.click();
        expect(await openGroups(page)).toHaveLength(1);
        expect(await heightOf(page)).toBeLessThan(TALLEST);
      }
      await groups(page).last().click();
      expect(await openGroups(page)).toEqual([]);
    });
  });

  test("what is out of sight is laid out when a reader comes there, and has about its room before", async () => {
    await open("", async (page) => {
      const last = page.locator("#group-organizations-content > section").last();
      const isLaidOut = () =>
        last
          .locator("h3")
          .evaluate((title) => title.checkVisibility({ contentVisibilityAuto: true }));
      const height = async () => (await last.boundingBox())?.height ?? 0;
      expect(await isLaidOut()).toBe(false);
      const before = await height();
      await last.scrollIntoViewIfNeeded();
      await expect.poll(isLaidOut).toBe(true);
      expect(Math.abs((await height()) - before)).toBeLessThan(300);
    });
  });

  test.each([
    ["an operation", "#sign_transaction", "#sign_transaction", "Signing"],
    ["an object", "#object-Wallet", "#object-Wallet", "Objects"],
    ["a group", "#group-policies", "#group-policies", "Policies"],
    ["earlier links", "#tag/Wallets/operation/GetWallets", "#list_wallets", "Wallets"],
  ])("a link to %s opens its group and leads there", async (_, hash, anchor, group) => {
    await open(hash, async (page) => {
      await expect.poll(distanceFromTop(page.locator(anchor))).toBeLessThan(200);
      expect(await openGroups(page)).toEqual([group]);
      expect(new URL(page.url()).hash).toBe(anchor);
      const button = page.locator(`:is(h2, h3)${anchor} > button[aria-expanded]`);
      if (await button.count()) expect(await button.getAttribute("aria-expanded")).toBe("true");
    });
  });

  test("a link that was followed before leads there again, after another group was opened", async () => {
    await open("#whoami", async (page) => {
      await page.locator("#group-policies button").click();
      expect(await openGroups(page)).toEqual(["Policies"]);
      await page.locator("nav a[href='#whoami']").click();
      await expect.poll(() => openGroups(page)).toEqual(["Sessions"]);
      await expect.poll(distanceFromTop(page.locator("#whoami"))).toBeLessThan(200);
    });
  });

  test("what is closed can be found by the browser, which opens it", async () => {
    await open("", async (page) => {
      const closed = page.locator("#group-consensus-content");
      expect(await closed.getAttribute("hidden")).toBe("until-found");
      // What the browser sends before it scrolls to what it found.
      await closed.dispatchEvent("beforematch");
      expect(await openGroups(page)).toEqual(["Consensus"]);
      expect(await closed.getAttribute("hidden")).toBeNull();
      expect(await page.locator("#group-organizations-content").getAttribute("hidden")).toBe(
        "until-found",
      );
    });
  });

  test("a browser without scripts shows everything", async () => {
    const page = await browser.newPage({ javaScriptEnabled: false });
    await page.goto(`${service.url}/api`);
    await page.locator("#approve_activity").waitFor();
    await page.locator("#sign_transaction").waitFor();
    await page.close();
  });

  test("the filter knows what readers call things, and opens the first group with a match", async () => {
    await open("", async (page) => {
      const filter = page.getByLabel("Filter operations");
      await filter.fill("passkey");
      expect(await page.locator("nav a[href^='#']").allTextContents()).toContain(
        "create_authenticators",
      );
      expect(await openGroups(page)).toEqual(["Authenticators"]);
      await page.locator("#create_authenticators").waitFor();
      await filter.press("Enter");
      await expect.poll(() => new URL(page.url()).hash).toBe("#get_authenticator");
      await filter.fill("no such thing");
      await page.getByText("No operation matches “no such thing”.").waitFor();
      await filter.press("Escape");
      expect(await filter.inputValue()).toBe("");
    });
  });

  test("queries, submissions and groups are filtered for, beside the words", async () => {
    await open("", async (page) => {
      const names = () => page.locator("#operation-list a").allTextContents();
      await page.getByLabel("Kind of operation").selectOption("query");
      expect(await names()).toContain("list_wallets");
      expect(await names()).not.toContain("create_wallet");
      await page.getByLabel("Group of operations").selectOption("Wallets");
      expect(await names()).not.toContain("list_users");
      await page.getByLabel("Filter operations").fill("account");
      expect(await names()).toEqual(["get_wallet_account", "list_wallet_accounts"]);
      expect(await openGroups(page)).toEqual(["Wallets"]);
    });
  });

  test("an operation says its stamps and errors, and its objects open level by level", async () => {
    await open("#create_sub_organization", async (page) => {
      const section = page.locator("#create_sub_organization");
      await section.getByText("Stamped by an API key, or a passkey.").waitFor();
      await section.getByText("Errors", { exact: true }).click();
      const error = section.getByRole("link", { name: "POLICY_DENIED" });
      expect(await error.getAttribute("href")).toBe(
        "/developer-reference/api-overview/errors#policy-denied",
      );
      const users = section.getByRole("row").filter({ hasText: "rootUsers" }).first();
      await users.getByText("Its fields").first().click();
      const keys = users.getByRole("row").filter({ hasText: "apiKeys" });
      await keys.getByText("Its fields").click();
      await keys.getByText("curveType", { exact: true }).waitFor();
    });
  });

  test("on a phone the filter stays in reach, and its list drops down from it", async () => {
    await open(
      "#sign_transaction",
      async (page) => {
        const filter = page.getByLabel("Filter operations");
        await expect.poll(distanceFromTop(page.locator("#sign_transaction"))).toBeLessThan(250);
        expect(await distanceFromTop(filter)()).toBeLessThan(250);
        const link = page.locator("nav a[href='#stamp_login']");
        expect(await link.isVisible()).toBe(false);
        await filter.fill("login");
        await link.waitFor();
        await link.click();
        expect(await link.isVisible()).toBe(false);
        await expect.poll(() => openGroups(page)).toEqual(["Sessions"]);
        expect(await distanceFromTop(filter)()).toBeLessThan(250);
        const hidden = await page.locator("#stamp_login-title").evaluate((title) => {
          const { top, height, left } = title.getBoundingClientRect();
          return !title.contains(document.elementFromPoint(left + 5, top + height / 2));
        });
        expect(hidden).toBe(false);
      },
      390,
    );
  });
});
