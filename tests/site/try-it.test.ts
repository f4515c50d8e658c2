import { generateKeyPairSync } from "node:crypto";
import { ConsensusNeeded } from "@keyhearth/sdk";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newApiKey } from "../self-hosting/keys.ts";
import { closePages, hasBrowser, openAuthenticator, sharedBrowser } from "../start/browser.ts";
import { newDataDirectory } from "../start/data-directory.ts";
import { clientOf, type RootKey, readRootKey, startService } from "../start/process.ts";
import { type SharedProduct, sharedProduct } from "../start/shared.ts";

// Readers send real requests from the API reference, to the service that serves it. Where `CI` is set, a machine without
// a browser fails.

describe.runIf(hasBrowser)("the API reference sends requests:", () => {
  let service: SharedProduct;
  let browser: Browser;

  beforeAll(async () => {
    service = await sharedProduct();
    browser = await sharedBrowser();
  }, 60_000);
  afterAll(async () => {
    await closePages();
  });

  /** The page at one operation. A passkey needs a name, so it is not opened by the address. */
  async function openPage(operation: string, url = service.url): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    await page.goto(`${url.replace("127.0.0.1", "localhost")}/api#${operation}`);
    await page.locator(`#${operation}`).waitFor();
    await page.waitForSelector("html[data-has-hydrated=true]");
    return page;
  }

  async function openPanel(page: Page, operation: string): Promise<Locator> {
    const section = page.locator(`#${operation}`);
    const panel = section.getByRole("region", { name: `Try ${operation}` });
    await section.getByRole("button", { name: /^Try it/ }).click();
    await panel.waitFor();
    return panel;
  }

  /** As a person does it: the text is on the clipboard and nowhere else. */
  async function paste(panel: Locator, text: string) {
    await panel.getByLabel("Key file or private key").evaluate((box, pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text", pasted);
      const event = { clipboardData, bubbles: true, cancelable: true };
      box.dispatchEvent(new ClipboardEvent("paste", event));
    }, text);
  }

  async function connectAs(panel: Locator, key: object) {
    await paste(panel, JSON.stringify(key));
    await panel.getByText("You are").waitFor();
  }

  const body = (panel: Locator) => panel.getByLabel("Body, byte for byte");
  const sendButton = (panel: Locator) => panel.getByRole("button", { name: "Stamp and send" });

  async function change(panel: Locator, edit: (body: Record<string, never>) => object) {
    const text = await body(panel).inputValue();
    await body(panel).fill(JSON.stringify(edit(JSON.parse(text)), null, 2));
  }

  async function answerOf(panel: Locator) {
    await panel.getByText(/^HTTP \d+$/).waitFor();
    const text = await panel
      .getByRole("group")
      .filter({ hasText: "Answer" })
      .locator("pre")
      .first();
    return JSON.parse((await text.textContent()) ?? "");
  }

  const alertOf = (panel: Locator) => panel.getByRole("alert").filter({ hasText: /\S/ }).first();

  test("an API key that is pasted asks who it is, creates a wallet and signs with it", async () => {
    const page = await openPage("whoami");
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    const panel = await openPanel(page, "whoami");
    await page.waitForTimeout(200);
    expect(asked.filter((path) => !path.startsWith("/assets/"))).toEqual([]);
    await connectAs(panel, service.root);
    expect(await body(panel).inputValue()).toContain(service.root.organizationId);
    // The page forgot the text: neither the document nor what it stores has it.
    const traces = await page.evaluate(() => [
      document.documentElement.outerHTML,
      JSON.stringify({ ...localStorage, ...sessionStorage }),
      ...[...document.querySelectorAll("textarea, input")].map((box) => Reflect.get(box, "value")),
    ]);
    expect(traces.join(" ")).not.toContain(service.root.apiPrivateKey);
    await sendButton(panel).click();
    expect(await answerOf(panel)).toMatchObject({ userId: service.root.userId });

    await page.goto(`${page.url().replace(/#.*/, "")}#create_wallet`);
    const section = page.locator("#create_wallet");
    await section.getByText("Examples and code").click();
    for (const language of ["curl", "TypeScript", "Go", "Python"]) {
      await section.getByLabel(language, { exact: true }).check();
      await expect
        .poll(() => section.locator("pre").first().textContent())
        .toContain(service.root.organizationId);
    }
    const wallets = await openPanel(page, "create_wallet");
    await change(wallets, ({ parameters, ...rest }: Record<string, object>) => ({
      ...rest,
      parameters: { ...parameters, walletName: `Try it ${Date.now()}` },
    }));
    await sendButton(wallets).click();
    const created = await answerOf(wallets);
    expect(created.activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
    const { walletId, addresses } = created.activity.result.createWalletResult;
    const { wallet } = await clientOf(service, service.root).getWallet({ walletId });
    expect(wallet.walletName).toMatch(/^Try it/);

    await page.goto(`${page.url().replace(/#.*/, "")}#sign_raw_payload`);
    const signing = await openPanel(page, "sign_raw_payload");
    // The example names an address of the reader's own.
    const prefilled = JSON.parse(await body(signing).inputValue()).parameters.signWith;
    const client = clientOf(service, service.root);
    const { wallets: listed } = await client.listWallets();
    const accounts = await Promise.all(
      listed.map(
        async (each) => (await client.listWalletAccounts({ walletId: each.walletId })).accounts,
      ),
    );
    expect(accounts.flat().map((account) => account.address)).toContain(prefilled);
    await change(signing, ({ parameters, ...rest }: Record<string, object>) => ({
      ...rest,
      parameters: { ...parameters, signWith: addresses[0] },
    }));
    await sendButton(signing).click();
    const signed = await answerOf(signing);
    expect(signed.activity.result.signRawPayloadResult.r).toMatch(/^[0-9a-f]{64}$/);
    // What the page shows of the request sends it again, as the same activity.
    const [bytes = "", stamp = ""] = await signing
      .locator("details")
      .filter({ hasText: /bytes that were stamped|Their stamp/ })
      .locator("pre")
      .allTextContents();
    const again = await fetch(`${service.url}/public/v1/submit/sign_raw_payload`, {
      method: "POST",
      headers: { "X-Stamp": stamp },
      body: bytes,
    });
    expect(await again.json()).toMatchObject({ activity: { id: signed.activity.id } });
    await page.context().close();
  });

  test("a pasted key is kept only if the reader asks, and without a way to read it", async () => {
    const page = await openPage("whoami");
    const kept = () =>
      page.evaluate(async () => {
        const { promise, resolve } = Promise.withResolvers<IDBDatabase>();
        const opening = indexedDB.open("keyhearth", 1);
        opening.onupgradeneeded = () => opening.result.createObjectStore("keys");
        opening.onsuccess = () => resolve(opening.result);
        const database = await promise;
        const reading = database.transaction("keys").objectStore("keys").getAll();
        const entries = await new Promise<{ privateKey: CryptoKey; organizationId: string }[]>(
          (done) => {
            reading.onsuccess = () => done(reading.result);
          },
        );
        database.close();
        return entries.map(({ privateKey: { extractable, usages }, organizationId }) => ({
          extractable,
          usages,
          organizationId,
        }));
      });
    const panel = await openPanel(page, "whoami");
    await connectAs(panel, service.root);
    expect(await kept()).toEqual([]);
    await panel.getByRole("button", { name: "Disconnect" }).click();
    await panel.getByLabel("Keep the imported key in this browser, for the next visit").check();
    await connectAs(panel, service.root);
    const { organizationId } = service.root;
    expect(await kept()).toEqual([{ extractable: false, usages: ["sign"], organizationId }]);
    await page.reload();
    const later = await openPanel(page, "whoami");
    await later.getByRole("button", { name: "Forget it" }).click();
    await expect.poll(kept).toEqual([]);
    await page.context().close();
  });

  test("a key that the browser makes is registered, connects, and is there at the next visit", async () => {
    const page = await openPage("whoami");
    const panel = await openPanel(page, "whoami");
    await panel.getByLabel("Make a key in this browser").check();
    const publicKey = await panel.getByText(/^0[23][0-9a-f]{64}$/).textContent();
    const connect = panel.getByRole("button", { name: "I have registered it: connect" });
    await connect.click();
    expect(await alertOf(panel).textContent()).toMatch(
      /^No user of the organization [0-9a-f-]{36} has this/,
    );
    const program = await panel.locator("pre").first().textContent();
    expect(program).toContain(publicKey);
    const { userId } = service.root;
    await clientOf(service, service.root).createApiKeys({
      userId,
      apiKeys: [
        {
          apiKeyName: "API reference",
          publicKey: publicKey ?? "",
          curveType: "API_KEY_CURVE_P256",
        },
      ],
    });
    await connect.click();
    await panel.getByText("You are").waitFor();
    await page.reload();
    const later = await openPanel(page, "whoami");
    await later.getByRole("button", { name: "Use the key that you kept" }).click();
    await later.getByText("You are").waitFor();
    await page.context().close();
  });

  test("a passkey of the page connects, and is asked for each request", async () => {
    const page = await openPage("whoami");
    await openAuthenticator(page);
    const passkey = await page.evaluate(async () => {
      const base64Url = (bytes: ArrayBuffer) =>
        btoa(String.fromCharCode(...new Uint8Array(bytes)))
          .replaceAll("+", "-")
          .replaceAll("/", "_")
          .replaceAll("=", "");
      const challenge = new Uint8Array(32);
      const made = (await navigator.credentials.create({
        publicKey: {
          rp: { id: location.hostname, name: "Site" },
          user: { id: new Uint8Array(16), name: "Ada", displayName: "Ada" },
          challenge,
          pubKeyCredParams: [{ type: "public-key", alg: -7 }],
          authenticatorSelection: { residentKey: "required" },
        },
      })) as PublicKeyCredential;
      const response = made.response as AuthenticatorAttestationResponse;
      return {
        authenticatorName: "Try it",
        challenge: base64Url(challenge.buffer),
        attestation: {
          credentialId: base64Url(made.rawId),
          clientDataJson: base64Url(response.clientDataJSON),
          attestationObject: base64Url(response.attestationObject),
          transports: [],
        },
      };
    });
    const { userId } = service.root;
    await clientOf(service, service.root).createAuthenticators({
      userId,
      authenticators: [passkey],
    });
    const panel = await openPanel(page, "whoami");
    await panel.getByLabel("Use a passkey").check();
    await panel.getByRole("button", { name: "Connect with a passkey" }).click();
    await panel.getByText("by a passkey").waitFor();
    await sendButton(panel).click();
    expect(await answerOf(panel)).toMatchObject({ userId });
    expect(await panel.getByText("Their stamp, in the header X-Stamp-Webauthn").count()).toBe(1);
    await page.context().close();
  });

  test("the keyboard is enough, and what happens is announced", async () => {
    const page = await openPage("whoami");
    const focused = () =>
      page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? "");
    await page.locator("#whoami-title a").focus();
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Try it: Who am I?");
    await page.keyboard.press("Enter");
    const panel = page.locator("#whoami").getByRole("region", { name: "Try whoami" });
    await panel.waitFor();
    // The ways to connect, the organization, the key.
    for (let press = 0; press < 3; press++) await page.keyboard.press("Tab");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.evaluate(
      (text) => navigator.clipboard.writeText(text),
      JSON.stringify(service.root),
    );
    await page.keyboard.press("Control+V");
    await panel.getByRole("status").filter({ hasText: "You are" }).waitFor();
    await page.keyboard.press("Tab");
    while (!(await body(panel).evaluate((box) => box === document.activeElement))) {
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Control+Enter");
    expect(await answerOf(panel)).toMatchObject({ userId: service.root.userId });
    const isAnnounced = await panel
      .getByText(/^HTTP 200$/)
      .evaluate((status) => status.closest("[aria-live=polite]") !== null);
    expect(isAnnounced).toBe(true);
    await page.context().close();
  });

  test("a text that this page cannot use as a key is refused in a sentence, before anything is sent", async () => {
    const page = await openPage("whoami");
    const panel = await openPanel(page, "whoami");
    const onOtherCurve = generateKeyPairSync("ec", { namedCurve: "secp256k1" });
    const { d = "" } = onOtherCurve.privateKey.export({ format: "jwk" });
    const hex = Buffer.from(d, "base64url").toString("hex");
    const sentences: [string, RegExp][] = [
      ["hunter2", /^This is not an API key\. Paste the content of a key file/],
      [`${hex}:secp256k1`, /^This key is on secp256k1\. This page holds keys on P-256 only/],
      [service.root.apiPublicKey, /^This is the public half of a key/],
      [
        JSON.stringify({ ...newApiKey(), apiPublicKey: service.root.apiPublicKey }),
        /^The public key in this text is not that of the private key/,
      ],
      [newApiKey().apiPrivateKey, /^No user of the organization [0-9a-f-]{36} has this credential/],
    ];
    for (const [text, sentence] of sentences) {
      await paste(panel, text);
      await expect.poll(() => panel.getByRole("alert").first().textContent()).toMatch(sentence);
    }
    await page.context().close();
  });

  test("a wrong body is shown at its place, and may be sent as it is", async () => {
    const page = await openPage("create_wallet");
    const panel = await openPanel(page, "create_wallet");
    await connectAs(panel, service.root);
    const problems = panel.getByRole("list", { name: /^Problems of the body/ });
    await body(panel).fill('{\n  "type": tru\n}');
    await expect
      .poll(() => problems.getByRole("listitem").allTextContents())
      .toEqual(["Line 2, column 11: this word is not a value of JSON"]);
    expect(await sendButton(panel).isDisabled()).toBe(true);
    await body(panel).fill('{\n  "walletNmae": "x"\n}');
    await expect.poll(() => problems.getByRole("listitem").count()).toBe(5);
    await problems.getByRole("button", { name: "Line 2, column 3" }).click();
    const selected = await body(panel).evaluate((box: HTMLTextAreaElement) =>
      box.value.slice(box.selectionStart, box.selectionEnd),
    );
    expect(selected).toBe('"walletNmae"');
    await panel.getByRole("button", { name: "Send it as it is" }).click();
    expect(await answerOf(panel)).toMatchObject({ code: 3 });
    expect(await alertOf(panel).textContent()).toMatch(
      /organizationId.*About ORGANIZATION_ID_MALFORMED$/,
    );

    await panel.getByRole("button", { name: "Start over" }).click();
    await change(panel, (rest) => ({ ...rest, timestampMs: "1767225600000" }));
    await sendButton(panel).click();
    await expect.poll(() => alertOf(panel).textContent()).toMatch(/About TIMESTAMP_OUT_OF_RANGE$/);
    await panel.getByRole("button", { name: "Set the time to now" }).click();
    expect(Number(JSON.parse(await body(panel).inputValue()).timestampMs)).toBeGreaterThan(
      Date.now() - 5000,
    );
    await page.context().close();
  });

  test("a clock that is wrong, a service that does not answer and one that has enough are named", async () => {
    const directory = await newDataDirectory("try-it");
    const slow = await startService({
      KEYHEARTH_DATA_DIR: directory,
      KEYHEARTH_RATE_LIMIT: "address=off,credential=1",
    });
    try {
      const page = await openPage("create_wallet", slow.url);
      await page.clock.setSystemTime(Date.now() + 2 * 60 * 60 * 1000);
      const panel = await openPanel(page, "create_wallet");
      await connectAs(panel, readRootKey(directory));
      // The second within a second is one too many. A busy machine may need longer for one.
      const sent = async () => {
        await sendButton(panel).click();
        return alertOf(panel).textContent();
      };
      await expect
        .poll(sent)
        .toMatch(/^The service takes no more requests from you for now\. Send it again in 1 s\./);
      await page.waitForTimeout(1100);
      await sendButton(panel).click();
      await expect
        .poll(() => alertOf(panel).textContent())
        .toMatch(/The clock of this machine is 120 min ahead of the service's/);
      await slow.kill();
      await sendButton(panel).click();
      await expect
        .poll(() => alertOf(panel).textContent())
        .toMatch(/^Nothing answers at http:\/\/localhost:\d+\. Start the service there/);
      await page.context().close();
    } finally {
      await slow.kill();
    }
  });

  describe("where more than one has to agree,", () => {
    /** A sub-organization of two root users, who have to agree, and a user who may do nothing. */
    async function newTeam() {
      const keys = [newApiKey(), newApiKey()];
      const parent = clientOf(service, service.root);
      const { subOrganizationId } = await parent.createSubOrganization({
        subOrganizationName: `Team ${Date.now()}`,
        rootQuorumThreshold: 1,
        rootUsers: ["Ada", "Bob"].map((userName, at) => userOf(userName, keys[at])),
      });
      const [ada, bob] = keys.map((key) => ({
        ...key,
        organizationId: subOrganizationId,
        userId: "",
      }));
      if (!ada || !bob) throw new Error("two keys were made");
      const root = clientOf(service, ada);
      const eve = { ...newApiKey(), organizationId: subOrganizationId, userId: "" };
      await root.createUsers({ users: [{ ...userOf("Eve", eve), userTags: [] }] });
      const { users } = await root.listUsers();
      const rootUserIds = users
        .filter(({ userName }) => userName !== "Eve")
        .map(({ userId }) => userId);
      await root.createPolicy({
        policyName: "Eve signs",
        effect: "EFFECT_ALLOW",
        condition: "activity.kind == 'SIGN_RAW_PAYLOAD'",
        notes: "",
      });
      await root.updateRootQuorum({ threshold: 2, userIds: rootUserIds });
      return { ada, bob, eve };
    }

    const userOf = (userName: string, key?: { apiPublicKey: string }) => ({
      userName,
      apiKeys: [
        {
          apiKeyName: "key",
          publicKey: key?.apiPublicKey ?? "",
          curveType: "API_KEY_CURVE_P256" as const,
        },
      ],
      authenticators: [],
      oauthProviders: [],
    });

    let team: { ada: RootKey; bob: RootKey; eve: RootKey };
    beforeAll(async () => {
      team = await newTeam();
    });

    test("a request without permission is denied with the reasons", async () => {
      const page = await openPage("create_wallet");
      const panel = await openPanel(page, "create_wallet");
      await connectAs(panel, team.eve);
      await sendButton(panel).click();
      await panel.getByText("HTTP 403").waitFor();
      expect(await alertOf(panel).textContent()).toMatch(
        /^You don't have sufficient permissions.*About POLICY_DENIED$/,
      );
      const links = await alertOf(panel).getByRole("link").allTextContents();
      expect(links).toEqual(["/concepts/policies/quickstart", "About POLICY_DENIED"]);
      await panel.getByText("OUTCOME_DENY_IMPLICIT", { exact: true }).waitFor();
      await panel.getByText("activity.kind == 'SIGN_RAW_PAYLOAD'").first().waitFor();
      await page.context().close();
    });

    test("an activity waits, is approved by another person, and its end is shown", async () => {
      const page = await openPage("create_wallet");
      const panel = await openPanel(page, "create_wallet");
      await connectAs(panel, team.ada);
      await sendButton(panel).click();
      await panel.getByText("ACTIVITY_STATUS_CONSENSUS_NEEDED").first().waitFor();
      await panel.getByText("Missing approvals, any one of these sets: Bob").waitFor();
      const { activity } = await answerOf(panel);

      const other = await openPage("get_activity");
      const reading = await openPanel(other, "get_activity");
      await connectAs(reading, team.bob);
      await change(reading, (rest) => ({ ...rest, activityId: activity.id }));
      await sendButton(reading).click();
      await reading.getByRole("button", { name: "Review and approve" }).click();
      const request = reading
        .locator("details")
        .filter({ hasText: "whose stamp was verified here" });
      expect(await request.locator("pre").textContent()).toBe(await body(panel).inputValue());
      await reading.getByRole("button", { name: "Approve exactly this" }).click();
      await reading.getByText("ACTIVITY_STATUS_COMPLETED").first().waitFor();
      // The one who asked sees it without pressing anything.
      await panel.getByText("ACTIVITY_STATUS_COMPLETED").first().waitFor({ timeout: 10_000 });
      await page.context().close();
      await other.context().close();
    });

    test("an activity that waits can be rejected", async () => {
      const wallet = { walletName: "Never", accounts: [] };
      const waiting = await clientOf(service, team.ada)
        .createWallet(wallet)
        .catch((error: unknown) => error);
      if (!(waiting instanceof ConsensusNeeded)) throw waiting;
      const page = await openPage("get_activity");
      const panel = await openPanel(page, "get_activity");
      await connectAs(panel, team.bob);
      await change(panel, (rest) => ({ ...rest, activityId: waiting.activity.id }));
      await sendButton(panel).click();
      await panel.getByRole("button", { name: "Reject" }).click();
      await panel.getByText("ACTIVITY_STATUS_REJECTED").first().waitFor();
      await page.context().close();
    });
  });
});
