// Writes the dashboard that the service serves to `dist/dashboard`, or with the address of a service one for another origin:
// `npm run build -w @keyhearth/dashboard -- --api=https://keys.example.com --session-public-key=04… --out=folder`.

import { globSync } from "node:fs";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "vite";
import { noticesOf } from "../../../scripts/bundle/notices.ts";
import {
  assetHeaders,
  type Connected,
  pageHeaders,
  pageRules,
  returnedHeaders,
} from "../src/headers.ts";
import { renderFirstViews } from "./first-views.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const configFile = fileURLToPath(new URL("../vite.config.ts", import.meta.url));

export type Elsewhere = {
  /** The address of the service, without a slash at its end. */
  api: string;
  /** What the signer's statements about sessions are verified with, uncompressed in hex. */
  sessionPublicKey: string;
  /** Whose keys codes are encrypted to. Without it, nobody logs in with a code. */
  verificationPublicKey?: string;
  /** What statements about addresses are verified with. Without it, addresses are shown as not checked. */
  quorumPublicKey?: string;
  /** To whom imports are encrypted, and whose exports are opened. Without it, only frames do that. */
  signerPublicKey?: string;
  /** The clients of OpenID providers, each as a name, the authorization endpoint and the client id. */
  loginProviders: readonly string[];
  /** The path of the dashboard on its host, which begins and ends with a slash. */
  base: string;
  /** The address of the frames, without a slash at its end, if they have an origin of their own. */
  frames?: string;
};

/** Writes the dashboard into a folder, which is emptied first. Without `elsewhere`, it is the one of the service. */
export async function writeDashboard(directory: string, elsewhere?: Elsewhere): Promise<void> {
  const base = elsewhere?.base ?? "/dashboard/";
  const built = await build({
    configFile,
    base,
    logLevel: "warn",
    build: { outDir: directory },
  });
  if (!("output" in built)) throw new Error("Vite wrote more than one bundle");
  const modules = built.output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
  const packages = [...modules, ...fonts()].map((path) =>
    relative(root, path.replace(/^\0/, "").replace(/\?.*$/, "")),
  );
  await writeFile(join(directory, "NOTICES.txt"), noticesOf(root, packages));
  const page = join(directory, "index.html");
  const isCodeOffered = !elsewhere || elsewhere.verificationPublicKey !== undefined;
  const isProviderOffered = !elsewhere || elsewhere.loginProviders.length > 0;
  const views = await renderFirstViews(base, { isCodeOffered, isProviderOffered });
  await writeFile(page, withFirstViews(await readFile(page, "utf8"), views));
  if (elsewhere) await placeElsewhere(directory, elsewhere);
}

function withFirstViews(html: string, views: string): string {
  const place = /<!--[^>]*-->\s*<div id="root"><\/div>/;
  if (!place.test(html)) throw new Error("index.html has no place for the first views");
  return html.replace(place, () => views);
}

/** Only style sheets name them. */
function fonts(): string[] {
  return globSync("node_modules/@fontsource-variable/*/package.json", { cwd: root }).map((path) =>
    join(root, path),
  );
}

async function placeElsewhere(directory: string, elsewhere: Elsewhere): Promise<void> {
  const originOf = (address: string) => new URL(address).origin;
  const connected = {
    api: originOf(elsewhere.api),
    frames: elsewhere.frames && originOf(elsewhere.frames),
  };
  const page = join(directory, "index.html");
  const html = (await readFile(page, "utf8"))
    .replace(
      '<meta name="robots"',
      `<meta http-equiv="Content-Security-Policy" content="${pageRules(connected)}">\n    <meta name="robots"`,
    )
    .replace('name="keyhearth-api" content=""', `name="keyhearth-api" content="${elsewhere.api}"`)
    .replace(
      'name="keyhearth-session-public-key" content=""',
      `name="keyhearth-session-public-key" content="${elsewhere.sessionPublicKey}"`,
    )
    .replace(
      'name="keyhearth-verification-public-key" content=""',
      `name="keyhearth-verification-public-key" content="${elsewhere.verificationPublicKey ?? ""}"`,
    )
    .replace(
      'name="keyhearth-quorum-public-key" content=""',
      `name="keyhearth-quorum-public-key" content="${elsewhere.quorumPublicKey ?? ""}"`,
    )
    .replace(
      'name="keyhearth-signer-public-key" content=""',
      `name="keyhearth-signer-public-key" content="${elsewhere.signerPublicKey ?? ""}"`,
    )
    .replace(
      'name="keyhearth-frames" content=""',
      `name="keyhearth-frames" content="${elsewhere.frames ?? ""}"`,
    )
    .replace(
      'name="keyhearth-login-providers" content=""',
      `name="keyhearth-login-providers" content="${elsewhere.loginProviders.join(" ")}"`,
    );
  await writeFile(page, html);
  // Hosts of plain files answer with it where there is no file, and so do those that read `_redirects`.
  await copyFile(page, join(directory, "404.html"));
  await writeFile(
    join(directory, "_redirects"),
    `${elsewhere.base}* ${elsewhere.base}index.html 200\n`,
  );
  await writeFile(join(directory, "_headers"), headersFile(elsewhere.base, connected));
  await writeFile(join(directory, "nginx.conf"), nginxFile(elsewhere.base, connected));
}

/** The form of hosts such as Netlify and Cloudflare Pages. Of two blocks with the same header, the later one counts. */
function headersFile(base: string, connected: Connected): string {
  const block = (path: string, headers: Record<string, string>) =>
    `${path}\n${Object.entries(headers)
      .map(([name, value]) => `  ${name}: ${value}\n`)
      .join("")}`;
  return [
    block(`${base}*`, pageHeaders(connected)),
    block(`${base}assets/*`, { "Cache-Control": cacheOfAssets }),
    block(`${base}returned.html`, returnedHeaders()),
  ].join("\n");
}

