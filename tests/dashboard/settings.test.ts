import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { KeyhearthClient } from "@keyhearth/sdk";
import { LoginProxy, memoryStorage, SessionKeeper } from "@keyhearth/sdk/browser";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type OpenIdProvider, PAGE_CLIENT_ID, startOpenIdProvider } from "../openid/provider.ts";
import { closePages, hasBrowser } from "../start/browser.ts";
import { clientOf } from "../start/process.ts";
import {
  axeClean,
  heading,
  logIn,
  newPerson,
  type Person,
  signUp,
  startWorld,
  type World,
} from "./harness.ts";
import { mailTo } from "./mail.ts";

const hostile = '<img src=x onerror="document.title=`stolen`">';

describe.runIf(hasBrowser)("in a browser,", () => {
  let provider: OpenIdProvider;
  let world: World;
  let root: KeyhearthClient;
  let ada: Person;

  beforeAll(async () => {
    // For native apps, the port of a loopback address does not count.
    provider = await startOpenIdProvider({ pages: ["http://localhost/dashboard/returned.html"] });
    world = await startWorld({
      KEYHEARTH_OIDC_ISSUERS: `private:${provider.issuer}`,
      KEYHEARTH_LOGIN_PROVIDERS: `example=${provider.issuer}/auth`,
      KEYHEARTH_WEBHOOK_PRIVATE_TARGETS: "127.0.0.1",
    });
    root = clientOf(world.product, world.product.root);
    await switchProxyOn();
  }, 120_000);
  afterAll(async () => {
    await closePages();
    await world?.product.stop();
    await provider?.stop();
  });
  beforeEach(async () => {
    ada = await newPerson(world);
  });
  afterEach(async () => {
    await ada.close();
    expect(ada.complaints).toEqual([]);
  });

  const button = (page: Page, name: string | RegExp) =>
    page.getByRole("button", { name, exact: true });

  async function switchProxyOn() {
    const shown = await fetch(`${world.product.url}/proxy/v1/public_key`, {
      method: "POST",
      headers: { "X-Auth-Proxy-Config-ID": root.organizationId },
    });
    const { publicKey } = (await shown.json()) as { publicKey: string };
    const value = JSON.stringify({
      publicKey,
      appName: "Example",
      origins: [world.origin],
      methods: ["email"],
      oauthClientIds: { example: PAGE_CLIENT_ID },
    });
    await root.setOrganizationFeature({ name: "FEATURE_NAME_AUTH_PROXY", value });
    await root.setOrganizationFeature({ name: "FEATURE_NAME_OTP_EMAIL_AUTH" });
  }

  /** Signs somebody up by a code, as an app of the organization does. */
  async function signUpByCode(contact: string, organizationName: string) {
    const described = await fetch(`${world.product.url}/.well-known/keyhearth.json`);
    const { sessionPublicKey, verificationPublicKey } = (await described.json()) as {
      [name: string]: string;
    };
    const keeper = new SessionKeeper({
      baseUrl: world.product.url,
      organizationId: root.organizationId,
      sessionPublicKey: sessionPublicKey ?? "",
      verificationPublicKey: verificationPublicKey ?? "",
      storage: memoryStorage(),
      fetch: (url, init) =>
        fetch(url, { ...init, headers: { ...init?.headers, Origin: world.origin } }),
    });
    const proxy = new LoginProxy(keeper);
    const to = { otpType: "OTP_TYPE_EMAIL", contact } as const;
    const sent = await proxy.sendCode(to);
    const { code } = await mailTo(world, contact);
    await proxy.logInWithCode({ ...to, sent, code, userName: hostile, organizationName });
    await expect(
      proxy.logInWithCode({ ...to, sent: await proxy.sendCode(to), code: "000000000" }),
    ).rejects.toThrow();
    keeper.close();
  }

  async function atProvider(popup: Page, isFirst: boolean) {
    if (isFirst) {
      await popup.getByPlaceholder("Enter any login").fill("ada");
      await popup.getByPlaceholder("and password").fill("any");
      await popup.getByRole("button", { name: "Sign-in" }).click();
    }
    await popup.getByRole("button", { name: "Continue" }).click();
  }

  /** An ID token of the page's client, as an app has it when it signs somebody up. */
  async function tokenOfAda(): Promise<string> {
    const page = await ada.context.newPage();
    const asked = {
      client_id: PAGE_CLIENT_ID,
      redirect_uri: `${world.origin}/dashboard/returned.html`,
      response_type: "id_token",
      scope: "openid",
      nonce: "of the test",
    };
    await page.goto(`${provider.issuer}/auth?${new URLSearchParams(asked)}`);
    await atProvider(page, false);
    await page.waitForURL(/returned\.html#/);
    const token = new URLSearchParams(new URL(page.url()).hash.slice(1)).get("id_token");
    await page.close();
    return token ?? "";
  }

  test("people log in by a code and by a provider, and nobody gets an account by that", async () => {
    const { page, open } = ada;
    await open(`/?organization=${root.organizationId}`);
    await page.getByRole("tab", { name: "Code" }).click();
    const contact = page.getByLabel("Email address", { exact: true });
    await contact.fill("nobody");
    await button(page, "Send me a code").click();
    await page.getByText("Enter an email address, such as").waitFor();
    await axeClean(page, "Log in by a code");
    await contact.fill("nobody@example.com");
    await button(page, "Send me a code").click();
    const code = page.getByRole("textbox", { name: "Code" });
    await code.waitFor();
    await code.fill((await mailTo(world, "nobody@example.com")).code);
    await button(page, "Log in").click();
    await page.getByText("Nobody has an account with this login yet").waitFor();

    await signUpByCode("ada@example.com", "Customer 1");
    await button(page, "Send another code").click();
    await contact.fill("ada@example.com");
    await button(page, "Send me a code").click();
    await code.fill("000000000");
    await button(page, "Log in").click();
    await page.getByRole("alert").waitFor();
    const { code: right } = await mailTo(world, "ada@example.com");
    await code.fill(` ${right.toLowerCase()} `);
    await button(page, "Log in").click();
    await heading(page, "Overview");
    await page.getByText("Customer 1").waitFor();
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain(right);

    await page.getByRole("button", { name: /^Session of/ }).click();
    await page.getByRole("menuitem", { name: "Log out", exact: true }).click();
    await heading(page, "Log in");
    await page.getByRole("tab", { name: "Provider" }).click();
    const attempt = async (isFirst: boolean) => {
      const popup = page.waitForEvent("popup");
      await button(page, "Continue with Example").click();
      await atProvider(await popup, isFirst);
    };
    await attempt(true);
    await page.getByText("Nobody has an account with this login yet").waitFor();
    const oidcToken = await tokenOfAda();
    await root.createSubOrganization({
      subOrganizationName: "Customer 2",
      rootUsers: [
        {
          userName: "Ada",
          apiKeys: [],
          authenticators: [],
          oauthProviders: [{ providerName: "Example", oidcToken }],
        },
      ],
      rootQuorumThreshold: 1,
    });
    await attempt(false);
    await heading(page, "Overview");
    await page.getByText("Customer 2").waitFor();
    expect(page.url()).not.toContain("token");
    expect(ada.context.pages()).toHaveLength(1);

    // An address that looks like another host is a screen of this one.
    await page.goto(`${world.origin}/dashboard//evil.example/%2e%2e`);
    await heading(page, "Not found");
    expect(new URL(page.url()).origin).toBe(world.origin);
  });

  test("what was typed survives an expiry, and is sent after people logged in again", async () => {
    const { page } = ada;
    await page.clock.install();
    await signUp(ada, hostile);
    await ada.open("/users");
    await heading(page, "Users");
    await button(page, "Invite somebody").click();
    const invite = page.getByRole("dialog", { name: "Invite somebody" });
    await invite.getByLabel("Name").fill("Grace");
    await invite.getByLabel("Email address").fill("grace@example.com");
    await page.clock.fastForward(3_601_000);
    const again = page.getByRole("dialog", { name: "Log in again" });
    await again.getByText("Your session has expired.").waitFor();
    await page.clock.setSystemTime(Date.now());
    await again.getByRole("button", { name: `Log in to ${hostile}` }).click();
    await again.waitFor({ state: "detached" });
    expect(await invite.getByLabel("Email address").inputValue()).toBe("grace@example.com");
    await button(page, "Send the invitation").click();
    await page.getByText("The invitation is on its way").waitFor();
    expect(await page.title()).not.toBe("stolen");
  });

  test("a webhook that refused an event gets it again, and settings are changed", async () => {
    const { page, open } = ada;
    const answers: number[] = [];
    const receiver = createServer((request, response) => {
      request.resume();
      // The first event is refused.
      answers.push(answers.length === 0 ? 400 : 200);
      response.writeHead(answers.at(-1) ?? 200).end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/events`;
    try {
      await signUp(ada);
      await open("/settings/webhooks");
      await button(page, "Create a webhook").click();
      const dialog = page.getByRole("dialog", { name: "Create a webhook" });
      await dialog.getByLabel("Name").fill(hostile);
      await dialog.getByLabel("Address").fill("javascript:alert(1)");
      await dialog.getByRole("button", { name: "Create the webhook" }).click();
      // The service says it, and the form shows it at its field.
      await expect.poll(() => dialog.locator(".field-error").textContent()).toMatch(/URL|url/);
      await dialog.getByLabel("Address").fill(address);
      await dialog.getByRole("button", { name: "Create the webhook" }).click();
      await page.getByText("Nothing was delivered yet").waitFor();
      await page.getByRole("tab", { name: "Organization" }).click();
      const name = page.getByLabel("Name", { exact: true });
      await name.fill("Acme Bank");
      await button(page, "Save the name").click();
      await page.locator("header").getByText("Acme Bank").waitFor();
      await page.getByRole("tab", { name: "Webhooks" }).click();
      const log = page.getByRole("table", { name: "Deliveries" });
      await log.getByText("Refused").waitFor();
      await axeClean(page, "Webhooks");
      await page.getByRole("button", { name: /Status/ }).click();
      await page.getByRole("option", { name: "Refused" }).click();
      await log
        .getByRole("button", { name: /^Send again/ })
        .first()
        .click();
      await page.getByText("It is sent again").waitFor();
      await page.getByText("No delivery is like that").waitFor();
      await expect.poll(() => answers.slice(0, 2)).toEqual([400, 200]);

      await page.getByRole("tab", { name: "Features" }).click();
      await button(page, "Switch on: Pages that may use passkeys").click();
      const origins = page.getByRole("dialog", { name: "Pages that may use passkeys" });
      await origins.getByLabel("Origins").fill("not an origin");
      await origins.getByRole("button", { name: "Save" }).click();
      await expect.poll(() => origins.locator(".field-error").textContent()).toMatch(/origins/);
      await origins.getByText("you could undo it only with an API key").waitFor();
      await origins.getByLabel("Origins").fill(world.origin);
      await expect.poll(() => origins.getByText("only with an API key").count()).toBe(0);
      await origins.getByRole("button", { name: "Save" }).click();
      await page.getByText(world.origin, { exact: true }).waitFor();
      await axeClean(page, "Features");

      await page.getByRole("tab", { name: "Organization" }).click();
      await button(page, "Delete the organization").click();
      const confirmation = page.getByRole("alertdialog");
      await confirmation.getByLabel("Type Acme Bank to go on").fill("Acme Bank");
      await axeClean(page, "Delete the organization");
      await confirmation.getByRole("button", { name: "Delete everything" }).click();
      await heading(page, "Log in");
      await logIn(ada, "Acme Bank");
      await page.getByRole("alert").waitFor();
    } finally {
      receiver.closeAllConnections();
      receiver.close();
    }
  });

  test("a parent finds its sub-organizations by each filter, and looks into one", async () => {
    const { page, open } = ada;
    await signUpByCode("joan@example.com", hostile);
    await open("/sub-organizations");
    await page.getByRole("tab", { name: "API key" }).click();
    const { organizationId, apiPrivateKey } = world.product.root;
    await page
      .getByRole("textbox", { name: "API key" })
      .fill(JSON.stringify({ organizationId, apiPrivateKey }));
    await button(page, "Log in with the key").click();
    await heading(page, "Sub-organizations");
    const table = page.getByRole("table", { name: "Sub-organizations" });
    await table.getByRole("link", { name: hostile }).waitFor();
    await axeClean(page, "Sub-organizations");
    const seek = async (filter: string, value: string) => {
      await page.getByRole("button", { name: /Search by/ }).click();
      await page.getByRole("option", { name: filter, exact: true }).click();
      await page.getByRole("textbox", { name: filter, exact: true }).fill(value);
      await button(page, "Search").click();
    };
    await seek("Email address", "JOAN@example.com");
    await expect.poll(() => table.getByRole("link").count()).toBe(1);
    await seek("Phone number", "+14155550100");
    await page.getByText("There is no such sub-organization").waitFor();
    await seek("Public key", "nonsense");
    await page.getByRole("alert").or(page.getByText("There is no such")).first().waitFor();
    await seek("Name", hostile);
    await table.getByRole("link", { name: hostile }).click();
    await heading(page, hostile);
    await page.getByText("You look at it as its parent").waitFor();
    await axeClean(page, "Sub-organization");
    // What names no part of it shows the first one.
    await page.goto(`${page.url()}?show=%3Cimg%3E`);
    await page.getByRole("table", { name: "Users" }).waitFor();
    for (const [tab, text] of [
      ["Wallets", "There is no wallet"],
      ["Policies", "There is no policy"],
      ["Activities", "Completed"],
    ] as const) {
      await page.getByRole("tab", { name: tab }).click();
      await page.getByText(text).first().waitFor();
    }
    expect(await page.title()).not.toBe("stolen");
  });
});
