import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Hex, recoverMessageAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePages, hasBrowser, openAuthenticator, sharedBrowser } from "../start/browser.ts";
import { isLong } from "../start/long-form.ts";
import { type Part, type Step, stepsOf } from "./page.ts";
import { freePort, type Reader, startReader } from "./reader.ts";

// Each page is followed as its readers follow it: in an empty folder outside of the repository, beside a service. The
// files, names, ports and versions are those of the page. What a command prints is what the page shows.

let reader: Reader;

beforeAll(async () => {
  const script = fileURLToPath(new URL("../../scripts/packages.ts", import.meta.url));
  // The service has the packages of these sources. A bundle brings its own.
  if (!process.env.KEYHEARTH_TEST_BUNDLES) await promisify(execFile)(process.execPath, [script]);
  // The page about webhooks starts the service with this variable.
  reader = await startReader({ KEYHEARTH_WEBHOOK_PRIVATE_TARGETS: "127.0.0.1" });
}, 120_000);

afterAll(async () => {
  await closePages();
  await reader?.close();
});

// Each walk installs its packages, so the quickstarts are walked always, and the pages of single packages in the long form.
// The sample apps of the command have tests of their own: one of them would take the port of another walk.
// The program of the signing quickstart runs in tests/snippets/signing-automation always, and installs what the first one does.
const ofPackages: [string, Part[]][] = [
  ["getting-started/signing-automation-quickstart", [{ tabs: ["ts"], until: "4. Send it" }]],
  ["getting-started/signing-automation-quickstart", [{ tabs: ["curl"], until: "4. Send it" }]],
  [
    "sdks/cli",
    [
      { until: "Start with an app" },
      { from: "All commands", until: "Agents" },
      { from: "For all commands", until: "Add your public API key" },
    ],
  ],
  ["sdks/python", [{ until: "Webhooks" }]],
];

test.each<[string, Part[]]>([["getting-started/quickstart", [{}]], ...(isLong ? ofPackages : [])])(
  "%s leads to its result, with %o",
  { concurrent: true },
  async (page, parts) => {
    const steps = parts.flatMap((part) => stepsOf(page, part));
    expect(steps.map(({ kind }) => kind)).toContain("command");
    await reader.follow(steps);
  },
);

// Its receiver shows the first event, which must not be about what another reader does meanwhile.
test("developer-reference/webhooks leads to its result", () =>
  reader.follow(stepsOf("developer-reference/webhooks", { tabs: ["node"] })));

// The page about webhooks has a program for each language, and so has the one about the first signature. These run after
// the walks that install packages of npm, which keep every processor busy.
describe.runIf(isLong)("other languages:", () => {
  test.runIf(has("ruby"))("Ruby verifies a webhook", () => reader.follow(verifySteps("ruby")));

  test.runIf(has("go", "version"))("Go signs, and verifies a webhook", () =>
    reader.follow([...signSteps("go"), ...verifySteps("go")]),
  );

  // In one folder, so that the package that both need is installed once.
  test("Python signs, and verifies a webhook", () =>
    reader.follow([...signSteps("python"), ...verifySteps("python")]));
});

function verifySteps(tab: string): Step[] {
  const part = { from: "Verify and answer", until: "See what was sent" };
  return stepsOf("developer-reference/webhooks", { tabs: [tab], ...part });
}

/** The program of this tab is in the folder of the programs, and a page of its own says how to get that. */
function signSteps(tab: string): Step[] {
  const folder = stepsOf("getting-started/examples", { until: "A passkey wallet" }).map((step) =>
    // The programs of other languages need no package of npm.
    step.kind === "command" ? { ...step, text: step.text.replace("npm install\n", "") } : step,
  );
  const page = "getting-started/signing-automation-quickstart";
  return [...folder, ...stepsOf(page, { tabs: [tab], until: "4. Send it" })];
}

/** Whether this machine has a language. */
function has(program: string, ask = "--version"): boolean {
  return spawnSync(program, [ask]).status === 0;
}

/** Opens an address of the page in a browser that can make passkeys. */
async function openApp(address: string) {
  const page = await (await (await sharedBrowser()).newContext()).newPage();
  await openAuthenticator(page);
  await page.goto(reader.at(address));
  return page;
}

