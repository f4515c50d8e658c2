import type { Service } from "../session/service.ts";

/**
 * Where secrets are shown and entered: in a frame of another origin, which this page cannot read, or in the page itself. A frame
 * of the page's own origin would protect nothing. Without the signer's key, the page cannot know whose bundles it opens.
 */
export type SecretPlace =
  | { kind: "frame"; framesUrl: string }
  | { kind: "page"; signerPublicKey: string }
  | { kind: "nowhere" };

export function placeOf({ framesUrl, signerPublicKey }: Service): SecretPlace {
  if (framesUrl !== undefined && new URL(framesUrl).origin !== location.origin) {
    return { kind: "frame", framesUrl };
  }
  return signerPublicKey === undefined ? { kind: "nowhere" } : { kind: "page", signerPublicKey };
}
