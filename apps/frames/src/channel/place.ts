// Where this page is, and what the one that serves it says.

/** What the server or the build has written into the page, never the embedding page. */
export function metaOf(name: "signer-public-key" | "frame-ancestors"): string {
  const meta = document.querySelector<HTMLMetaElement>(`meta[name="keyhearth-${name}"]`);
  return meta?.content ?? "";
}

export function isAlone(): boolean {
  return window.parent === window;
}

/** Why nothing may be done here, whoever asks. Undefined if something may. */
export function obstacleOf(): string | undefined {
  if (window.parent !== window.top) {
    return "this frame is inside of another frame; embed it in the page that the browser shows in its address bar";
  }
  if (!globalThis.crypto?.subtle) {
    return "this page has no WebCrypto, which holds the keys; serve the page that embeds it over https or from localhost";
  }
  if (!/^04[0-9a-f]{128}$/.test(metaOf("signer-public-key"))) {
    return "this frame was built without the public key of a signer; build it again with --signer-public-key, or use the frames of the service";
  }
  return undefined;
}

/** Why the page of this origin may not use the frame. Hosts of plain files may forget the header that says the same. */
export function originObstacleOf(origin: string): string | undefined {
  if (isAllowed(origin, metaOf("frame-ancestors"))) return undefined;
  return "the page that embeds this frame is not one of those that may; the operator lists its origin in KEYHEARTH_FRAME_ANCESTORS";
}

/** `allowed` is what the header's `frame-ancestors` has: origins, of which those of this machine may have any port. */
export function isAllowed(origin: string, allowed: string): boolean {
  return allowed
    .split(" ")
    .some((each) =>
      each.endsWith(":*")
        ? origin.replace(/:\d{1,5}$/, "") === each.slice(0, -2)
        : each === origin && each !== "",
    );
}
