import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Route } from "playwright-core";
import { recoverMessageAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { readElsewhere, writeDashboard } from "../../apps/dashboard/scripts/build.ts";
import { closePages, hasBrowser } from "../start/browser.ts";
import {
  heading,
  logIn,
  logOut,
  newPerson,
  type Person,
  signUp,
  startWorld,
  type World,
} from "./harness.ts";
import { type PlainHost, startPlainHost } from "./plain-host.ts";

// The dashboard as the guide builds it for another origin, on a host of plain files that sends no headers of its own.

describe.runIf(hasBrowser)("in a browser, on another origin than the service,", () => {
  const folder = mkdtempSync(join(tmpdir(), "keyhearth-elsewhere-"));
  let world: World;
  let host: PlainHost;
  let ada: Person;

  beforeAll(async () => {
    // Otherwise the builder takes what is for development.
    vi.stubEnv("NODE_ENV", "production");
    world = await startWorld();
    const { url } = world.product;
    const facts = await (await fetch(`${url}/.well-known/keyhearth.json`)).json();
    const keys = ["session", "verification", "quorum", "signer"].map(
      (name) => `--${name}-public-key=${facts[`${name}PublicKey`]}`,
    );
    const { elsewhere, out } = readElsewhere([`--api=${url}`, ...keys, `--out=${folder}`]);
    await writeDashboard(out, elsewhere);
    host = await startPlainHost(folder);
    const person = await newPerson(world);
    ada = {
      ...person,
      open: async (path = "/") => void (await person.page.goto(host.origin + path)),
    };
  }, 150_000);
  afterAll(async () => {
    vi.unstubAllEnvs();
    await closePages();
    await host?.stop();
    await world?.product.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("people sign up, come back by a deep link, and sign, and a service that lies is not believed", async () => {
    const { page, authenticator } = ada;
    const asked = new Set<string>();
    page.on("request", (request) => asked.add(new URL(request.url()).origin));
    // At a number there are no passkeys: the page says so, and leads to the name.
    await page.goto(`${host.origin.replace("localhost", "127.0.0.1")}/wallets`);
    await page.getByText("Passkeys belong to a name").filter({ visible: true }).waitFor();
    await page.getByRole("link", { name: "Open it at localhost" }).click();
    await page.waitForURL(`${host.origin}/wallets`);
    await heading(page, "Log in");
    await expect.poll(() => page.getByText("Passkeys belong to a name").count()).toBe(0);
    const organizationId = await signUp(ada);
    // The passkey is one of the host, and not of the service.
    const { credentials } = await authenticator.devTools.send("WebAuthn.getCredentials", {
      authenticatorId: authenticator.authenticatorId,
    });
    expect(credentials.map(({ rpId }) => rpId)).toEqual(["localhost"]);

    await ada.open("/wallets/new");
    await heading(page, "Create a wallet");
    await page.getByLabel("Name", { exact: true }).fill("Treasury");
    await page.getByRole("button", { name: "Create the wallet" }).click();
    await heading(page, "Treasury");
    await expect.poll(() => page.getByText("Proven by the signer").count()).toBe(2);
    const deep = new URL(page.url()).pathname;

    // The host has no file there. People log in where the link led.
    await logOut(ada);
    await ada.open(deep);
    await heading(page, "Log in");
    await logIn(ada);
    await heading(page, "Treasury");
    await page.getByRole("link", { name: "Ethereum and other EVM chains", exact: true }).click();
    await heading(page, "Ethereum and other EVM chains");
    const address = (await page.locator(".facts .mono").first().textContent()) ?? "";
    await page.getByLabel("Message", { exact: true }).fill("Hello");
    await page.getByRole("button", { name: "Sign the message" }).click();
    await page.getByText("This page verified that the key signed exactly this.").waitFor();
    const signature = (await page
      .locator("[role=status] .mono")
      .last()
      .textContent()) as `0x${string}`;
    expect(await recoverMessageAddress({ message: "Hello", signature })).toBe(address);

    // Nobody can prove a key without an address. The list shows it.
    await ada.open("/keys/new");
    await page.getByLabel("Name", { exact: true }).fill("Bare");
    await page.getByText("Ethereum and other EVM chains").click();
    await page.getByRole("button", { name: "Create the key" }).click();
    await heading(page, "Bare");
    await ada.open("/keys");
    await page.getByRole("link", { name: "Bare" }).waitFor();

    // So its public key is the service's word, and no signature is verified with it.
    await page.getByRole("link", { name: "Bare" }).click();
    await heading(page, "Bare");
    await page.getByText("Not proven: no address of it has the signer’s statement").waitFor();
    const signHere = async () => {
      await page.getByLabel("Message", { exact: true }).fill("Hello");
      await page.getByRole("button", { name: "Sign the message" }).click();
    };
    await signHere();
    await page.getByText("Signed. This page cannot verify such a signature").waitFor();

    // One with an address is proven, unless the service leaves the address out.
    await ada.open("/keys/new");
    await page.getByLabel("Name", { exact: true }).fill("Proven");
    await page.getByRole("button", { name: "Create the key" }).click();
    await heading(page, "Proven");
    await page.getByText("Proven by the signer").waitFor();
    expect(await page.getByText("Not proven").count()).toBe(0);
    await signHere();
    await page.getByText("This page verified that the key signed exactly this.").waitFor();
    const leaveOut = async (route: Route) => {
      const response = await route.fetch();
      const { privateKey } = await response.json();
      await route.fulfill({ response, json: { privateKey: { ...privateKey, addresses: [] } } });
    };
    await page.route("**/public/v1/query/get_private_key", leaveOut);
    await page.reload();
    await heading(page, "Proven");
    await page.getByText("It has no addresses").waitFor();
    await page.getByText("Not proven: no address of it has the signer’s statement").waitFor();
    await page.unroute("**/public/v1/query/get_private_key", leaveOut);

    // The service's machine now belongs to a thief, who shows an address of theirs.
    const thief = "0x742d35Cc6634C0532925a3b844Bc454e4438f44e";
    const swap = async (route: Route) => {
      const response = await route.fetch();
      const body = (await response.text()).replaceAll(address, thief);
      await route.fulfill({ response, body });
    };
    await page.route("**/public/v1/**", swap);
    await ada.open(deep);
    await heading(page, "Treasury");
    await page.getByText("is not proven by the quorum key that you pinned").waitFor();
    expect(await page.locator("main .mono", { hasText: thief }).count()).toBe(0);
    await page.unroute("**/public/v1/**", swap);

    // Nor can anybody prove an account that was deleted. The activity that made it is still shown.
    await ada.open(deep);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Delete the wallet" }).click();
    await page.getByRole("alertdialog").getByLabel(/^Type/).fill("Treasury");
    await page.getByText("Delete it although no copy is left.").click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete the wallet" }).click();
    await page.getByText("There are no wallets yet").waitFor();
    await ada.open("/activities");
    await page.getByRole("link", { name: "Create wallet" }).click();
    await heading(page, "Create wallet");
    await page.getByText(address).waitFor();

    // This host does not keep other pages from showing it in a frame, so the page does nothing there.
    await page.route(`${host.origin}/other`, (route) =>
      route.fulfill({ contentType: "text/html", body: `<iframe src="${host.origin}/"></iframe>` }),
    );
    await page.goto(`${host.origin}/other`);
    const framed = page.frameLocator("iframe");
    await framed.getByText("This page does not work inside another one.").waitFor();
    expect(await framed.getByRole("button").count()).toBe(0);
    await ada.open("/activities");
    await heading(page, "Activities");
    // An address that is none, and ids that would lead elsewhere, stay on this page.
    for (const path of [
      "/wallets/%E0%A4%A",
      "/keys/..%2f..%2f%2fevil.example",
      "//evil.example/%2e%2e",
    ]) {
      await page.evaluate((to) => {
        history.pushState({}, "", location.origin + to);
        dispatchEvent(new PopStateEvent("popstate"));
      }, path);
      await page.getByRole("navigation", { name: /./ }).first().waitFor();
      expect(new URL(page.url()).origin).toBe(host.origin);
    }

    // The policy of the page names one service, and it is in the page itself.
    const elsewhere = await page.evaluate(
      (url) =>
        fetch(url).then(
          () => "reached",
          () => "refused",
        ),
      `${world.origin}/.well-known/keyhearth.json`,
    );
    expect(elsewhere).toBe("refused");
    asked.delete(host.origin.replace("localhost", "127.0.0.1"));
    expect([...asked].sort()).toEqual([world.product.url, host.origin].sort());
    expect(organizationId).toMatch(/^[0-9a-f-]{36}$/);
    expect(ada.complaints.filter((line) => !/Content Security Policy|404/.test(line))).toEqual([]);
  }, 120_000);
});
