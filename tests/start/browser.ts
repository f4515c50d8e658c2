import { type Browser, type CDPSession, chromium, type Page } from "playwright-core";
import { findBrowser, findTestBrowser } from "../../scripts/setup/tools.mjs";

/** The browser that tests use, or no text if this machine has none. */
export const browserPath = process.env.CHROME_PATH || findTestBrowser() || "";

/** Where continuous integration has no browser, these tests fail: a skip there would go unnoticed. */
export const hasBrowser = Boolean(browserPath || process.env.CI);

/**
 * Chromium takes the last list that it is given, so this one has what Playwright disables too. One thing is left out:
 * frames of another site store keys in a part of the storage of their own, as in every browser that people use.
 */
const disabledFeatures = [
  // With each context, Chromium opens a window and loads two pages for its address bar, which nobody sees.
  ...["WebUIOmniboxPopup", "WebUIOmniboxAimPopup"],
  // Pages of `http:` stay there.
  ...["HttpsUpgrades", "HttpsFirstBalancedModeAutoEnable"],
  ...["AimEnabled", "AvoidCorsURLLoaderRestartOnRedirect", "AvoidUnnecessaryBeforeUnloadCheckSync"],
  ...["DestroyProfileOnBrowserClose", "LensOverlay", "MediaRouter", "NetworkTimeServiceQuerying"],
  ...["OptimizationHints", "PaintHolding", "PreconnectToSearch"],
];

/** A Chromium that asks for nothing but what the test opens. */
export function launchBrowser(): Promise<Browser> {
  return launch(browserPath, []);
}

/** One as people have it, with the rules of a profile for cookies and storage. `without` names more of its features. */
export function launchWholeBrowser(without: readonly string[]): Promise<Browser> {
  return launch(findBrowser() ?? browserPath, without);
}

function launch(executablePath: string, without: readonly string[]): Promise<Browser> {
  const args = [
    ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
    ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
    `--disable-features=${[...disabledFeatures, ...without].join(",")}`,
  ];
  return chromium.launch({ executablePath, args });
}

let shared: Promise<Browser> | undefined;

/**
 * One browser for all files that run in this process, as the start costs a second. A file that is done calls
 * `closePages`, and the browser ends with this process.
 */
export function sharedBrowser(): Promise<Browser> {
  shared ??= launchBrowser();
  return shared;
}

/** Closes all that the file opened: the files of a process run one after the other. */
export async function closePages(): Promise<void> {
  const contexts = (await shared)?.contexts() ?? [];
  await Promise.all(contexts.map((context) => context.close()));
}

/** Until a page's scripts run, it shows its text, but its buttons and fields do nothing. */
export async function waitUntilReady(page: Page): Promise<void> {
  await page.waitForSelector(whenReady);
}

export const whenReady = "html[data-has-hydrated=true]";

/** Gives every origin that the page visits a `/test-page` which runs the script. */
export async function addTestPage(page: Page, script: string): Promise<void> {
  const body =
    '<!doctype html><meta charset="utf-8"><body><script type="module" src="/test-page.js"></script>';
  await page.route("**/test-page", (route) => route.fulfill({ contentType: "text/html", body }));
  await page.route("**/test-page.js", (route) =>
    route.fulfill({ contentType: "text/javascript", body: script }),
  );
}

export type Authenticator = { devTools: CDPSession; authenticatorId: string };

/** Gives the page a passkey authenticator in the device, whose user agrees to everything at once. */
export async function openAuthenticator(page: Page): Promise<Authenticator> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send("WebAuthn.enable");
  return { devTools, authenticatorId: await addAuthenticator(devTools, "ctap2") };
}

/** One more authenticator: for `ctap2` in the device, and for `u2f` a key that knows nobody. */
export async function addAuthenticator(
  devTools: CDPSession,
  protocol: "ctap2" | "u2f",
): Promise<string> {
  const isNew = protocol === "ctap2";
  const { authenticatorId } = await devTools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol,
      transport: isNew ? "internal" : "usb",
      hasResidentKey: isNew,
      hasUserVerification: isNew,
      isUserVerified: isNew,
      automaticPresenceSimulation: true,
    },
  });
  return authenticatorId;
}
