import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { publicScreens } from "../../apps/dashboard/src/app/public-screens.ts";

const folder = fileURLToPath(new URL("../../dist/dashboard/", import.meta.url));
const read = (name: string) => readFileSync(folder + name, "utf8");
const sizeOf = (name: string) => gzipSync(read(name), { level: 9 }).length;
const scripts = readdirSync(`${folder}assets`)
  .filter((name) => name.endsWith(".js"))
  .map((name) => `assets/${name}`);
const html = read("index.html");

/** What a script imports before it runs, and what those import. */
function withImports(name: string, known = new Set<string>()): Set<string> {
  if (known.has(name)) return known;
  known.add(name);
  for (const [, other = ""] of read(name).matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g))
    withImports(`assets/${other}`, known);
  return known;
}

/** The files that the page loads at once, and those that its first script adds for a view. */
function loadedFor(...views: string[]): Set<string> {
  const links = html.matchAll(/(?:src|href)="\/dashboard\/([^"]+\.js)"/g);
  const added = views.flatMap((view) => {
    const [, names = ""] = new RegExp(`data-${view}="([^"]+)"`).exec(html) ?? [];
    expect([view, names]).not.toEqual([view, ""]);
    return names.split(" ");
  });
  const loaded = new Set<string>();
  for (const name of [...[...links].map(([, name = ""]) => name), ...added])
    withImports(name, loaded);
  return loaded;
}

const login = loadedFor("login");
const overview = loadedFor("inside", "overview");
const bytesOf = (names: Iterable<string>) =>
  [...names].reduce((sum, name) => sum + sizeOf(name), 0);

test("before the login or the overview is there, less than 200 KB of script after gzip is loaded", () => {
  expect(login.size).toBeGreaterThan(4);
  expect(bytesOf(login)).toBeLessThan(170_000);
  expect(bytesOf(overview)).toBeLessThan(200_000);
});

test("every later part is below 60 KB", () => {
  const later = scripts.filter((name) => !login.has(name) && !overview.has(name));
  expect(later.length).toBeGreaterThan(20);
  expect(later.filter((name) => sizeOf(name) >= 60_000)).toEqual([]);
});

test("before anything is painted, only the style sheet and two small scripts are needed", () => {
  const own = [...html.matchAll(/<script[^>]* src="\/dashboard\/([^"]+)"/g)].map(
    ([, name = ""]) => name,
  );
  expect(own).toHaveLength(2);
  expect(bytesOf(own.flatMap((name) => [...withImports(name)]))).toBeLessThan(4000);
  // Everything else comes after the style sheet.
  const preloaded = [...html.matchAll(/<link rel="(?:module)?preload"[^>]*>/g)].map(([tag]) => tag);
  const urgent = preloaded.filter((tag) => !tag.includes('fetchpriority="low"'));
  expect(urgent.every((tag) => tag.includes("preload-helper"))).toBe(true);
});

test("the page's first script knows which screens anybody may open", () => {
  const [, known = ""] = /data-public="([^"]*)"/.exec(html) ?? [];
  expect(known.split(" ")).toEqual(publicScreens.map(({ path }) => path.slice(1)));
});

test("the first views are what the components render, and have nothing that the page's policy refuses", () => {
  const [, body = ""] = /<body>(.*)<\/body>/s.exec(html) ?? [];
  for (const shown of [">Log in</h1>", "Log in with a passkey", "Loading the dashboard…"])
    expect(body).toContain(shown);
  for (const place of ['id="root" inert', 'class="first first-front" inert'])
    expect(body).toContain(place);
  expect(body).toContain('class="first first-shell" inert');
  expect(body).not.toMatch(/<(script|style)|<[^>]+\s(style|on\w+)=/);
});
