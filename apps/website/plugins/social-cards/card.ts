import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { Resvg } from "@resvg/resvg-js";
import satori from "satori";
import sharp from "sharp";
import subsetFont from "subset-font";

export type Card = { title: string; section: string };

const width = 1200;
const height = 630;

/** Makes the PNG of one card. */
export type Draw = (card: Card) => Promise<Uint8Array>;

const colors = {
  paper: "#fafaf8",
  ink: "#15191a",
  soft: "#434a49",
  ember: "#a83806",
  line: "#dcded7",
};

type Node = { type: string; props: Record<string, unknown> };

const box = (style: Record<string, unknown>, children: (Node | string)[]): Node => ({
  type: "div",
  props: { style: { display: "flex", ...style }, children },
});

/** Loads the typefaces once. They must have every character of the texts. */
export async function loadDraw(siteDir: string, logoFile: string, texts: string): Promise<Draw> {
  const logo = `data:image/svg+xml;base64,${(await readFile(logoFile)).toString("base64")}`;
  const characters = [...new Set(texts)].join("");
  const [heading, body] = await Promise.all([
    staticFont(siteDir, "bricolage-grotesque", 650, characters),
    staticFont(siteDir, "inter", 500, characters),
  ]);
  const fonts = [
    { name: "Bricolage Grotesque", data: heading, weight: 600, style: "normal" },
    { name: "Inter", data: body, weight: 500, style: "normal" },
  ] as const;
  return async (card) => {
    // The library's types ask for an element of React, but it accepts any object of this form.
    const drawing = layout(card, logo) as unknown as Parameters<typeof satori>[0];
    const svg = await satori(drawing, { width, height, fonts: [...fonts] });
    const png = new Resvg(svg, { font: { loadSystemFonts: false } }).render().asPng();
    // Few colours are enough for letters on paper, and make a third of the bytes.
    return sharp(png).png({ palette: true, colours: 64, dither: 0, effort: 10 }).toBuffer();
  };
}

/** Our typefaces are variable and compressed for the web. The drawing needs one plain weight. */
async function staticFont(
  siteDir: string,
  name: string,
  weight: number,
  characters: string,
): Promise<Buffer> {
  const file = createRequire(path.join(siteDir, "package.json")).resolve(
    `@fontsource-variable/${name}/files/${name}-latin-wght-normal.woff2`,
  );
  return subsetFont(await readFile(file), characters, {
    targetFormat: "truetype",
    variationAxes: { wght: weight },
  });
}

function layout({ title, section }: Card, logo: string): Node {
  const size = title.length > 44 ? 68 : title.length > 26 ? 82 : 96;
  return box(
    {
      boxSizing: "border-box",
      width: "100%",
      height: "100%",
      flexDirection: "column",
      justifyContent: "space-between",
      padding: "72px 80px",
      backgroundColor: colors.paper,
      borderBottom: `14px solid ${colors.ember}`,
      color: colors.ink,
      fontFamily: "Inter",
    },
    [
      box({ alignItems: "center", gap: 22 }, [
        { type: "img", props: { src: logo, width: 68, height: 68 } },
        box({ fontFamily: "Bricolage Grotesque", fontSize: 44 }, ["Keyhearth"]),
      ]),
      box({ flexDirection: "column", gap: 20 }, [
        box({ fontSize: 32, color: colors.ember }, [section]),
        box(
          {
            fontFamily: "Bricolage Grotesque",
            fontSize: size,
            lineHeight: 1.06,
            letterSpacing: "-0.02em",
          },
          [title],
        ),
      ]),
    ],
  );
}
