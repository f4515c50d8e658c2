import { expect, test } from "vitest";
import { readPageStyles, withStyles } from "./page-styles.ts";
import { purge } from "./purge.ts";

const home = readPageStyles(
  "/assets/css/home.css",
  ".hero_a1{color:red}@media print{.hero_a1{color:#000}}",
);
const faq = readPageStyles("/assets/css/faq.css", ".question_b2>summary{font-weight:600}");
const copy = readPageStyles("/assets/css/copy.css", faq.css);
const page = (body: string) => `<html><head><title>t</title></head><body>${body}</body></html>`;

test("a page has the styles of its own classes, each once, by every address", () => {
  const html = withStyles(page('<div class="row question_b2">a $& b</div>'), [home, faq, copy]);
  expect(html).toBe(
    page('<div class="row question_b2">a $& b</div>').replace(
      "</head>",
      `<style data-href="/assets/css/faq.css">${faq.css}</style><style data-href="/assets/css/copy.css"></style></head>`,
    ),
  );
  expect(withStyles(html, [home, faq, copy])).toBe(html);
  expect(withStyles(page("<p class=hero_a1>"), [home])).toContain(home.css);
});

test("a sheet whose rules are in larger ones is there by its address alone", () => {
  const large = readPageStyles("/large.css", `${home.css}${faq.css}`);
  const turned = readPageStyles("/turned.css", `${faq.css}${home.css}`);
  const other = readPageStyles("/other.css", `${faq.css}@media print{.hero_a1{color:red}}`);
  const html = withStyles(page("<p class=hero_a1>"), [home, large, turned, other]);
  expect(html.match(/<style.*?<\/style>/g)).toEqual([
    '<style data-href="/assets/css/home.css"></style>',
    `<style data-href="/large.css">${large.css}</style>`,
    '<style data-href="/turned.css"></style>',
    `<style data-href="/other.css">${other.css}</style>`,
  ]);
});

test("the styles have the same place, whatever other edits of the page come first", () => {
  const link = '<link rel="stylesheet" href="/assets/css/styles.1.css">';
  const description = '<script type="application/ld+json">{}</script>';
  const built = `<html><head>${link}<script></script></head><body class=hero_a1></body></html>`;
  const describe = (html: string) => html.replace("</head>", `${description}</head>`);
  const expected = describe(built).replace(
    link,
    `${link}<style data-href="/assets/css/home.css">${home.css}</style>`,
  );
  expect(withStyles(describe(built), [home])).toBe(expected);
  expect(describe(withStyles(built, [home]))).toBe(expected);
});

test("a page without such classes stays as it is", () => {
  const plain = page("<p>hero_a1 class of nothing</p>");
  expect(withStyles(plain, [home, faq])).toBe(plain);
});

test("the sheet keeps what scripts, other sheets and attributes use", async () => {
  const css = [
    ":root{--used:1px;--by-script:2px;--by-sheet:3px;--unused:4px}",
    ".shown{width:var(--used)}",
    ".avatar{color:red}",
    "html[data-theme=dark] .shown{color:#fff}",
    "html[data-closed=true] .bar{display:none}",
    ".theme-doc-sidebar-item-category-level-1>.shown{color:blue}",
  ].join("");
  const script = 'h("div",{className:"shown bar",style:{width:"var(--by-script)"}})';
  const purged = await purge(css, [script], [".own{width:var(--by-sheet)}"]);
  for (const kept of [
    "--used",
    "--by-script",
    "--by-sheet",
    "data-theme",
    "data-closed",
    "level-1",
  ]) {
    expect(purged).toContain(kept);
  }
  expect(purged).not.toContain("--unused");
  expect(purged).not.toContain("avatar");
});
