import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { ApiError, shorten } from "@keyhearth/engine/errors";
import { assetHeaders, pageHeaders } from "@keyhearth/frames/headers";
import type { Context } from "hono";
import { onlyReadable } from "../http/routes.ts";
import { once } from "../once.ts";
import type { Env } from "../wire/request.ts";
import { answerWithFile, type HeldFile, holdFile } from "./held-file.ts";

export type Frames = (c: Context<Env>) => Promise<Response>;

type FrameFile = HeldFile & { isPage: boolean };

/**
 * Serves the pages that hold keys for the pages that embed them (decision 25). Each is pinned to this service's signer, and
 * says who may embed it. `directory` is missing where they were not built.
 */
export function createFrames({
  directory,
  signerPublicKey,
  ancestors,
}: {
  directory: string;
  signerPublicKey: string;
  /** Origins separated by spaces. Null if nobody may embed them. */
  ancestors: string | null;
}): Frames {
  const load = once(async () => {
    const names = await listFiles(directory);
    const files = await Promise.all(
      names.map(async (name) => {
        const bytes = await readFile(join(directory, name));
        const content = name.endsWith(".html")
          ? Buffer.from(
              pin(bytes.toString("utf8"), { signerPublicKey, ancestors: ancestors ?? "" }),
            )
          : bytes;
        const isPage = name.endsWith(".html");
        return [pathOf(name), { isPage, ...holdFile(name, content) }] as const;
      }),
    );
    return new Map(files);
  });
  const headersOfPage = {
    ...pageHeaders(ancestors ?? "'none'"),
    ...(ancestors === null && { "X-Frame-Options": "DENY" }),
  };

  return async (c) => {
    if (c.req.method !== "GET" && c.req.method !== "HEAD") throw onlyReadable(c);
    const files = await load();
    const file = files.get(c.req.path);
    if (!file) throw noFrame(c.req.path, files);
    return answerWithFile(c, file, file.isPage ? headersOfPage : assetHeaders);
  };
}

async function listFiles(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new ApiError(
      "NOT_FOUND",
      "ROUTE_NOT_FOUND",
      "this service has no frames, because they were not built; run npm run build -w @keyhearth/frames in its clone",
    );
  }
}

function pathOf(name: string): string {
  return `/frames/${name.replace(/\.html$/, "")}`;
}

/** Neither value has a character that HTML escapes. */
function pin(
  html: string,
  { signerPublicKey, ancestors }: { signerPublicKey: string; ancestors: string },
): string {
  return html
    .replace('signer-public-key" content=""', `signer-public-key" content="${signerPublicKey}"`)
    .replace('frame-ancestors" content=""', `frame-ancestors" content="${ancestors}"`);
}

function noFrame(path: string, files: ReadonlyMap<string, FrameFile>): ApiError {
  const pages = [...files].filter(([, { isPage }]) => isPage).map(([each]) => each);
  return new ApiError(
    "NOT_FOUND",
    "ROUTE_NOT_FOUND",
    `there is no frame \`${shorten(path)}\`; there are ${pages.toSorted().join(", ")}`,
  );
}
