import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { ApiKeyStamper } from "@turnkey/api-key-stamper";
import { TurnkeyClient } from "@turnkey/http";
import { build, type Plugin } from "esbuild";
import type { Browser } from "playwright-core";
import type { Product } from "./product.ts";

// Apps without a backend: pages of an origin of their own with unmodified clients, which the login proxy serves.

export type App = {
  origin: string;
  show(files: AppFiles): void;
  stop(): Promise<void>;
};

export type AppFiles = { script: string; styles?: string; settings?: object };

/** An app of another origin. Browsers let no page that a test made up reach a loopback address. */
export async function serveApp(): Promise<App> {
  let files: AppFiles = { script: "" };
  const server = createServer((request, response) => {
    const [path] = (request.url ?? "").split("?");
    const [type, text] =
      path === "/app.js"
        ? ["text/javascript", files.script]
        : path === "/app.css"
          ? ["text/css", files.styles]
          : ["text/html", html(files)];
    response.setHeader("Content-Type", type);
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    // Passkeys belong to a name, and the service is at the other one of this machine.
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    show(shown) {
      files = shown;
    },
    stop() {
      server.closeAllConnections();
      return new Promise((closed) => void server.close(() => closed()));
    },
  };
}

function html({ styles, settings }: AppFiles): string {
  const head = [
    '<!doctype html><meta charset="utf-8"><title>App</title>',
    styles === undefined ? "" : '<link rel="stylesheet" href="/app.css">',
    `<script>window.appSettings=${JSON.stringify(settings ?? {}).replaceAll("<", "\\u003c")}</script>`,
  ];
  return `${head.join("")}<body><script type="module" src="/app.js"></script>`;
}

/** The script of a page, whose client encrypts to the key of this service's signer. */
export async function bundlePage({ url }: Product, page: URL): Promise<string> {
  const described = await fetch(`${url}/.well-known/keyhearth.json`);
  const facts = (await described.json()) as { verificationPublicKey: string };
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(page)],
    bundle: true,
    format: "esm",
    platform: "browser",
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
    write: false,
    logLevel: "warning",
    plugins: [withSignersKey(facts.verificationPublicKey)],
  });
  return outputFiles[0]?.text ?? "";
}

/** The client has no option for the key of the signer that it encrypts codes to, so its constant has another value. */
function withSignersKey(publicKey: string): Plugin {
  const name = "PRODUCTION_TLS_FETCHER_SIGN_PUBLIC_KEY";
  return {
    name: "the key of the signer",
    setup({ onLoad }) {
      onLoad({ filter: /@turnkey[\\/]crypto[\\/]dist[\\/]constants\.m?js$/ }, ({ path }) => {
        const text = readFileSync(path, "utf8");
        const contents = text.replace(
          new RegExp(`(const ${name} = )"04[0-9a-f]{128}"`),
          `$1"${publicKey}"`,
        );
        if (contents === text) throw new Error(`${path} has no ${name}`);
        return { contents, loader: "js" };
      });
    },
  };
}

/** As the organization's owner switches it on, with a client that knows the feature's name. */
export async function switchOnProxy(
  { url, root }: Product,
  origin: string,
  more: Record<string, unknown>,
) {
  const { organizationId } = root;
  const shown = await fetch(`${url}/proxy/v1/public_key`, {
    method: "POST",
    headers: { "X-Auth-Proxy-Config-ID": organizationId },
  });
  const { publicKey } = (await shown.json()) as { publicKey: string };
  const client = new TurnkeyClient({ baseUrl: url }, new ApiKeyStamper(root));
  const settings = {
    publicKey,
    appName: "Example",
    origins: [origin],
    methods: ["email", "passkey"],
    otpLength: 6,
    otpAlphanumeric: false,
    ...more,
  };
  const features = [
    { name: "FEATURE_NAME_AUTH_PROXY", value: JSON.stringify(settings) },
    { name: "FEATURE_NAME_OTP_EMAIL_AUTH", value: "" },
  ] as const;
  for (const parameters of features) {
    await client.setOrganizationFeature({
      type: "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE",
      timestampMs: String(Date.now()),
      organizationId,
      parameters,
    });
  }
}

/** The code of the newest mail to somebody, as people copy it from the mailbox. */
export async function mailedCode(
  { mailboxUrl }: Product,
  browser: Browser,
  to: string,
): Promise<string> {
  const mailbox = await browser.newPage();
  try {
    await mailbox.goto(mailboxUrl);
    const button = mailbox.getByRole("button", { name: `To ${to}` });
    await button.first().click();
    const item = mailbox.getByRole("listitem").filter({ hasText: "Code" });
    return (await item.locator("code").textContent()) ?? "";
  } finally {
    await mailbox.close();
  }
}
