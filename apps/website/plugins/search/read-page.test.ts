import { expect, test } from "vitest";
import { readPage } from "./read-page.ts";

const page = (main: string, head = "", around = (html: string) => html) =>
  `<html lang=en><head>${head}</head><body><nav class=navbar>Menu</nav><main>${around(
    `<div class="theme-doc-markdown">${main}</div>`,
  )}</main></body></html>`;

const sectionsOf = (main: string) => readPage(page(main), "en")?.sections;

test("headings begin sections, and keep their anchors and levels", () => {
  expect(
    sectionsOf(
      "<h1>Wallets</h1><p>A <code>wallet</code> is a <b>se</b>ed.<h2 id=create>Create<a class=hash-link href=#create>#</a></h2><p>One.</p><p>Two.<h3 id=deep>Deep</h3>",
    ),
  ).toEqual([
    ["", 1, "Wallets", "A wallet is a seed."],
    ["create", 2, "Create", "One.\nTwo."],
    ["deep", 3, "Deep", ""],
  ]);
});

test("paragraphs, items and rows are lines, and cells are apart", () => {
  const table =
    "<table><thead><tr><th>What</th><th>When</th></tr></thead><tbody><tr><td>A <b>key</b></td><td>now\n and\nthen</td></tr></tbody></table>";
  expect(
    sectionsOf(`<h1>T</h1><p>A long\nline.</p><ul><li>One</li><li><p>Two</p></li></ul>${table}`),
  ).toEqual([["", 1, "T", "A long line.\nOne\nTwo\nWhat\tWhen\nA key\tnow and then"]]);
});

test("an element that a heading or a link to it names begins one too", () => {
  const operation =
    "<section id=create_wallet aria-labelledby=t><h3 id=t><a href=#create_wallet>Create wallet</a></h3><p>Text</section>";
  const error =
    "<div id=stamp-invalid><a href=#stamp-invalid><code>STAMP_<wbr>INVALID</code></a><p>Why</div>";
  const question =
    '<details id=q><summary><h3>Why?</h3></summary><p>So.</p><a href="#q">Link to this answer</a></details>';
  expect(
    sectionsOf(
      `<h1>T</h1><h2 id=two>Two</h2>${operation}${error}${error.replaceAll("stamp-", "next-")}${question}`,
    ),
  ).toEqual([
    ["", 1, "T", ""],
    ["two", 2, "Two", ""],
    ["create_wallet", 3, "Create wallet", "Text"],
    ["stamp-invalid", 4, "STAMP_INVALID", "Why"],
    ["next-invalid", 4, "STAMP_INVALID", "Why"],
    ["q", 3, "Why?", "So."],
  ]);
});

test("samples, controls, drawings and notices are left out, and warnings are not", () => {
  const left =
    "<pre>code</pre><button>Copy</button><svg><title>x</title></svg><p class='alert'>Notice</p><footer class=theme-doc-footer>Edit</footer>";
  const warning = "<div class='theme-admonition alert alert--warning'><p>Careful</div>";
  expect(sectionsOf(`<h1>T</h1>${left}${warning}`)).toEqual([["", 1, "T", "Careful"]]);
});

test("the tag, the category, the robots and the language of a page are read", () => {
  const crumbs =
    "<nav><a class=breadcrumbs__link href=/ ><svg></svg></a><span class=breadcrumbs__link>Concepts</span></nav>";
  const head =
    "<meta name=docusaurus_tag content=docs-default-current><meta name=robots content=noindex>";
  const built = page("<h1>T</h1>", head, (html) => `${crumbs}<div lang=en>${html}</div>`);
  expect(readPage(built, "es")).toMatchObject({
    tag: "docs-default-current",
    category: "Concepts",
    isHidden: true,
    isTranslated: false,
  });
  expect(readPage(built, "en")).toMatchObject({ isTranslated: true });
  expect(readPage(page("<h1>T</h1>"), "en")).toMatchObject({ tag: "default", isHidden: false });
});

test("a page that only leads to another has no records", () => {
  expect(
    readPage("<html><head><meta http-equiv=refresh content=0></head></html>", "en"),
  ).toBeNull();
});