test.runIf(hasBrowser && isLong)(
  "sdks/react leads to a wallet that signs",
  { concurrent: true },
  async () => {
    const steps = stepsOf("sdks/react", { until: "The provider" });
    await reader.follow(steps);
    const page = await openApp("http://localhost:4100/code-examples/wallet/");
    await page.getByLabel("Name").fill("Ada");
    await page.getByRole("button", { name: "Sign up" }).click();
    const account = page.getByRole("listitem").filter({ hasText: "0x" });
    await account.getByRole("button", { name: "Sign “hello”" }).click();
    const address = (await account.textContent())?.slice(0, 42);
    const signature = (await page.locator("output").textContent()) as Hex; // viem refuses anything else
    expect(await recoverMessageAddress({ message: "hello", signature })).toBe(address);
  },
);

test.runIf(hasBrowser)(
  "getting-started/embedded-wallet-quickstart leads to a wallet that signs, without a backend",
  { concurrent: true },
  async () => {
    const part = { from: "Without a backend", until: "With a backend" };
    await reader.follow(stepsOf("getting-started/embedded-wallet-quickstart", part));
    const page = await openApp("http://localhost:5173");
    await page.getByLabel("Name").fill("Ada");
    await page.getByRole("button", { name: "Sign up" }).click();
    await page.getByText(/^0x[0-9a-fA-F]{40}$/).waitFor();
    await page.reload();
    await page.getByText(/^0x[0-9a-fA-F]{40}$/).waitFor();
    const address = await page.locator("code").textContent();
    await page.getByRole("button", { name: "Sign a message" }).click();
    await page.getByText(/^0x[0-9a-f]{130}$/).waitFor();
    const signature = (await page.locator("output").textContent()) as Hex; // viem refuses anything else
    const message = "Hello from Keyhearth";
    expect(await recoverMessageAddress({ message, signature })).toBe(address);
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByText(address ?? "").waitFor();
  },
);

/** The kit's components in a build of the quickstart's app, beside its server for developers. */
async function kitInNext() {
  const origin = `http://localhost:${await freePort("0")}`;
  const read = (name: string) => readFileSync(new URL(`next-kit/${name}`, import.meta.url), "utf8");
  const steps: Step[] = [
    { kind: "file", name: "app/kit/page.tsx", content: read("page.tsx") },
    { kind: "file", name: "app/api/login/[call]/route.ts", content: read("route.ts") },
    {
      kind: "command",
      text: `cd my-wallet\necho 'APP_ORIGIN=${origin}' >> .env.local\nnpx next build`,
    },
    {
      kind: "command",
      text: `npx next start --hostname localhost --port ${new URL(origin).port}`,
    },
    { kind: "output", text: `… Local: … ${origin}\n` },
  ];
  return { origin, steps };
}

// `npm run e2e` has this one: to install Next.js takes minutes.
test.runIf(hasBrowser && isLong)(
  "getting-started/embedded-wallet-quickstart leads to a wallet that signs",
  { timeout: 300_000 },
  async () => {
    const part = { tabs: ["npm"], from: "With a backend", until: "If something is wrong" };
    const quickstart = stepsOf("getting-started/embedded-wallet-quickstart", part);
    const kit = await kitInNext();
    await reader.follow([...quickstart, ...kit.steps]);
    const page = await openApp("http://localhost:4100");
    await page.getByLabel("Name").fill("Ada");
    await page.getByRole("button", { name: "Sign up" }).click();
    await page.getByRole("heading", { name: "Hello, Ada" }).waitFor();
    await page.getByRole("button", { name: "Sign a message" }).click();
    const address = await page.locator("code").textContent();
    const signature = (await page.locator("output").textContent()) as Hex; // viem refuses anything else
    const message = "Hello from Keyhearth";
    expect(await recoverMessageAddress({ message, signature })).toBe(address);

    const built = await openApp(`${kit.origin}/kit`);
    await built.getByRole("button", { name: "Create an account with a passkey" }).click();
    await built.getByLabel("Your name").fill("Grace");
    await built.getByRole("button", { name: "Create a passkey" }).click();
    await built.getByLabel("Nobody else can see my screen.").check();
    await built.getByRole("button", { name: "Show" }).click();
    const words = built.frameLocator("iframe").locator("#key-div");
    await words.getByText(/^\w+( \w+){11}$/).waitFor();
    await built.getByRole("button", { name: "Hide" }).click();
    expect(await built.locator("iframe").count()).toBe(0);
  },
);
