import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";

// What the product promises of its search, the same for both backends.

/** What somebody types, and where the first result leads. */
type Found = { typed: string; leadsTo: string };

export type SearchedSite = {
  /** Opens a page whose search works, or fails. */
  open(path: string, use: (page: Page) => Promise<void>, how?: "works" | "fails"): Promise<void>;
  /** A page with a version, in each language. */
  english: string;
  spanish: string;
  found: Found;
  /** Only the Spanish site has it. */
  translated: Found;
  /** Only the original has it, and the Spanish site shows it in English. */
  untranslated: Found;
  /** The version's name among the choices of the search page. */
  earlier: Found & { version: string };
};

const NOTHING = "qqzzxxy";

export const windowOf = (page: Page) => page.getByRole("dialog", { name: /^(Search|Buscar)$/ });
export const fieldOf = (page: Page) => windowOf(page).getByRole("searchbox");
export const resultsIn = (page: Page) => windowOf(page).locator(".DocSearch-Hit a");
export const resultsOn = (page: Page) => page.locator("main ol h2 a");

/** Where a result leads, as soon as there is one. */
export function firstOf(results: Locator): Promise<string | null> {
  return results.first().getAttribute("href");
}

export async function typeInWindow(page: Page, typed: string) {
  await page.keyboard.press("Control+k");
  await fieldOf(page).waitFor();
  await page.keyboard.type(typed);
}

/** Leaves nothing of a search on a page that the next test searches on. */
export async function closeWindow({ page }: { page: Page }): Promise<void> {
  if ((await windowOf(page).count()) > 0) await page.keyboard.press("Escape");
  await windowOf(page).waitFor({ state: "detached" });
  // What was opened is suggested when the window opens again.
  await page.evaluate(() => localStorage.clear());
}

