import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import type { LoadContext, Plugin } from "@docusaurus/types";
import subsetFont from "subset-font";
import { charactersOf, rangeOf, within } from "./characters.ts";
import { missingCharacters } from "./pages.ts";

type Options = {
  /** A folder below the site that is also in `staticDirectories`. Only this plugin writes there. */
  outDir: string;
  /** Files and folders with the texts of pages, relative to the site. */
  texts: string[];
};

type Typeface = {
  package: string;
  file: string;
  family: string;
  weights: { min: number; max: number };
  features: string[];
};

type Face = { name: string; family: string; weights: string; range: string; isFirst: boolean };

/** Marks that combine, the forms of a language, and kerning. Code has neither kerning nor ligatures. */
const shaping = ["ccmp", "locl", "mark"];

/** The weights are those that our style sheets use. */
const typefaces: Typeface[] = [
  {
    package: "@fontsource-variable/inter",
    file: "inter",
    family: "Inter Variable",
    weights: { min: 400, max: 700 },
    features: [...shaping, "kern"],
  },
  {
    package: "@fontsource-variable/bricolage-grotesque",
    file: "bricolage-grotesque",
    family: "Bricolage Grotesque Variable",
    weights: { min: 600, max: 800 },
    features: [...shaping, "kern"],
  },
  {
    package: "@fontsource-variable/jetbrains-mono",
    file: "jetbrains-mono",
    family: "JetBrains Mono Variable",
    weights: { min: 400, max: 700 },
    features: shaping,
  },
];

const scripts = ["latin", "latin-ext"];

/**
 * Makes the fonts of the site: each typeface with the characters, weights and features that pages use,
 * which is a third of the whole file. Pages ask for them at once, but at low priority: they wait for
 * the style sheet, so they don't delay the first paint, and are there soon after it. Until then the
 * fallbacks in src/css/font-fallbacks.css take the same room.
 */
export default function fonts(context: LoadContext, options: Options): Plugin<Face[]> {
  const { siteDir, generatedFilesDir, baseUrl } = context;
  const outDir = path.join(siteDir, options.outDir);
  const texts = options.texts.map((each) => path.resolve(siteDir, each));
  return {
    name: "fonts",
    async loadContent() {
      return makeFaces(await charactersOf(texts), path.join(outDir, "assets/fonts"));
    },
    async contentLoaded({ content, actions }) {
      await actions.createData(
        "faces.css",
        content.map((face) => ruleOf(face, baseUrl)).join("\n"),
      );
    },
    getClientModules: () => [path.join(generatedFilesDir, "fonts/default/faces.css")],
    injectHtmlTags: ({ content }) => ({
      // In the body, so that the browser asks for the style sheet first.
      preBodyTags: content
        .filter(({ isFirst }) => isFirst)
        .map(({ name }) => ({
          tagName: "link",
          attributes: {
            rel: "preload",
            as: "font",
            type: "font/woff2",
            href: addressOf(name, baseUrl),
            crossorigin: "anonymous",
            fetchpriority: "low",
          },
        })),
    }),
    async postBuild({ content, outDir: built }) {
      const missing = await missingCharacters(
        built,
        content.map(({ range }) => range),
      );
      if (missing.length === 0) return;
      throw new Error(
        `pages show ${missing.join(" ")}, which our fonts would have: add the file that they come from to the option \`texts\` of plugins/fonts`,
      );
    },
  };
}

/** Empties the folder and writes one file for each typeface and script that has characters to show. */
async function makeFaces(characters: Set<string>, directory: string): Promise<Face[]> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  const faces = await Promise.all(
    typefaces.flatMap((typeface) =>
      scripts.map((script) => makeFace(typeface, script, characters, directory)),
    ),
  );
  return faces.filter((face) => face !== null);
}

async function makeFace(
  { package: from, file, family, weights, features }: Typeface,
  script: string,
  characters: Set<string>,
  directory: string,
): Promise<Face | null> {
  const require = createRequire(import.meta.url);
  // Each package of typefaces says in this file which characters are in which of its files.
  const ranges = require(`${from}/unicode.json`) as Record<string, string>;
  const shown = within(characters, ranges[script] ?? "");
  if (shown.length === 0) return null;
  const whole = await readFile(
    require.resolve(`${from}/files/${file}-${script}-wght-normal.woff2`),
  );
  const part = await subsetFont(whole, shown.join(""), {
    targetFormat: "woff2",
    variationAxes: { wght: weights },
    keepFeatures: features,
    noLayoutClosure: true,
    noHinting: true,
  });
  const hash = createHash("sha256").update(part).digest("hex").slice(0, 16);
  const name = `${file}-${script}.${hash}.woff2`;
  await writeFile(path.join(directory, name), part);
  return {
    name,
    family,
    weights: `${weights.min} ${weights.max}`,
    range: rangeOf(shown),
    isFirst: script === "latin",
  };
}

function addressOf(name: string, baseUrl: string): string {
  return `${baseUrl}assets/fonts/${name}`;
}

/** The bundler must leave the address as it is, or its name would differ from that of the preload. */
function ruleOf({ name, family, weights, range }: Face, baseUrl: string): string {
  return `@font-face {
  font-family: "${family}";
  font-style: normal;
  font-display: swap;
  font-weight: ${weights};
  src: /* webpackIgnore: true */ url("${addressOf(name, baseUrl)}") format("woff2");
  unicode-range: ${range};
}
`;
}
