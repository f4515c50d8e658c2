// Writes the pages that the service serves to `dist/frames`, or with a pinned key those for another origin:
// `npm run build -w @keyhearth/frames -- --signer-public-key=04… --ancestors=https://app.example --out=folder`.

import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build, type Metafile } from "esbuild";
import { noticesOf } from "../../../scripts/bundle/notices.ts";
import { parseAncestors } from "../src/ancestors.ts";
import { assetHeaders, pageHeaders, rules } from "../src/headers.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** What each page is called, and what it shows beside a notice: a part of HTML. */
const described = {
  auth: { title: "login frame", content: null },
  export: { title: "export frame", content: "export.html" },
  import: { title: "import frame", content: "import.html" },
  "export-and-sign": { title: "signing frame", content: null },
};
const pages = Object.keys(described);

export type Pinned = {
  /** The signing key of the signer, uncompressed in hex. */
  signerPublicKey: string;
  /** As `frame-ancestors` has them. */
  ancestors: string;
};

/**
 * Writes the pages into a directory, which is emptied first. Without a pinned key, the service that serves them writes its
 * own into each.
 */
export async function writeFrames(directory: string, pinned?: Pinned): Promise<Metafile> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(pages.map((page) => [page, `apps/frames/src/${page}.ts`])),
    outdir: directory,
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    minify: true,
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  const source = (file: string) => readFile(join(root, "apps/frames/pages", file), "utf8");
  const frame = await source("page.html");
  for (const [page, { title, content }] of Object.entries(described)) {
    const html = frame
      .replace("{title}", title)
      .replace("{page}", page)
      .replace("{content}", content === null ? "" : await source(content));
    await writeFile(join(directory, `${page}.html`), pinned ? pin(html, pinned) : html);
  }
  await writeFile(join(directory, "frames.css"), await source("frames.css"));
  if (pinned) {
    await writeFile(join(directory, "_headers"), headersFile(pinned.ancestors));
    await writeFile(join(directory, "nginx.conf"), nginxFile(pinned.ancestors));
    await writeFile(join(directory, "NOTICES.txt"), noticesOf(root, Object.keys(metafile.inputs)));
  }
  return metafile;
}

function pin(html: string, { signerPublicKey, ancestors }: Pinned): string {
  const policy = `<meta http-equiv="Content-Security-Policy" content="${rules}">\n`;
  return html
    .replace('<meta name="robots"', `${policy}<meta name="robots"`)
    .replace('signer-public-key" content=""', `signer-public-key" content="${signerPublicKey}"`)
    .replace('frame-ancestors" content=""', `frame-ancestors" content="${ancestors}"`);
}

/** The form of hosts such as Netlify and Cloudflare Pages. */
function headersFile(ancestors: string): string {
  const block = (path: string, headers: Record<string, string>) =>
    `${path}\n${Object.entries(headers)
      .map(([name, value]) => `  ${name}: ${value}\n`)
      .join("")}`;
  return [
    ...pages
      .flatMap((page) => [`/${page}`, `/${page}.html`])
      .map((path) => block(path, pageHeaders(ancestors))),
    block("/*.js", assetHeaders),
    block("/*.css", assetHeaders),
  ].join("\n");
}

/** For the `server` of nginx. */
function nginxFile(ancestors: string): string {
  const block = (match: string, headers: Record<string, string>, more = "") =>
    `location ${match} {\n${more}${Object.entries(headers)
      .map(([name, value]) => `  add_header ${name} "${value}" always;\n`)
      .join("")}}\n`;
  const names = pages.join("|");
  return [
    block(
      `~ ^/(${names})(\\.html)?$`,
      pageHeaders(ancestors),
      "  try_files $uri $uri.html =404;\n",
    ),
    block("~ \\.(js|css)$", assetHeaders),
  ].join("\n");
}

function readPinned(): { pinned: Pinned | undefined; out: string } {
  const { values } = parseArgs({
    options: {
      "signer-public-key": { type: "string" },
      ancestors: { type: "string" },
      out: { type: "string" },
    },
  });
  const { "signer-public-key": signerPublicKey, ancestors, out } = values;
  if (signerPublicKey === undefined && ancestors === undefined) {
    return { pinned: undefined, out: resolve(root, out ?? "dist/frames") };
  }
  if (signerPublicKey === undefined || !/^04[0-9a-f]{128}$/.test(signerPublicKey)) {
    throw new Error(
      "--signer-public-key must be the signerPublicKey of the service's /.well-known/keyhearth.json: 04 and 128 lower-case hexadecimal digits",
    );
  }
  const parsed = ancestors === undefined ? undefined : parseAncestors(ancestors);
  if (parsed === undefined || out === undefined) {
    throw new Error(
      "name the origins of the pages that embed the frames in --ancestors=https://app.example, separated by commas, and a folder in --out",
    );
  }
  return { pinned: { signerPublicKey, ancestors: parsed }, out: resolve(out) };
}

if (import.meta.main) {
  try {
    const { pinned, out } = readPinned();
    await writeFrames(out, pinned);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}
