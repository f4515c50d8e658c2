import type { SessionKeeper } from "../browser/session-keeper.ts";
import { serviceAddress } from "../connection/service-address.ts";
import { IframeStamper } from "../stampers/iframe.ts";

// The frames of exports and imports, in the colours of the kit around them.

/** Opens a frame in the box, and gives it the colours that the box has. */
export async function openFrame(
  name: "export" | "import",
  box: HTMLElement,
  { framesUrl, keeper, title }: { framesUrl?: string; keeper: SessionKeeper; title: string },
  signal: AbortSignal,
): Promise<IframeStamper> {
  const frames = framesUrl ?? `${serviceAddress(keeper.options.baseUrl)}/frames`;
  const url = `${frames.replace(/\/+$/, "")}/${name}`;
  const frame = new IframeStamper({ url, container: box, title, timeoutMs: 15_000 });
  await frame.init({ signal });
  await frame.applySettings({ styles: stylesOf(box) }, { signal });
  return frame;
}

/** As the frames take them: plain colours and lengths. */
function stylesOf(box: HTMLElement): Record<string, string> {
  const own = getComputedStyle(box);
  const around = getComputedStyle(box.closest(".keyhearth") ?? box);
  return {
    color: colour(own.color),
    backgroundColor: colour(around.backgroundColor),
    fontSize: "16px",
    width: "100%",
  };
}

/** A colour in the form that the frames take, also if the theme wrote it in another one. */
function colour(css: string): string {
  const canvas = document.createElement("canvas");
  canvas.width = 1;
  canvas.height = 1;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) return "inherit";
  context.fillStyle = css;
  context.fillRect(0, 0, 1, 1);
  const [r = 0, g = 0, b = 0, a = 255] = context.getImageData(0, 0, 1, 1).data;
  return a === 0 ? "transparent" : `rgb(${r}, ${g}, ${b})`;
}
