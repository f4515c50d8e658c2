import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { closePages, hasBrowser } from "../start/browser.ts";
import {
  axeClean,
  heading,
  newPerson,
  type Person,
  signUp,
  startWorld,
  type World,
} from "./harness.ts";
import { invitationIn, mailTo } from "./mail.ts";

/** What a page would run if it showed names as HTML. */
const hostile = '<img src=x onerror="document.title=`stolen`">';

describe.runIf(hasBrowser)("in a browser,", () => {
  let world: World;
  let ada: Person;

  beforeAll(async () => {
    world = await startWorld({ KEYHEARTH_DASHBOARD_URL: "https://keys.example.com/dashboard" });
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

  const button = ({ page }: Person, name: string | RegExp) =>
    page.getByRole("button", { name, exact: true });
  const dialog = ({ page }: Person, name: string | RegExp) => page.getByRole("dialog", { name });
  const confirmation = ({ page }: Person) => page.getByRole("alertdialog");

  test("somebody is invited by mail, accepts in another browser, and becomes a root user", async () => {
    const { page, open } = ada;
    await signUp(ada);
    await page.getByText("First steps").waitFor();
    await page.getByRole("link", { name: "Open the root quorum" }).click();
    await heading(page, "Users");
    await page.getByText("Ada alone can do everything.").waitFor();

    await page.getByRole("tab", { name: "Tags" }).click();
    await button(ada, "Create a tag").click();
    await dialog(ada, "Create a tag").getByLabel("Name").fill(hostile);
    await page.keyboard.press("Enter");
    await page.getByRole("cell", { name: hostile, exact: true }).waitFor();

    await button(ada, "Invite somebody").click();
    const invite = dialog(ada, "Invite somebody");
    await button(ada, "Send the invitation").click();
    await invite.getByText("Give a name, which others see.").waitFor();
    await invite.getByLabel("Name").fill(hostile);
    // The page lets it pass, and the service says what is wrong with it at its field.
    await invite.getByLabel("Email address").fill("grace@example");
    await button(ada, "Send the invitation").click();
    await expect.poll(() => invite.locator(".field-error").textContent()).toMatch(/address/);
    await axeClean(page, "Invite");
    // Closed by mistake, the form still has what was typed.
    await page.keyboard.press("Escape");
    await button(ada, "Invite somebody").click();
    expect(await invite.getByLabel("Name").inputValue()).toBe(hostile);
    await invite.getByLabel("Email address").fill("grace@example.com");
    await invite.getByText(hostile).click();
    await button(ada, "Send the invitation").click();
    await page.getByText("The invitation is on its way").waitFor();
    await page.getByRole("tab", { name: "Invitations (1)" }).click();
    await page.getByRole("cell", { name: "grace@example.com" }).waitFor();

    const mail = invitationIn(await mailTo(world, "grace@example.com"));
    const grace = await newPerson(world, { width: 390, theme: "dark" });
    // The service of the test is at a different address from the one that its operator gave it.
    const path = new URL(mail.link).pathname.replace("/dashboard", "");
    await grace.open(`${path}?organization=evil&user=${mail.userId}`);
    await heading(grace.page, "Accept an invitation");
    const field = (label: string) => grace.page.getByLabel(label, { exact: true });
    // The form takes ids from an address, and no other text.
    expect(await field("Organization id").inputValue()).toBe("");
    await grace.open(path + new URL(mail.link).search);
    expect(await field("Organization id").inputValue()).toBe(mail.organizationId);
    expect(await field("Your user id").inputValue()).toBe(mail.userId);
    await field("Invitation code").fill(` ${mail.token} `);
    await field("Name of your passkey").fill("Phone");
    await axeClean(grace.page, "Invitation");
    await grace.page.getByRole("button", { name: "Accept with a new passkey" }).click();
    await heading(grace.page, "You are in");
    await grace.page.getByRole("link", { name: "Log in" }).click();
    await grace.page.getByRole("button", { name: /^Log in to/ }).click();
    await heading(grace.page, "Overview");
    expect(grace.page.url()).not.toContain(mail.token);
    expect(await grace.page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain(
      mail.token,
    );

    // In a browser that knows nothing, the passkey itself says whose it is.
    await grace.page.evaluate(() => localStorage.clear());
    await grace.page.getByRole("button", { name: /^Session of/ }).click();
    await grace.page.getByRole("menuitem", { name: "Log out", exact: true }).click();
    await heading(grace.page, "Log in");
    await grace.page.evaluate(() => localStorage.clear());
    await grace.open("/");
    await grace.page.getByRole("button", { name: "Find my organization by my passkey" }).click();
    await heading(grace.page, "Overview");

    await page.reload();
    await page.getByRole("tab", { name: "Root quorum" }).click();
    await page.locator("label").filter({ hasText: hostile }).click();
    await page.getByText("can do everything alone").waitFor();
    const threshold = page.getByRole("textbox", { name: "Approvals needed" });
    await threshold.fill("3");
    await threshold.press("Tab");
    await page.getByText("3 approvals of 2 users can never come together").waitFor();
    expect(await button(ada, "Change the root quorum").isDisabled()).toBe(true);
    await threshold.fill("2");
    await threshold.press("Tab");
    await page.getByText("All 2 of them are needed").waitFor();
    await axeClean(page, "Root quorum");
    await button(ada, "Change the root quorum").click();
    await confirmation(ada).getByText("It takes effect at once.").waitFor();
    await button(ada, "Change it").click();
    await page.getByText("The root quorum is changed").waitFor();

    // From now on, what Ada does waits for Grace.
    await open("/users");
    await heading(page, "Users");
    await page.getByPlaceholder("Name, email address, phone number or id").fill("grace@");
    await expect.poll(() => page.getByRole("table").getByRole("link").count()).toBe(1);
    await page.getByRole("table").getByRole("link").click();
    await heading(page, hostile);
    await axeClean(page, "User");
    // A service that names somebody else in its answer does not change whom the screen acts on.
    const named: string[] = [];
    await page.route("**/get_user", async (route) => {
      const answer = await route.fetch();
      const { user } = await answer.json();
      const other = { ...user, userId: mail.organizationId };
      await route.fulfill({ response: answer, json: { user: other } });
      named.push(other.userId);
    });
    await page.reload();
    await expect.poll(() => named).toContain(mail.organizationId);
    await heading(page, hostile);
    await button(ada, "Change").click();
    await page.getByRole("menuitem", { name: "Name, contacts and tags" }).click();
    await dialog(ada, /^Change/)
      .getByLabel("Name")
      .fill("Grace");
    const sent = page.waitForRequest("**/update_user");
    await button(ada, "Save").click();
    expect((await sent).postDataJSON().parameters.userId).toBe(mail.userId);
    await page.unroute("**/get_user");
    await page.getByText("This waits for approvals").waitFor();
    await grace.open("/");
    await grace.page
      .getByRole("table", { name: "Activities that wait for your approval" })
      .waitFor();
    await axeClean(grace.page, "Overview with something to approve");
    expect(await page.title()).not.toBe("stolen");
    expect(grace.complaints).toEqual([]);
    await grace.close();
  }, 120_000);

  test("keys are made here and shown once, and passkeys come and go", async () => {
    const { page, open } = ada;
    await signUp(ada);
    await open("/settings/credentials");
    await heading(page, "Settings");
    await button(ada, "Add an API key").click();
    const add = dialog(ada, "Add an API key");
    await add.getByLabel("Name of the key").fill("CI");
    await add.getByText("I have a public key.").click();
    await add.getByRole("textbox", { name: "Public key" }).fill("04abc");
    await button(ada, "Register the key").click();
    await add.getByText("A public key has 66 hexadecimal digits").waitFor();
    await axeClean(page, "Add an API key");
    await add.getByText("Make it in this browser.").click();
    await button(ada, "Register the key").click();
    const shown = dialog(ada, "Store the key CI now");
    const privateKey = (await shown.locator(".mono").nth(1).textContent()) ?? "";
    expect(privateKey).toMatch(/^[0-9a-f]{64}$/);
    await axeClean(page, "New key");
    // It goes away only once somebody says that it is stored.
    await page.keyboard.press("Escape");
    expect(await shown.count()).toBe(1);
    const download = page.waitForEvent("download");
    await button(ada, "Download the key file").click();
    expect((await download).suggestedFilename()).toBe("CI.json");
    await shown.getByText("I have stored it").click();
    await button(ada, "Done").click();
    expect(await page.content()).not.toContain(privateKey);
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain(
      privateKey,
    );
    await page.getByRole("table", { name: "API keys" }).getByText("CI").waitFor();

    // A key that expires is a session.
    await button(ada, "Add an API key").click();
    await add.getByLabel("Name of the key").fill("For an hour");
    await add.getByRole("button", { name: /Valid for/ }).click();
    await page.getByRole("option", { name: "An hour" }).click();
    await button(ada, "Register the key").click();
    await dialog(ada, /^Store the key/)
      .getByText("I have stored it")
      .click();
    await button(ada, "Done").click();
    const sessions = page.getByRole("table", { name: "Sessions" });
    await sessions.getByText("For an hour").waitFor();
    await sessions.getByText("This browser").waitFor();
    await axeClean(page, "Your credentials");

    // The device has a passkey already, and no second one replaces it.
    await button(ada, "Add a passkey").click();
    const passkey = dialog(ada, "Add a passkey");
    await passkey.getByLabel("Name of the passkey").fill("Laptop");
    await button(ada, "Make the passkey").click();
    await passkey.getByRole("alert").waitFor();
    await page.keyboard.press("Escape");

    await button(ada, "Remove the passkey First passkey").click();
    await button(ada, "Remove the passkey").click();
    await page.getByText("There is no passkey").waitFor();
    await button(ada, "Add a passkey").click();
    expect(await passkey.getByLabel("Name of the passkey").inputValue()).toBe("Laptop");
    await button(ada, "Make the passkey").click();
    await page.getByRole("table", { name: "Passkeys" }).getByText("Laptop").waitFor();

    // The key works, at a login with its file's content.
    await page.getByRole("button", { name: /^Session of/ }).click();
    await page.getByRole("menuitem", { name: "Log out", exact: true }).click();
    await heading(page, "Log in");
    await page.getByRole("tab", { name: "API key" }).click();
    await page.getByRole("textbox", { name: "API key" }).fill(privateKey);
    await button(ada, "Log in with the key").click();
    await page.getByText("The key alone does not say whose it is").waitFor();
    const { id } = await page.evaluate(
      () => JSON.parse(localStorage.getItem("keyhearth-organizations") ?? "[]")[0],
    );
    await page.getByLabel("Organization id").fill(id);
    await button(ada, "Log in with the key").click();
    await heading(page, "Settings");
  });
});