export function describeSearch(name: string, site: SearchedSite) {
  const { open, english, spanish, found, translated, untranslated, earlier } = site;
  const search = (typed: string, base = "/") => `${base}search?q=${encodeURIComponent(typed)}`;

  describe(`the search window, ${name}`, () => {
    test("has a button that says Search, and a field that says Search docs", async () => {
      await open(english, async (page) => {
        await page.locator(".navbar").getByRole("button", { name: "Search", exact: true }).click();
        await expect.poll(() => fieldOf(page).getAttribute("placeholder")).toBe("Search docs");
        expect(await isFocused(fieldOf(page))).toBe(true);
      });
    });

    test("opens on Ctrl+K and on Cmd+K, also inside of a field", async () => {
      await open(search(""), async (page) => {
        for (const shortcut of ["Control+k", "Meta+k"]) {
          await page.locator("main input").focus();
          await page.keyboard.press(shortcut);
          await fieldOf(page).waitFor();
          await page.keyboard.press("Escape");
          await windowOf(page).waitFor({ state: "detached" });
        }
      });
    });

    test("opens on / outside of fields, and inside of one / is a letter", async () => {
      await open(search(""), async (page) => {
        await page.locator("main input").focus();
        await page.keyboard.press("/");
        expect(await page.locator("main input").inputValue()).toBe("/");
        expect(await windowOf(page).count()).toBe(0);
        await page.locator("main input").blur();
        await page.keyboard.press("/");
        await fieldOf(page).waitFor();
        expect(await fieldOf(page).inputValue()).toBe("");
      });
    });

    test("closes on Escape, and the focus goes to the button", async () => {
      await open(english, async (page) => {
        await typeInWindow(page, found.typed);
        await resultsIn(page).first().waitFor();
        await page.keyboard.press("Escape");
        await expect.poll(() => windowOf(page).count()).toBe(0);
        expect(await isFocused(page.locator(".navbar button", { hasText: "Search" }))).toBe(true);
      });
    });

    test("shows what is found, and Enter goes there", async () => {
      await open(english, async (page) => {
        await typeInWindow(page, found.typed);
        await expect.poll(() => firstOf(resultsIn(page))).toBe(found.leadsTo);
        await page.keyboard.press("Enter");
        await page.waitForURL((url) => url.pathname + url.hash === found.leadsTo);
        await expect.poll(() => windowOf(page).count()).toBe(0);
      });
    });

    test("leads to all results by See all {count} results", async () => {
      await open(english, async (page) => {
        await typeInWindow(page, "");
        // At once, so that no count is of a part of it.
        await fieldOf(page).fill(found.typed);
        const all = windowOf(page).getByRole("link", { name: /^See all \d+ results$/ });
        const count = Number(/\d+/.exec((await all.textContent()) ?? "")?.[0]);
        expect(count).toBeGreaterThan(0);
        await all.click();
        await page.waitForURL((url) => url.pathname === "/search");
        expect(new URL(page.url()).searchParams.get("q")).toBe(found.typed);
        await expect.poll(() => firstOf(resultsOn(page))).toBe(found.leadsTo);
        const said = count === 1 ? "One result" : `${count} results`;
        expect(await page.getByText(said, { exact: true }).count()).toBe(1);
      });
    });

    test("finds pages in the reader's language, by the facet language", async () => {
      await open(spanish, async (page) => {
        await typeInWindow(page, translated.typed);
        await expect.poll(() => firstOf(resultsIn(page))).toBe(translated.leadsTo);
      });
      await open(english, async (page) => {
        await typeInWindow(page, found.typed);
        await resultsIn(page).first().waitFor();
        const places = await resultsIn(page).evaluateAll((all) =>
          all.map((each) => each.getAttribute("href")),
        );
        expect(places.filter((place) => place?.startsWith("/es/"))).toEqual([]);
      });
    });

    test("finds a page without translation once, as the English page", async () => {
      await open(spanish, async (page) => {
        await typeInWindow(page, untranslated.typed);
        await expect.poll(() => firstOf(resultsIn(page))).toBe(untranslated.leadsTo);
        expect(
          await resultsIn(page)
            .and(page.locator(`[href$="${untranslated.leadsTo}"]`))
            .count(),
        ).toBe(1);
        await page.keyboard.press("Enter");
        await page.waitForURL((url) => url.pathname + url.hash === untranslated.leadsTo);
        expect(await page.locator("html").getAttribute("lang")).toBe("en");
      });
    });

    test("says Unable to fetch results if the search fails", async () => {
      await open(
        english,
        async (page) => {
          await typeInWindow(page, "w");
          await windowOf(page).getByText("Unable to fetch results", { exact: true }).waitFor();
          const help = "You might want to check your network connection.";
          expect(await windowOf(page).getByText(help, { exact: true }).count()).toBe(1);
        },
        "fails",
      );
    });

    test("says No results for what is not found, and how to go on", async () => {
      await open(english, async (page) => {
        await typeInWindow(page, found.typed);
        await resultsIn(page).first().waitFor();
        await page.keyboard.type(` ${NOTHING}`);
        await windowOf(page).getByText(`No results for "${found.typed} ${NOTHING}"`).waitFor();
        expect(await windowOf(page).getByText("Try searching for").count()).toBe(1);
        await expectReport(windowOf(page));
        await windowOf(page).locator(".DocSearch-NoResults button").first().click();
        await expect.poll(() => fieldOf(page).inputValue()).not.toContain(NOTHING);
      });
    });
  });

  describe(`the search page, ${name}`, () => {
    test("has the query of its address, and the address of its query", async () => {
      await open(search(found.typed), async (page) => {
        const field = page.locator("main").getByRole("searchbox", { name: "Search" });
        expect(await field.getAttribute("placeholder")).toBe("Search docs");
        expect(await field.inputValue()).toBe(found.typed);
        await expect.poll(() => firstOf(resultsOn(page))).toBe(found.leadsTo);
        await field.fill(NOTHING);
        await page.waitForURL((url) => url.searchParams.get("q") === NOTHING);
        await resultsOn(page).first().waitFor({ state: "detached" });
      });
    });

    test("finds pages in the reader's language, by the facet language", async () => {
      await open(search(translated.typed, "/es/"), async (page) => {
        await expect.poll(() => firstOf(resultsOn(page))).toBe(translated.leadsTo);
      });
    });

    test("finds a page without translation once, as the English page", async () => {
      await open(search(untranslated.typed, "/es/"), async (page) => {
        await expect.poll(() => firstOf(resultsOn(page))).toBe(untranslated.leadsTo);
      });
    });

    test("finds an earlier version, by the facet docusaurus_tag", async () => {
      await open(search(earlier.typed), async (page) => {
        await page.getByLabel("Version").selectOption(earlier.version);
        await expect.poll(() => firstOf(resultsOn(page))).toBe(earlier.leadsTo);
      });
    });

    test("says Unable to fetch results if the search fails", async () => {
      await open(
        search("w"),
        async (page) => {
          await page.getByText("Unable to fetch results", { exact: true }).waitFor();
          const help = "You might want to check your network connection.";
          expect(await page.getByText(help, { exact: true }).count()).toBe(1);
        },
        "fails",
      );
    });

    test("says No results for what is not found, and how to go on", async () => {
      await open(search(NOTHING), async (page) => {
        const main = page.locator("main");
        await main.getByText(`No results for “${NOTHING}”`).waitFor();
        expect(await main.getByText("Try searching for").count()).toBe(1);
        await expectReport(main);
        await main.getByRole("listitem").first().getByRole("button").click();
        await page.waitForURL((url) => url.searchParams.get("q") === "quickstart");
      });
    });
  });
}

async function expectReport(place: Locator) {
  expect(await place.getByText("Believe this query should return results?").count()).toBe(1);
  const report = place.getByRole("link", { name: "Let us know." });
  const address = new URL((await report.getAttribute("href")) ?? "");
  expect(address.pathname).toMatch(/\/issues\/new$/);
  expect(address.searchParams.get("title")).toContain(NOTHING);
}

function isFocused(place: Locator): Promise<boolean> {
  return place.evaluate((element) => element === document.activeElement);
}
