import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { type SharedProduct, sharedProduct } from "../start/shared.ts";

// The errors page lists which methods each path takes. The running service is asked with every method.

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

const page = read("apps/website/docs/developer-reference/api-overview/errors.mdx");
const rows = [...page.matchAll(/^\| (`\/.*) \| `([A-Z, ]+)` \|$/gm)].flatMap(
  ([, cell = "", allow = ""]) => {
    const paths = [...cell.matchAll(/`(\/[^`]*)`/g)].map(([, path = ""]) => path);
    return [...paths, ...(cell.includes("every page of this site") ? ["/"] : [])].map(
      (path) => [path, allow] as const,
    );
  },
);

let product: SharedProduct;

beforeAll(async () => {
  product = await sharedProduct();
});

test("the page has every path that the service routes", () => {
  const routed = [...read("apps/api/src/app.ts").matchAll(/"(\/[^"]*)"/g)]
    .map(([, path = ""]) => path.replace(/:name$|\*$/, "…"))
    // One of the path itself and one of all below it.
    .filter((path, _, all) => !all.includes(`${path}/…`))
    // Refuses what the others of the API leave.
    .filter((path) => !/^\/public\/…?$/.test(path));
  expect(rows.map(([path]) => path).sort()).toEqual([...new Set([...routed, "/"])].sort());
});

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

test.each(rows)("%s takes %s, and refuses the others with this list", async (path, allow) => {
  for (const method of methods) {
    const response = await ask(path, method);
    if (allow.split(", ").includes(method)) expect([method, response.status]).not.toContain(405);
    else {
      expect([method, response.status, response.headers.get("allow")]).toEqual([
        method,
        405,
        allow,
      ]);
      if (method !== "HEAD") {
        expect(await response.json()).toMatchObject({ details: [{ code: "METHOD_NOT_ALLOWED" }] });
      }
    }
  }
});

function ask(path: string, method: string): Promise<Response> {
  const name = path.includes("/submit/")
    ? "create_wallet"
    : path.includes("/query/")
      ? "whoami"
      : path.startsWith("/proxy/")
        ? "account"
        : "";
  // An operator's program is asked for the token that the start of the service wrote.
  const directory = dirname(product.environment.KEYHEARTH_ROOT_KEY);
  const { token } = JSON.parse(readFileSync(join(directory, "feedback-access"), "utf8"));
  // Feedback of a page that nobody has is neither shown nor deleted.
  const query = path === "/feedback/answers" ? "?page=/none" : "";
  return fetch(`${product.url}${path.replace("…", name)}${query}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
  });
}
