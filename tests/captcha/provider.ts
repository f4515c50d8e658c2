import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContext } from "playwright-core";

const SECRET = "secret-of-the-captcha";
const SITE_KEY = "site-key-of-the-test";

/** A provider of captchas: its widget makes tokens, and each of them is accepted once. */
export type CaptchaProvider = {
  /** How the service is told about it. */
  environment: Record<string, string>;
  /** The tokens that the service asked about, and whether they were accepted. */
  asked: { token: string; accepted: boolean }[];
  /** Lets pages load the widget, which is at an address of the provider's. */
  serveWidget(context: BrowserContext): Promise<void>;
  stop(): Promise<void>;
};

/** Where pages load the widget of Turnstile from, which released kits have in their code. */
const WIDGET = "https://challenges.cloudflare.com/turnstile/**";

export async function startCaptchaProvider(): Promise<CaptchaProvider> {
  const asked: CaptchaProvider["asked"] = [];
  const made = new Set<string>();
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      const form = new URLSearchParams(text);
      const token = form.get("response") ?? "";
      const accepted = form.get("secret") === SECRET && made.delete(token);
      asked.push({ token, accepted });
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify({ success: accepted }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    environment: {
      KEYHEARTH_CAPTCHA_URL: `http://127.0.0.1:${port}/siteverify`,
      KEYHEARTH_CAPTCHA_SECRET: SECRET,
      KEYHEARTH_CAPTCHA_SITE_KEY: SITE_KEY,
    },
    asked,
    async serveWidget(context) {
      await context.exposeFunction("solveCaptcha", (siteKey: string) => {
        if (siteKey !== SITE_KEY) throw new Error(`no site has the key ${siteKey}`);
        const token = `solved-${crypto.randomUUID()}`;
        made.add(token);
        return token;
      });
      await context.route(WIDGET, (route) => {
        const name = new URL(route.request().url()).searchParams.get("onload");
        const onLoad = name ? `window[${JSON.stringify(name)}]?.();` : "";
        const body = `(${defineTurnstile})();${onLoad}`;
        return route.fulfill({ contentType: "text/javascript", body });
      });
    },
    stop() {
      server.closeAllConnections();
      return new Promise((closed) => void server.close(() => closed()));
    },
  };
}

type Widget = { sitekey: string; callback?: (token: string) => void };

/** Runs in the page: the calls of Turnstile, whose visitors are people at once. */
function defineTurnstile() {
  const page = window as unknown as {
    turnstile: object;
    solveCaptcha(siteKey: string): Promise<string>;
  };
  const widgets = new Map<string, Widget & { token?: string }>();
  const solve = (id: string) => {
    const widget = widgets.get(id);
    if (!widget) return;
    delete widget.token;
    void page.solveCaptcha(widget.sitekey).then((token) => {
      widget.token = token;
      widget.callback?.(token);
    });
  };
  page.turnstile = {
    ready: (run: () => void) => run(),
    render(_place: unknown, options: Widget) {
      const id = `widget-${widgets.size}`;
      widgets.set(id, { ...options });
      solve(id);
      return id;
    },
    execute: solve,
    reset: solve,
    remove: (id: string) => widgets.delete(id),
    getResponse: (id: string) => widgets.get(id)?.token,
    isExpired: () => false,
  };
}
