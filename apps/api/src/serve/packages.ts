import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ApiError, shorten } from "@keyhearth/engine/errors";
import type { Context } from "hono";
import { cors, json } from "../http/answer.ts";
import { onlyReadable } from "../http/routes.ts";
import { once } from "../once.ts";
import type { Env } from "../wire/request.ts";
import { createFile } from "./site.ts";

/** What `packages.json` says about a tarball of npm. */
type Packed = { name: string; version: string; file: string; bytes: number; integrity: string };

type Packages = (c: Context<Env>) => Promise<Response>;

/**
 * Serves the npm packages of this release, so that a program installs the SDK that fits its service. `/packages/` lists
 * them with their digests. `directory` is missing where nothing was packed.
 */
export function createPackages(directory: string): Packages {
  const list = once(async () => {
    const packed = await readList(directory);
    return packed.map((each) => ({ ...each, answer: createFile(join(directory, each.file)) }));
  });
  return async (c) => {
    if (c.req.method !== "GET" && c.req.method !== "HEAD") throw onlyReadable(c);
    const packed = await list();
    const { path } = c.req;
    if (path === "/packages" || path === "/packages/") {
      const packages = packed.map(({ file, answer: _, ...rest }) => ({
        ...rest,
        path: `/packages/${file}`,
      }));
      return json(c, 200, { packages });
    }
    const found = packed.find(({ file }) => path === `/packages/${file}`);
    if (!found) throw noPackage(path, packed);
    const answer = await found.answer(c.req.raw);
    for (const [name, value] of Object.entries(cors)) answer.headers.set(name, value);
    // RFC 9530. npm writes the same digest into its lock file.
    answer.headers.set("repr-digest", `sha-512=:${found.integrity.replace("sha512-", "")}:`);
    return answer;
  };
}

async function readList(directory: string): Promise<Packed[]> {
  try {
    return JSON.parse(await readFile(join(directory, "packages.json"), "utf8")).packages;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new ApiError(
      "NOT_FOUND",
      "ROUTE_NOT_FOUND",
      "this service has no packages, because they were not packed; run npm run packages in its clone",
    );
  }
}

function noPackage(path: string, packed: Packed[]): ApiError {
  const files = packed.map(({ file }) => file).join(" and ");
  return new ApiError(
    "NOT_FOUND",
    "ROUTE_NOT_FOUND",
    `there is no package \`${shorten(path)}\`; /packages/ lists ${files}`,
  );
}
