import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePages, hasBrowser, sharedBrowser } from "../start/browser.ts";
import { newDataDirectory } from "../start/data-directory.ts";
import {
  clientOf,
  fetchMailbox,
  type RootKey,
  readRootKey,
  type Service,
  startService,
} from "../start/process.ts";

const dataDirectory = await newDataDirectory("mailbox");
let service: Service;
let root: RootKey;

beforeAll(async () => {
  service = await startService({ KEYHEARTH_DATA_DIR: dataDirectory, KEYHEARTH_LOG_LEVEL: "info" });
  root = readRootKey(dataDirectory);
});

afterAll(async () => {
  await service?.stop();
  rmSync(dataDirectory, { recursive: true, force: true });
});

async function invite(receiverUserEmail: string, receiverUserName = "Grace") {
  await clientOf(service, root).createInvitations({
    invitations: [
      {
        receiverUserName,
        receiverUserEmail,
        receiverUserTags: [],
        accessType: "ACCESS_TYPE_ALL",
        senderUserId: root.userId,
      },
    ],
  });
}

async function messages(query = "") {
  const response = await fetchMailbox(service, query);
  expect(response.status).toBe(200);
  expect(response.headers.get("access-control-allow-origin")).toBeNull();
  expect(response.headers.get("cross-origin-resource-policy")).toBe("same-origin");
  return response.json();
}

test("the mailbox is in the table of addresses, and gives messages to tests right after their commit", async () => {
  expect(await messages("?to=ada@example.com")).toEqual([]);
  await invite("ada@example.com", "Ada <b>");
  await invite("grace@example.com");
  const [message, ...others] = await messages("?to=Ada@example.com");
  expect(others).toEqual([]);
  expect(message).toEqual({
    messageId: expect.any(String),
    kind: "invitation",
    to: "ada@example.com",
    subject: "Root user invites you to join Root organization",
    text: expect.stringContaining("Hello Ada <b>,"),
    html: expect.stringContaining("Hello Ada &#60;b&#62;,"),
    code: expect.stringMatching(/^[\w-]{22}$/),
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  });
  expect((await messages()).map(({ to }: { to: string }) => to)).toEqual([
    "grace@example.com",
    "ada@example.com",
  ]);
});

test("the token is made by the start, for the link and for programs, and is in no log line", async () => {
  const [link = "", token = ""] =
    /^ {2}Mailbox +http:\/\/localhost:\d+\/mailbox#token=([\w-]{43})$/m.exec(service.stdout()) ??
    [];
  expect(link).toContain(service.mailboxUrl);
  const file = join(dataDirectory, "mailbox-token");
  expect(readFileSync(file, "utf8")).toBe(`${token}\n`);
  expect(statSync(file).mode & 0o777).toBe(0o600);

  await messages();
  const without = await fetch(`${service.url}/mailbox/messages`);
  expect(without.status).toBe(403);
  expect(await without.text()).toContain("mailbox-token");
  expect((await fetch(`${service.url}/mailbox/messages?token=${token}`)).status).toBe(403);
  const inLog = `${service.stdout()}${service.stderr()}`.replace(link, "");
  expect(inLog).toContain("/mailbox/messages");
  expect(inLog).not.toContain(token);
});

describe.runIf(hasBrowser)("the mailbox in a browser", () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await sharedBrowser();
  });

  afterAll(closePages);

  async function open(width: number, colorScheme: "light" | "dark"): Promise<Page> {
    const viewport = { width, height: 900 };
    const permissions = ["clipboard-read", "clipboard-write"];
    const context = await browser.newContext({ viewport, colorScheme, permissions });
    const page = await context.newPage();
    page.on("pageerror", (error) => expect.unreachable(error.message));
    await page.goto(service.mailboxUrl);
    return page;
  }

  test("takes the token out of the address, keeps it for this tab, and says so without it", async () => {
    const page = await open(1440, "light");
    const shown = page.getByRole("status").getByText(/newest first|No messages yet/);
    await shown.waitFor();
    expect(new URL(page.url())).toMatchObject({ pathname: "/mailbox", hash: "", search: "" });
    await page.reload();
    await shown.waitFor();

    const other = await page.context().newPage();
    await other.goto(new URL("/mailbox", page.url()).href);
    await other.getByText("Open the mailbox by the link that the service printed").waitFor();
    await other.goto(service.mailboxUrl.replace(/.{43}$/, "x".repeat(43)));
    await other.getByText("This link is from an earlier start").waitFor();
    await other.goto(service.mailboxUrl);
    await other.getByText(/newest first|No messages yet/).waitFor();
    await page.context().close();
  });

  test("shows a new message by itself, and copies its code", async () => {
    const page = await open(1440, "light");
    await page
      .getByRole("status")
      .getByText(/newest first|No messages yet/)
      .waitFor();
    await invite("hopper@example.com", "Hopper");
    await page.getByText("To hopper@example.com").first().click();
    await page.frameLocator("iframe").getByText("Hello Hopper,").waitFor();
    await page.getByRole("button", { name: "Copy code" }).click();
    const [{ code }] = await messages("?to=hopper@example.com");
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(code);
    await page.context().close();
  });

  test.each([
    [1440, "light"],
    [1440, "dark"],
    [390, "light"],
    [390, "dark"],
  ] as const)("fits %d px in %s", async (width, scheme) => {
    await invite(`${width}-${scheme}@example.com`, "A".repeat(120));
    const page = await open(width, scheme);
    await page.getByRole("heading", { name: /invites you/ }).waitFor();
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBe(0);
    const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(background).toBe(scheme === "dark" ? "rgb(17, 20, 21)" : "rgb(250, 250, 248)");
    const screenshots = process.env.KEYHEARTH_SCREENSHOTS;
    if (screenshots)
      await page.screenshot({ path: join(screenshots, `mailbox-${width}-${scheme}.png`) });
    await page.context().close();
  });

  test("lets no mail run a script", async () => {
    const page = await open(1440, "light");
    // The first list of messages replaces the frame.
    await page.getByRole("heading", { name: /invites you/ }).waitFor();
    const frame = page.locator("iframe");
    expect(await frame.getAttribute("sandbox")).toBe("allow-popups allow-popups-to-escape-sandbox");
    await page.evaluate(() => {
      const mail = document.querySelector("iframe");
      if (mail) mail.srcdoc = "<script>parent.document.title = 'taken'</script><p>loaded</p>";
    });
    await page.frameLocator("iframe").getByText("loaded").waitFor();
    expect(await page.title()).toBe("Mailbox | Keyhearth");
    await page.context().close();
  });

  test("shows a mail after an SMS", async () => {
    const client = clientOf(service, root);
    await client.setOrganizationFeature({ name: "FEATURE_NAME_SMS_AUTH" });
    await invite("lovelace@example.com", "Lovelace");
    const contact = "+14155550100";
    await client.initOtp({ otpType: "OTP_TYPE_SMS", contact, appName: "Example" });
    const page = await open(1440, "light");
    await page.getByRole("heading", { name: "SMS" }).waitFor();
    await page.getByText("To lovelace@example.com").click();
    await page.frameLocator("iframe").getByText("Hello Lovelace,").waitFor();
    await page.context().close();
  });
});
