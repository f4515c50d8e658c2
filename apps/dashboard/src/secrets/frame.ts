import { IframeStamper } from "@keyhearth/sdk/stampers/iframe";

/** Opens a frame in the box, in the colours that are around it. */
export async function openFrame(
  name: "export" | "import",
  box: HTMLElement,
  {
    framesUrl,
    title,
    signal,
    hasPassphrase = false,
  }: { framesUrl: string; title: string; signal: AbortSignal; hasPassphrase?: boolean },
): Promise<IframeStamper> {
  const url = `${framesUrl.replace(/\/+$/, "")}/${name}`;
  const frame = new IframeStamper({ url, container: box, title, timeoutMs: 15_000 });
  await frame.init({ signal });
  // Both, so that the text can be read after somebody has chosen another theme.
  const { color, backgroundColor } = getComputedStyle(box);
  const styles = { color, backgroundColor, padding: "12px", fontSize: "16px", width: "100%" };
  await frame.applySettings({ styles, enablePassphrase: hasPassphrase }, { signal });
  return frame;
}
