import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { assetHeaders, pageHeaders, returnedHeaders } from "@keyhearth/dashboard/headers";
import { ApiError, shorten } from "@keyhearth/engine/errors";
import type { Context } from "hono";
import { onlyReadable } from "../http/routes.ts";
import { once } from "../once.ts";
import type { Env } from "../wire/request.ts";
import { answerWithFile, type HeldFile, holdFile } from "./held-file.ts";

export type Dashboard = (c: Context<Env>) => Promise<Response>;

const PAGE = "index.html";
/** Providers send people back to it. */
const RETURNED = "returned.html";

/**
 * Serves the dashboard (decision 28). Each path below `/dashboard` that does not name a file is one of its screens, and all
 * screens are the same page. `directory` is missing where it was not built.
 */
export function createDashboard({ directory }: { directory: string }): Dashboard {
  const load = once(async () => readFiles(directory));
  const headersOfPage = pageHeaders();

  return async (c) => {
    if (c.req.method !== "GET" && c.req.method !== "HEAD") throw onlyReadable(c);
    const files = await load();
    const name = c.req.path.replace(/^\/dashboard\/?/, "");
    const file = files.get(name);
    if (file && name !== PAGE) {
      const headers =
        name === RETURNED ? returnedHeaders() : assetHeaders({ isHashed: isAsset(name) });
      return answerWithFile(c, file, headers);
    }
    // A page instead of a script would say nothing about what is missing.
    if (isAsset(name) || (/\.[a-z0-9]+$/i.test(name) && name !== PAGE)) throw noFile(c.req.path);
    const page = files.get(PAGE);
    if (!page) throw notBuilt();
    return answerWithFile(c, page, headersOfPage);
  };
}

function isAsset(name: string): boolean {
  return name.startsWith("assets/");
}

async function readFiles(directory: string): Promise<Map<string, HeldFile>> {
  const entries = await listFiles(directory);
  const files = entries.filter((entry) => entry.isFile());
  return new Map(
    await Promise.all(
      files.map(async ({ parentPath, name }) => {
        const path = join(parentPath, name);
        const relative = path.slice(directory.length).replaceAll("\\", "/").replace(/^\//, "");
        return [relative, holdFile(name, await readFile(path))] as const;
      }),
    ),
  );
}

async function listFiles(directory: string) {
  try {
    return await readdir(directory, { recursive: true, withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw notBuilt();
  }
}

function notBuilt(): ApiError {
  return new ApiError(
    "NOT_FOUND",
    "ROUTE_NOT_FOUND",
    "this service has no dashboard, because it was not built; run npm run build -w @keyhearth/dashboard in its clone",
  );
}

function noFile(path: string): ApiError {
  return new ApiError(
    "NOT_FOUND",
    "ROUTE_NOT_FOUND",
    `the dashboard has no file \`${shorten(path)}\`; after an upgrade, reload the page that asks for it`,
  );
}
