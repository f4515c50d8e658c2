import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import bundles from "../../apps/website/src/components/bundles/samples.json" with { type: "json" };
import passkey from "../../apps/website/src/components/stamps/passkey-vector.json" with {
  type: "json",
};
import vectors from "../../apps/website/src/components/stamps/vectors.json" with { type: "json" };
import { closePages, hasBrowser, sharedBrowser, waitUntilReady } from "../start/browser.ts";
import { testInLongForm } from "../start/long-form.ts";
import { clientOf } from "../start/process.ts";
import { type SharedProduct, sharedProduct } from "../start/shared.ts";

// What readers try out on the pages: stamps, bundles, addresses and policies are taken apart in their browser, which asks
// nobody. Only who connects a page asks the service, and then samples have their ids.

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

describe.runIf(hasBrowser)("the playgrounds:", () => {
  let service: SharedProduct;
  let browser: Browser;

  beforeAll(async () => {
    service = await sharedProduct();
    browser = await sharedBrowser();
  }, 60_000);
  afterAll(async () => {
    await closePages();
  });

  type Visit = { page: Page; asked: string[] };

  async function visit(path: string, anchor: string, use: (visit: Visit) => Promise<void>) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text());
    });
    await page.goto(service.url.replace("127.0.0.1", "localhost") + path);
    await waitUntilReady(page);
    const asked: string[] = [];
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (!pathname.startsWith("/assets/")) asked.push(pathname);
    });
    await page
      .locator(anchor)
      .first()
      .evaluate((heading) => heading.scrollIntoView());
    await use({ page, asked });
    expect(problems).toEqual([]);
    await context.close();
  }

  /** What axe finds within the part of the page. */
  async function faultsIn(part: Locator): Promise<string[]> {
    await part.page().evaluate(axe);
    return part.evaluate(async (element) => {
      // The line above defines it.
      const { axe: found } = globalThis as unknown as { axe: typeof import("axe-core") };
      const { violations } = await found.run(element);
      return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
    });
  }

  async function paste(field: Locator, text: string) {
    await field.evaluate((box, pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text", pasted);
      box.dispatchEvent(
        new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }),
      );
    }, text);
  }

  async function tracesOf(page: Page): Promise<string> {
    return page.evaluate(() =>
      [
        document.documentElement.outerHTML,
        JSON.stringify({ ...localStorage, ...sessionStorage }),
        ...[...document.querySelectorAll("textarea, input")].map((box) =>
          Reflect.get(box, "value"),
        ),
      ].join(" "),
    );
  }

  const alertIn = (part: Locator) => part.getByRole("alert").filter({ hasText: /\S/ }).first();

  test("the components of the kit are shown in each state, with a theme that readers change", async () => {
    await visit("/reference/embedded-wallet-kit", "#gallery", async ({ page, asked }) => {
      const bench = page.getByRole("region", { name: "Gallery of the kit" });
      await bench.getByLabel("State", { exact: true }).selectOption("A wrong code");
      const component = bench.locator(".keyhearth");
      await component.getByText("Attempts left: 2.").waitFor();
      expect(await faultsIn(bench)).toEqual([]);
      await bench.getByLabel("Component").selectOption("ConfirmTransaction");
      await component.getByText("0.25 ETH", { exact: true }).waitFor();
      await bench.getByLabel("Language").selectOption("es");
      await component.getByRole("heading", { name: "Confirma la transacción" }).waitFor();
      await bench.getByLabel("Light or dark").selectOption("dark");
      await bench.getByLabel("Accent", { exact: true }).fill("#2f6330");
      const sheet = await bench.locator("fieldset pre").textContent();
      expect(sheet).toBe(":root {\n  --keyhearth-accent: #2f6330;\n}");
      const button = component.getByRole("button");
      const colour = (element: Element) => getComputedStyle(element).backgroundColor;
      expect(await button.evaluate(colour)).toBe("rgb(47, 99, 48)");
      expect(await component.evaluate((element) => getComputedStyle(element).colorScheme)).toBe(
        "dark",
      );
      expect(asked).toEqual([]);
    });
  });

  test("a stamp is taken apart and verified, and a changed body is noticed", async () => {
    await visit(
      "/developer-reference/api-overview/stamps",
      "#inspector",
      async ({ page, asked }) => {
        const bench = page.getByRole("group", { name: "Take a stamp apart" });
        const output = bench.locator("output");
        await output.getByText("valid", { exact: true }).waitFor();
        const [p256] = vectors.vectors;
        expect(await output.textContent()).toContain(p256?.apiPublicKey);
        const body = bench.getByLabel("The body as it was sent");
        await body.fill(JSON.stringify(JSON.parse(vectors.body), null, 2));
        await output.getByText(/serialized again after it was stamped/).waitFor();
        await body.fill('{"a":1,"a":2}');
        await expect.poll(() => alertIn(bench).textContent()).toContain("not a JSON object");
        await body.fill("");
        await output.getByText("not verified").waitFor();

        const header = bench.getByLabel("Value of the header");
        await header.fill(JSON.stringify(passkey.stamp));
        await body.fill(passkey.body);
        await output.getByText("https://wallet.example.com").waitFor();
        await output.getByText(/Enter the public key of the passkey/).waitFor();
        await bench.getByLabel(/COSE in base64url/).fill(passkey.publicKey);
        await output.getByText("valid", { exact: true }).waitFor();
        await body.fill(passkey.body.replace("treasurers", "owners"));
        await output.getByText(/The passkey signed another body/).waitFor();
        expect(await faultsIn(bench)).toEqual([]);
        expect(asked).toEqual([]);
      },
    );
  });

  test("a thing that is not a stamp gets one sentence, and a private key is forgotten", async () => {
    await visit("/developer-reference/api-overview/stamps", "#inspector", async ({ page }) => {
      const bench = page.getByRole("group", { name: "Take a stamp apart" });
      const header = bench.getByLabel("Value of the header");
      const [p256, secp256k1] = vectors.vectors;
      const stamp = {
        publicKey: p256?.apiPublicKey,
        scheme: p256?.scheme,
        signature: p256?.signature,
      };
      const cases: [string, RegExp][] = [
        ["hello world", /^This is not a stamp: it is neither base64url nor JSON\./],
        [`${p256?.header}==`, /^This is base64, and a stamp is base64url\./],
        [JSON.stringify({ ...stamp, publicKey: secp256k1?.apiPublicKey }), /of another curve/],
        [JSON.stringify({ ...stamp, signature: "00".repeat(64) }), /64 raw bytes/],
        ["{}", /publicKey, scheme, signature is missing/],
      ];
      for (const [text, sentence] of cases) {
        await header.fill(text);
        await expect.poll(() => alertIn(bench).textContent()).toMatch(sentence);
      }
      const secret = p256?.apiPrivateKey ?? "";
      await paste(header, secret);
      await expect.poll(() => alertIn(bench).textContent()).toMatch(/^This may be a private key/);
      expect(await header.inputValue()).toBe("");
      // Also if it is typed, or dropped.
      await header.fill(JSON.stringify({ apiPrivateKey: secret }));
      await expect.poll(() => header.inputValue()).toBe("");
      // The page has the key of its own test vectors in its source, and nowhere else.
      const own = await page.locator("details pre").textContent();
      expect((await tracesOf(page)).split(secret).length).toBe((own ?? "").split(secret).length);
    });
  });

  test("a bundle says what it is, for whom, and whether its signature holds", async () => {
    await visit("/security/enclave-secure-channels", "#inspector", async ({ page, asked }) => {
      const bench = page.getByRole("group", { name: "Take a bundle apart" });
      const output = bench.locator("output");
      await output.getByText("signature holds").waitFor();
      expect(await output.textContent()).toContain("2f4c1f0e-93a4-4a0e-8f0e-5d1c7b9a6e21");
      const kind = bench.getByLabel("Start with");
      for (const [value, shown] of [
        ["export", "93 bytes"],
        ["code", "Target key to encrypt to"],
        ["encrypted", "encrypted secret for the signer"],
        ["login", "32 bytes"],
      ] as const) {
        await kind.selectOption(value);
        await output.getByText(shown).first().waitFor();
      }
      await kind.selectOption("import");
      const signer = bench.getByLabel("Public key of the signer");
      await signer.fill("");
      await output.getByText("signer not known").waitFor();
      await signer.fill("zz");
      await expect.poll(() => alertIn(bench).textContent()).toContain("not a public key on P-256");
      const { publicKey } = JSON.parse(
        Buffer.from(vectors.vectors[0]?.header ?? "", "base64url").toString(),
      );
      await signer.fill(publicKey);
      await output.getByText(/Another signer than yours/).waitFor();

      const field = bench.getByLabel("Bundle", { exact: true });
      const changed = JSON.parse(bundles.bundles.import);
      const data = Buffer.from(changed.data, "hex").toString().replace("2f4c1f0e", "2f4c1f0f");
      await field.fill(JSON.stringify({ ...changed, data: Buffer.from(data).toString("hex") }));
      await output.getByText(/changed after it was signed/).waitFor();
      const cases: [string, RegExp][] = [
        [bundles.bundles.import.slice(0, 300), /cut off/],
        [bundles.bundles.login.slice(0, -2), /checksum/],
        ["hello", /This is not a bundle/],
        ['{"data":"00"}', /is missing/],
      ];
      for (const [text, sentence] of cases) {
        await field.fill(text);
        await expect.poll(() => alertIn(bench).textContent()).toMatch(sentence);
      }
      await paste(field, JSON.stringify({ targetPrivateKey: "ab".repeat(32) }));
      await expect.poll(() => alertIn(bench).textContent()).toMatch(/^This may be a private key/);
      expect(await field.inputValue()).toBe("");
      expect(await tracesOf(page)).not.toContain("ab".repeat(32));
      expect(await faultsIn(bench)).toEqual([]);
      expect(asked).toEqual([]);
    });
  });

  test("the table of formats shows the addresses of a mnemonic, at a path of the reader's", async () => {
    await visit("/concepts/wallets", "#address-formats", async ({ page, asked }) => {
      await page.getByRole("button", { name: "Show the addresses of a test mnemonic" }).click();
      const bench = page.getByRole("group", { name: "Addresses of a mnemonic" });
      const table = page.locator("table:has(ul)");
      await table.getByText("0x9858EfFD232B4033E47d90003D41EC34EcaEda94").waitFor();
      await table.getByText("bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu").waitFor();
      const path = bench.getByLabel("Path for all formats");
      await path.fill("m/44'/60'/0'/0/1");
      await table.getByText("0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0").waitFor();
      await path.fill("m/44h/60");
      await expect.poll(() => alertIn(bench).textContent()).toMatch(/^This is not a path/);
      await path.fill("");
      const mnemonic = bench.getByLabel("Test mnemonic");
      await mnemonic.fill(`${"test ".repeat(11)}junk`);
      await table.getByText("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266").waitFor();
      await mnemonic.fill(`${"test ".repeat(11)}jank`);
      await expect.poll(() => alertIn(bench).textContent()).toMatch(/^Word 12 is in no BIP-39/);
      await mnemonic.fill("test ".repeat(12).trim());
      await expect.poll(() => alertIn(bench).textContent()).toMatch(/^The checksum is wrong/);
      await page.getByLabel("Find a format").fill("tron");
      expect(await page.getByRole("row").filter({ hasText: "Solana" }).count()).toBe(0);
      expect(await faultsIn(bench)).toEqual([]);
      expect(asked).toEqual([]);
    });
  });

  const language = "/concepts/policies/language";
  const benchOf = (page: Page) => page.getByRole("region", { name: "Playground of policies" });
  const editorOf = (page: Page, name: string, index = 0) =>
    benchOf(page).getByRole("textbox", { name, exact: true }).nth(index);

  test("policies decide about a sample, and say which of them did and why", async () => {
    await visit(language, "#playground", async ({ page, asked }) => {
      const bench = benchOf(page);
      const output = bench.locator("output");
      await output.getByText("denied", { exact: true }).waitFor();
      await bench.getByLabel("Sample activity").selectOption({ label: "The bot pays 0.5 ETH" });
      await output.getByText(/Allowed by “the bot pays up to 1 ETH to the supplier”/).waitFor();
      await bench.getByLabel("Sample activity").selectOption({ label: "A treasurer pays 5 ETH" });
      await output.getByText("needs approvals").waitFor();
      expect(await output.textContent()).toContain("Bob");
      await bench.getByLabel("Start with").selectOption({ label: "A DENY wins over an ALLOW" });
      await output.getByText(/Denied by “no raw payloads”/).waitFor();
      await bench.getByLabel("Effect").nth(1).selectOption("EFFECT_ALLOW");
      await output.getByText("allowed", { exact: true }).waitFor();
      expect(await faultsIn(bench)).toEqual([]);
      expect(asked).toEqual([]);
    });
  });

  test("mistakes in policies and requests get a sentence in their place", async () => {
    await visit(language, "#playground", async ({ page }) => {
      const bench = benchOf(page);
      const output = bench.locator("output");
      await bench.getByLabel("Start with").selectOption({ label: "A name that does not exist" });
      await output.getByText("refused", { exact: true }).waitFor();
      await bench.getByText(/field does not exist: `wallet\.name`/).waitFor();
      expect(await bench.locator(".kh-wrong").textContent()).toBe("wallet.name");
      await bench.getByRole("button", { name: "As JSON" }).click();
      const json = editorOf(
        page,
        "Policies as create_policies takes them and list_policies shows them",
      );
      await json.fill('[{ "effect": "ALLOW" }]');
      await bench.getByText("[0].effect must be EFFECT_ALLOW or EFFECT_DENY.").waitFor();
      await json.fill('[{ "effect": }]');
      await bench.getByText(/Line 1, column 14 is not JSON/).waitFor();
      await json.fill('{ "effect": "EFFECT_ALLOW", "policyName": "all", "condition": "true" }');
      await output.getByText(/Allowed by “all”/).waitFor();
      await output.getByRole("link", { name: "always-matches" }).waitFor();
      const request = editorOf(page, "Who asks and approves, and what the activity is");
      await request.fill("{}");
      await bench.getByText("users is missing in the whole text: add it.").waitFor();
      await output.getByText("unreadable request").waitFor();
    });
  });

  test("names are completed by the keyboard alone, and Tab leaves the editor", async () => {
    await visit(language, "#playground", async ({ page }) => {
      const bench = benchOf(page);
      await bench.getByRole("button", { name: "Add a policy" }).focus();
      await page.keyboard.press("Enter");
      const condition = editorOf(page, "condition", 3);
      await condition.focus();
      await page.keyboard.type("wallet.la");
      await page.getByRole("option", { name: /label/ }).waitFor();
      await page.waitForTimeout(150);
      await page.keyboard.press("Enter");
      await expect.poll(() => condition.textContent()).toBe("wallet.label");
      await page.keyboard.type(" == 'Treasury' && activity.kind == 'SIGN_TRANS");
      await page.getByRole("option", { name: /SIGN_TRANSACTION/ }).waitFor();
      await page.waitForTimeout(150);
      await page.keyboard.press("Enter");
      await page.keyboard.type("'");
      await expect
        .poll(() => condition.textContent())
        .toBe("wallet.label == 'Treasury' && activity.kind == 'SIGN_TRANSACTION'");
      await bench
        .locator("output")
        .getByText(/Allowed by “new policy”/)
        .waitFor();
      await page.keyboard.press("Tab");
      expect(await page.evaluate(() => document.activeElement?.textContent)).toContain("when");
      await page.keyboard.press("Control+Space");
      await page.getByRole("option", { name: /CronSpan/ }).waitFor();
      await page.keyboard.press("Escape");
      await page.locator(".cm-tooltip-autocomplete").waitFor({ state: "detached" });
    });
  });

  test("a link brings policies and request along", async () => {
    let link = "";
    await visit(language, "#playground", async ({ page }) => {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      const bench = benchOf(page);
      await bench.getByLabel("Start with").selectOption({ label: "Who must not delete" });
      await bench
        .locator("output")
        .getByText(/Denied by “interns delete nothing”/)
        .waitFor();
      await bench.getByRole("button", { name: "Copy link" }).click();
      await bench.getByText("Copied").waitFor();
      link = await page.evaluate(() => navigator.clipboard.readText());
    });
    const { pathname, hash } = new URL(link);
    await visit(pathname + hash, "#playground", async ({ page }) => {
      const bench = benchOf(page);
      await bench
        .locator("output")
        .getByText(/Denied by “interns delete nothing”/)
        .waitFor();
    });
    await visit(pathname + hash.slice(0, -9), "#playground", async ({ page }) => {
      await benchOf(page)
        .getByText(/The link that led here is not whole/)
        .waitFor();
    });
  });

  async function connect(panel: Locator) {
    await paste(panel.getByLabel("Key file or private key"), JSON.stringify(service.root));
    await panel.getByText("You are").waitFor();
  }

  test("own policies and activities are taken over once the page is connected", async () => {
    const client = clientOf(service, service.root);
    const { walletId, addresses } = await client.createWallet({
      walletName: `Playground ${Date.now()}`,
      accounts: [
        {
          curve: "CURVE_SECP256K1",
          pathFormat: "PATH_FORMAT_BIP32",
          path: "m/44'/60'/0'/0/0",
          addressFormat: "ADDRESS_FORMAT_ETHEREUM",
        },
      ],
    });
    await client.signRawPayload({
      signWith: addresses[0] ?? "",
      payload: "hello",
      encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
      hashFunction: "HASH_FUNCTION_KECCAK256",
    });
    const policyName = `playground ${Date.now()}`;
    await client.createPolicy({
      policyName,
      effect: "EFFECT_DENY",
      condition: `wallet.id == '${walletId}'`,
      notes: "",
    });
    await visit(language, "#playground", async ({ page, asked }) => {
      const bench = benchOf(page);
      await bench.getByRole("button", { name: "Use your organization" }).click();
      const panel = bench.getByRole("region", { name: "Your organization" });
      await panel.waitFor();
      expect(asked).toEqual([]);
      await connect(panel);
      await panel.getByRole("button", { name: "Take its policies" }).click();
      await panel.getByText(/^Policies taken over: \d+\.$/).waitFor();
      await expect
        .poll(async () => {
          const names = bench.getByLabel("Name");
          return Promise.all((await names.all()).map((each) => each.inputValue()));
        })
        .toContain(policyName);
      await panel.getByRole("button", { name: "List its newest activities" }).click();
      await panel.getByRole("button", { name: "SIGN_RAW_PAYLOAD_V2" }).first().click();
      await panel
        .getByText("The request below is now ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2.")
        .waitFor();
      const request = editorOf(page, "Who asks and approves, and what the activity is");
      expect(await request.textContent()).toContain("rootQuorum");
      // The root user alone is the quorum, so no policy is asked.
      await bench
        .locator("output")
        .getByText(/The root quorum approved it/)
        .waitFor();
      expect(await faultsIn(panel)).toEqual([]);
      expect(await tracesOf(page)).not.toContain(service.root.apiPrivateKey);
    });
  });

  test("while a reader is connected, samples of all pages have their ids, until they turn it off", async () => {
    await visit("/api#whoami", "#whoami", async ({ page }) => {
      const section = page.locator("#whoami");
      await section.getByRole("button", { name: /^Try it/ }).click();
      await connect(section.getByRole("region", { name: "Try whoami" }));
      // The connection ends with the page, so the reader follows links of the site.
      const go = async (path: string) => {
        await page.evaluate((to) => history.pushState(null, "", to), path);
        await page.evaluate(() => dispatchEvent(new PopStateEvent("popstate")));
        await page.waitForURL(`**${path}`);
      };
      await go("/developer-reference/api-overview/submissions");
      const sample = page.locator("pre").filter({ hasText: "ACTIVITY_TYPE_CREATE_WALLET" }).first();
      await expect.poll(() => sample.textContent()).toContain(service.root.organizationId);
      const note = page.getByText(/^Filled in with the ids of/).first();
      await note.waitFor();
      await page.getByRole("button", { name: "Show the example’s ids everywhere" }).first().click();
      await expect.poll(() => sample.textContent()).not.toContain(service.root.organizationId);
      await go("/developer-reference/api-overview/intro");
      const shell = page.locator("pre").filter({ hasText: "query/whoami" }).first();
      await expect.poll(() => shell.textContent()).toContain("$ORGANIZATION_ID");
      await page.getByRole("button", { name: "Fill in mine everywhere" }).first().click();
      await expect.poll(() => shell.textContent()).toContain(service.root.organizationId);
      expect(await page.locator("main").textContent()).not.toContain(service.root.apiPrivateKey);
    });
  });

  test("the Spanish page of policies has a Spanish playground", async () => {
    await visit(`/es${language}`, "#playground", async ({ page }) => {
      const bench = page.getByRole("region", { name: "Zona de pruebas de políticas" });
      await bench.locator("output").getByText("denegada", { exact: true }).waitFor();
    });
  });

  testInLongForm("the other Spanish pages have Spanish playgrounds", async () => {
    await visit("/es/concepts/wallets", "#address-formats", async ({ page }) => {
      await page.getByRole("button", { name: /Mostrar las direcciones/ }).click();
      const bench = page.getByRole("group", { name: "Direcciones de un mnemónico" });
      await bench.getByLabel("Ruta para todos los formatos").fill("x");
      await expect.poll(() => alertIn(bench).textContent()).toMatch(/^Esto no es una ruta/);
    });
    await visit("/es/developer-reference/api-overview/stamps", "#inspector", async ({ page }) => {
      const bench = page.getByRole("group", { name: "Desarma un sello" });
      await bench.locator("output").getByText("válido", { exact: true }).waitFor();
    });
    await visit("/es/security/enclave-secure-channels", "#inspector", async ({ page }) => {
      const bench = page.getByRole("group", { name: "Desarma un paquete" });
      await bench.locator("output").getByText("la firma es válida").waitFor();
    });
  });
});
