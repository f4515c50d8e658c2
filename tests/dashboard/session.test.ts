import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { screens } from "../../apps/dashboard/src/app/screens.ts";
import { closePages, hasBrowser } from "../start/browser.ts";
import {
  axeClean,
  heading,
  isThere,
  logIn,
  logOut,
  newPerson,
  type Person,
  signUp,
  startWorld,
  type World,
} from "./harness.ts";

describe.runIf(hasBrowser)("in a browser,", () => {
  let world: World;
  let ada: Person;

  beforeAll(async () => {
    world = await startWorld();
  }, 120_000);
  afterAll(async () => {
    await closePages();
    await world?.product.stop();
  });
  beforeEach(async () => {
    ada = await newPerson(world);
  });
  afterEach(async () => {
    await ada.close();
    expect(ada.complaints).toEqual([]);
  });

  test("somebody signs up, logs out, comes back by a passkey, and is where a link led", async () => {
    const { page, open } = ada;
    await open();
    await heading(page, "Log in");
    await axeClean(page, "Log in");
    await page.getByRole("link", { name: "Create one" }).click();
    await heading(page, "Create an organization");
    await page.getByRole("button", { name: "Create it with a passkey" }).click();
    await page.getByText("Give the organization a name.").waitFor();
    await axeClean(page, "Sign up");
    const organizationId = await signUp(ada);
    expect(organizationId).toMatch(/^[0-9a-f-]{36}$/);
    expect(await page.title()).toBe("Overview | Keyhearth");
    await page.getByRole("link", { name: "Create organization" }).waitFor();

    await logOut(ada);
    // The address is that of a screen, and stays while people log in.
    await open("/policies");
    await heading(page, "Log in");
    await logIn(ada);
    await heading(page, "Policies");
    expect(new URL(page.url()).pathname).toBe("/dashboard/policies");

    // A reload keeps the session, whose key no script can read.
    await page.reload();
    await heading(page, "Policies");
    const kept = await page.evaluate(
      () =>
        new Promise<boolean[]>((resolve) => {
          const request = indexedDB.open("keyhearth");
          request.onsuccess = () => {
            const all = request.result.transaction("keys").objectStore("keys").getAll();
            all.onsuccess = () => resolve(all.result.map((entry) => entry.privateKey.extractable));
          };
        }),
    );
    expect(kept).toEqual([false]);
    // Beside it, only what says where people were, and until when they are logged in.
    expect(await page.evaluate(() => ({ ...localStorage }))).toEqual({
      "keyhearth-organizations": JSON.stringify([{ id: organizationId, name: "Acme" }]),
      "keyhearth-session-until": expect.stringMatching(/^\d{13}$/),
    });

    // In another browser, the link names the organization.
    await logOut(ada);
    await page.evaluate(() => localStorage.clear());
    await open(`/?organization=${organizationId}`);
    await page.getByRole("button", { name: "Log in to this organization" }).click();
    await heading(page, "Overview");
  });

  test("every screen is there, by the sidebar and by the palette, and is accessible", async () => {
    const { page } = ada;
    await signUp(ada);
    for (const { title } of screens.filter(({ isInMenu }) => isInMenu)) {
      await page.getByRole("link", { name: title, exact: true }).click();
      await heading(page, title);
      // After a navigation, the keyboard and a reader of the screen are at the new title.
      await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe(title);
      await expect.poll(() => page.getByText("Loading").count()).toBe(0);
      await axeClean(page, title);
    }
    await page.keyboard.press("Control+k");
    await page.getByPlaceholder("Go to…").fill("receipts");
    await page.keyboard.press("Enter");
    await heading(page, "Activities");
    await page.getByRole("link", { name: "Create organization" }).click();
    await heading(page, "Create organization");
    await page.getByText("Completed", { exact: true }).waitFor();
    await axeClean(page, "Activity");
    await ada.open("/nothing/here");
    await heading(page, "Not found");
    await axeClean(page, "Not found");
  });

  test("somebody logs in with a key file, which stays only if asked, and what is no key is said", async () => {
    const { page, open } = ada;
    await open();
    await page.getByRole("tab", { name: "API key" }).click();
    const field = page.getByRole("textbox", { name: "API key" });
    await field.fill("hunter2");
    await page.getByRole("button", { name: "Log in with the key", exact: true }).click();
    await page.getByText("is neither a key file in JSON nor a private key").waitFor();
    await axeClean(page, "API key");
    const file = readFileSync(world.product.rootKeyFile, "utf8");
    // What a chosen file holds is shown nowhere, not even while the page waits for the button.
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Choose a key file" }).click();
    await (await chooser).setFiles(world.product.rootKeyFile);
    await page.getByText("The key file root-api-key.json is chosen.").waitFor();
    const values = await page
      .locator("input, textarea")
      .evaluateAll((all) => all.map((each) => (each as HTMLInputElement).value));
    expect(values.join() + (await page.content())).not.toContain(JSON.parse(file).apiPrivateKey);
    await page.getByText("Keep the key in this browser.").click();
    await page.getByRole("button", { name: "Log in with the key", exact: true }).click();
    await heading(page, "Overview");
    const { apiPrivateKey } = JSON.parse(file);
    expect(await page.content()).not.toContain(apiPrivateKey);
    await logOut(ada);
    await page.getByRole("tab", { name: "API key" }).click();
    await page.getByRole("button", { name: "Log in with the key of this browser" }).click();
    await heading(page, "Overview");
    await logOut(ada);
    await page.getByRole("tab", { name: "API key" }).click();
    await page.getByRole("button", { name: "Forget it" }).click();
    await expect
      .poll(() => page.getByRole("button", { name: "Log in with the key of this browser" }).count())
      .toBe(0);
  });

  test("a log-out in one tab is one in all", async () => {
    const { page, context } = ada;
    await signUp(ada);
    const other = await context.newPage();
    await other.goto(`${world.origin}/dashboard/users`);
    await heading(other, "Users");
    await logOut({ ...ada, page: other });
    await heading(page, "Log in");
  });

  test("after a session ended elsewhere, people log in over their screen, which stays as it was", async () => {
    const { page } = ada;
    const key = readFileSync(world.product.rootKeyFile, "utf8");
    const logInByKey = async (at: Person["page"], within: Pick<Person["page"], "getByRole">) => {
      await within.getByRole("tab", { name: "API key" }).click();
      await within.getByRole("textbox", { name: "API key" }).fill(key);
      await within.getByRole("button", { name: "Log in with the key", exact: true }).click();
      await at.getByRole("dialog").waitFor({ state: "detached" });
    };
    await ada.open("/activities");
    await logInByKey(page, page);
    await heading(page, "Activities");
    await page.evaluate(() => document.querySelector("h1")?.setAttribute("data-was", "here"));

    const elsewhere = await newPerson(world);
    await elsewhere.open();
    await logInByKey(elsewhere.page, elsewhere.page);
    await elsewhere.page.getByRole("button", { name: /^Session of/ }).click();
    await elsewhere.page.getByRole("menuitem", { name: "Log out everywhere" }).click();
    const confirmation = elsewhere.page.getByRole("alertdialog");
    await axeClean(elsewhere.page, "Log out everywhere");
    await confirmation.getByRole("button", { name: "Log out everywhere" }).click();
    await heading(elsewhere.page, "Log in");
    await elsewhere.close();

    // The list is read each second, so the page notices.
    const dialog = page.getByRole("dialog", { name: "Log in again" });
    await dialog.getByText("The service no longer knows your session").waitFor();
    await axeClean(page, "Log in again");
    expect(await page.locator("h1[data-was=here]").count()).toBe(1);
    await page.keyboard.press("Escape");
    expect(await dialog.count()).toBe(1);
    await logInByKey(page, dialog);
    expect(await page.locator("h1[data-was=here]").count()).toBe(1);
    // The list goes on where it was.
    await page.getByRole("link", { name: "Log out everywhere" }).first().waitFor();
    await expect.poll(() => page.getByRole("alert").count()).toBe(0);
  });

  // What people see before the page's scripts are there.

  /** Opens a screen whose scripts wait until the returned function is called. */
  async function openSlowly(path = "/", origin = world.origin): Promise<() => Promise<void>> {
    const { page } = ada;
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const scripts = "**/dashboard/assets/start-*.js";
    await page.route(scripts, async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${origin}/dashboard${path}`, { waitUntil: "commit" });
    // The page's own script has run, and the view is painted with its texts, on a busy machine too.
    await page.waitForFunction(
      () => performance.getEntriesByName("first-contentful-paint").length > 0,
    );
    await page.evaluate(
      () => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted))),
    );
    return async () => {
      letGo();
      await isThere(page);
      await page.unroute(scripts);
    };
  }

  const seen = (selector: string) => ada.page.locator(selector).isVisible();

  /** Notes in every page that is opened from now on how much moved, and when the largest text was painted. */
  async function notePaints() {
    await ada.page.addInitScript(() => {
      const painted = { moved: 0, largestMs: 0, tookOverMs: 0 };
      Object.assign(globalThis, { painted });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) painted.moved += Number(Reflect.get(entry, "value"));
      }).observe({ type: "layout-shift", buffered: true });
      new PerformanceObserver((list) => {
        painted.largestMs = list.getEntries().at(-1)?.startTime ?? 0;
      }).observe({ type: "largest-contentful-paint", buffered: true });
      new MutationObserver(() => {
        if (document.querySelector("html:not([data-first])"))
          painted.tookOverMs ||= performance.now();
      }).observe(document, { attributes: true, subtree: true, attributeFilter: ["data-first"] });
    });
  }

  /** Of the page that is open, once all that was painted is noted. */
  const paintsOf = () =>
    ada.page.evaluate(
      () =>
        new Promise<{ moved: number; largestMs: number; tookOverMs: number }>((resolve) => {
          requestAnimationFrame(() =>
            setTimeout(() => resolve(Reflect.get(globalThis, "painted")), 100),
          );
        }),
    );

  test("a visitor sees the login at once, which stays where it is when it begins to work", async () => {
    const { page } = ada;
    await notePaints();
    let go = await openSlowly();
    const titles = await page.locator("#root h1").allTextContents();
    expect([titles, await seen("#root h1"), await seen(".first-shell")]).toEqual([
      ["Log in"],
      true,
      false,
    ]);
    const field = page.locator("#root input");
    const placeOf = async () => JSON.stringify(await field.boundingBox());
    const place = await placeOf();
    // Nothing in it can be used yet, and so nothing that people do in it is lost.
    await page.mouse.click(200, 300);
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("BODY");
    await field.evaluate((input) => input.setAttribute("data-was", "here"));
    await go();
    expect(await placeOf()).toBe(place);
    // The elements are those of the build.
    expect(await page.locator("#root input[data-was=here]").count()).toBe(1);
    expect(await page.locator(".first, .first-said").count()).toBe(0);
    await page.getByRole("button", { name: "Log in with a passkey" }).click();
    await page.getByText("Enter the id of your organization.").waitFor();
    expect((await paintsOf()).moved).toBeLessThan(0.01);

    // Where passkeys do not work, the first view says so.
    expect(await page.getByText("Passkeys belong to a name").count()).toBe(0);
    go = await openSlowly("/", world.product.url);
    const note = page.getByText("Passkeys belong to a name").filter({ visible: true });
    await note.evaluate((text) => text.setAttribute("data-was", "here"));
    await go();
    expect(await page.locator("p[data-was=here]").count()).toBe(1);
    const { port } = new URL(world.origin);
    expect(
      await note.getByRole("link", { name: "Open it at localhost" }).getAttribute("href"),
    ).toBe(`http://localhost:${port}/dashboard/`);
    const { moved, largestMs, tookOverMs } = await paintsOf();
    expect(moved).toBeLessThan(0.01);
    expect(largestMs).toBeGreaterThan(0);
    expect(largestMs).toBeLessThan(tookOverMs);
  });

  test("nobody who is logged in sees the login, and what a browser knows is not shown wrongly", async () => {
    const { page } = ada;
    await signUp(ada);
    let go = await openSlowly("/wallets");
    expect([await seen(".first-shell"), await seen("#root"), await seen(".first-front")]).toEqual([
      ...[true, false, false],
    ]);
    await go();
    await heading(page, "Wallets");

    // A screen for anybody, also if somebody is logged in.
    go = await openSlowly("/sign-up");
    expect([await seen(".first-front"), await seen("#root"), await seen(".first-shell")]).toEqual([
      ...[true, false, false],
    ]);
    await go();
    await heading(page, "Create an organization");

    // The largest text of the overview is in its first view.
    await notePaints();
    await page.setViewportSize({ width: 412, height: 823 });
    go = await openSlowly();
    expect([await seen(".first-overview h1"), await seen(".first-screen")]).toEqual([true, false]);
    await go();
    await page.getByRole("heading", { name: "First steps" }).waitFor();
    const { moved, largestMs, tookOverMs } = await paintsOf();
    expect(moved).toBeLessThan(0.01);
    expect(largestMs).toBeGreaterThan(0);
    expect(largestMs).toBeLessThan(tookOverMs);
    await page.setViewportSize({ width: 1440, height: 900 });

    // The organizations that the browser knows come with the scripts.
    await heading(page, "Overview");
    await logOut(ada);
    go = await openSlowly();
    expect([await seen("#root h1"), await seen("#root input")]).toEqual([true, false]);
    await go();
    await page.getByRole("button", { name: "Log in to Acme" }).waitFor();
    expect(await page.locator("#root input").count()).toBe(0);

    // A note that is wrong lets nobody in.
    await page.evaluate(() =>
      localStorage.setItem("keyhearth-session-until", String(Date.now() + 60_000)),
    );
    go = await openSlowly("/wallets");
    expect(await seen(".first-shell")).toBe(true);
    await go();
    await heading(page, "Log in");
    expect(await page.evaluate(() => localStorage.getItem("keyhearth-session-until"))).toBeNull();
  });

  test("a script that is missing is said", async () => {
    const { page } = ada;
    await page.route("**/dashboard/assets/start-*.js", (route) => route.abort());
    await page.goto(`${world.origin}/dashboard/`);
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").textContent()).toContain("Reload the page");
    expect(await seen("#root h1")).toBe(false);
    // What the browser says about it.
    expect(ada.complaints.splice(0).length).toBeGreaterThan(0);
  });
});