/** For the `server` of nginx. */
function nginxFile(base: string, connected: Connected): string {
  const block = (match: string, headers: Record<string, string>, files: string) =>
    `location ${match} {\n  try_files $uri ${files};\n${Object.entries(headers)
      .map(([name, value]) => `  add_header ${name} "${value}" always;\n`)
      .join("")}}\n`;
  return [
    block(base, pageHeaders(connected), `${base}index.html`),
    block(`${base}assets/`, assetHeaders({ isHashed: true }), "=404"),
    block(`= ${base}returned.html`, returnedHeaders(), "=404"),
  ].join("\n");
}

const cacheOfAssets = assetHeaders({ isHashed: true })["Cache-Control"] ?? "";

export function readElsewhere(args: string[]): { elsewhere: Elsewhere | undefined; out: string } {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    args,
    options: {
      ...{ api: text, base: text, frames: text, out: text },
      ...{ "session-public-key": text, "quorum-public-key": text, "signer-public-key": text },
      ...{ "verification-public-key": text, "login-provider": { type: "string", multiple: true } },
    },
  });
  const { api, base = "/", frames, out, "session-public-key": sessionPublicKey } = values;
  const { "quorum-public-key": quorumPublicKey, "signer-public-key": signerPublicKey } = values;
  const { "verification-public-key": verificationPublicKey } = values;
  const { "login-provider": providers = [] } = values;
  if (api === undefined) {
    if (Object.keys(values).some((name) => name !== "out")) {
      throw new Error(
        "--session-public-key, --verification-public-key, --quorum-public-key, --signer-public-key, --login-provider, --base and --frames are for a dashboard of another origin: name the address of the service in --api=https://keys.example.com too",
      );
    }
    return { elsewhere: undefined, out: resolve(root, out ?? "dist/dashboard") };
  }
  if (!isAddress(api) || (frames !== undefined && !isAddress(frames))) {
    throw new Error(
      `--api must be the address of the service, such as https://keys.example.com, and --frames that of the frames, such as https://frames.example.com, both without a slash at their end; got ${api}${frames === undefined ? "" : ` and ${frames}`}`,
    );
  }
  if (frames !== undefined && new URL(frames).origin === new URL(api).origin) {
    throw new Error(
      `--frames must be at another origin than the service, whose machine could otherwise read each secret that is shown or entered; got ${frames}. Serve the frames from another machine, or leave --frames out and name --signer-public-key, with which the page opens and encrypts secrets itself`,
    );
  }
  const wrong = providers.find((provider) => !isProvider(provider));
  if (wrong !== undefined) {
    throw new Error(
      `--login-provider must be the name that login proxies have for their client there, the https address of the provider's authorization endpoint and the client id, with commas between them, such as google,https://accounts.google.com/o/oauth2/v2/auth,123.apps.googleusercontent.com; got ${wrong}`,
    );
  }
  if (sessionPublicKey === undefined || !/^04[0-9a-f]{128}$/.test(sessionPublicKey)) {
    throw new Error(
      "--session-public-key must be the sessionPublicKey of the service's /.well-known/keyhearth.json: 04 and 128 lower-case hexadecimal digits",
    );
  }
  if (verificationPublicKey !== undefined && !/^04[0-9a-f]{128}$/.test(verificationPublicKey)) {
    throw new Error(
      "--verification-public-key must be the verificationPublicKey of the service's /.well-known/keyhearth.json: 04 and 128 lower-case hexadecimal digits",
    );
  }
  if (quorumPublicKey !== undefined && !/^(04[0-9a-f]{128}){2}$/.test(quorumPublicKey)) {
    throw new Error(
      "--quorum-public-key must be the quorumPublicKey of the service's /.well-known/keyhearth.json: 260 lower-case hexadecimal digits",
    );
  }
  if (signerPublicKey !== undefined && !/^04[0-9a-f]{128}$/.test(signerPublicKey)) {
    throw new Error(
      "--signer-public-key must be the signerPublicKey of the service's /.well-known/keyhearth.json: 04 and 128 lower-case hexadecimal digits",
    );
  }
  if (!/^\/([a-z0-9_-]+\/)*$/i.test(base)) {
    throw new Error(
      `--base must be a path that begins and ends with a slash, such as /dashboard/; got ${base}`,
    );
  }
  if (out === undefined) throw new Error("name a folder in --out, which is emptied first");
  return {
    elsewhere: {
      ...{ api, base, frames, loginProviders: providers.flatMap((each) => each.split(",")) },
      ...{ sessionPublicKey, verificationPublicKey, quorumPublicKey, signerPublicKey },
    },
    out: resolve(out),
  };
}

/** https, or http on this machine, with nothing that HTML or a header would read as more than an address. */
function isAddress(text: string): boolean {
  return (
    /^(https:\/\/[a-z0-9.-]+|http:\/\/(localhost|127\.0\.0\.1))(:\d{1,5})?(\/[\w.~-]+)*$/i.test(
      text,
    ) && URL.canParse(text)
  );
}

function isProvider(text: string): boolean {
  const [name = "", endpoint = "", clientId = "", ...others] = text.split(",");
  return (
    others.length === 0 &&
    /^[a-z0-9][a-z0-9-]{0,63}$/.test(name) &&
    isAddress(endpoint) &&
    /^[\w.~:@-]{1,255}$/.test(clientId)
  );
}

if (import.meta.main) {
  try {
    const { elsewhere, out } = readElsewhere(process.argv.slice(2));
    await writeDashboard(out, elsewhere);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}
