import { expect, test } from "vitest";
import { markdownAddress } from "./address.ts";
import { readPage } from "./page.ts";

const markdownOf = (content: string) =>
  readPage(`<main><h1>Title</h1>${content}</main>`, (href) => href).markdown.replace(
    /^# Title\n\n?/,
    "",
  );

test("the file of a page has its path", () => {
  expect(markdownAddress("/", "/")).toBe("/index.md");
  expect(markdownAddress("/faq", "/")).toBe("/faq.md");
  expect(markdownAddress("/self-hosting/", "/")).toBe("/self-hosting.md");
  expect(markdownAddress("/es/", "/es/")).toBe("/es/index.md");
  expect(markdownAddress("/es/faq", "/es/")).toBe("/es/faq.md");
});

test("a page has a title, a description and its main content", () => {
  const page = readPage(
    '<head><meta name=description content="About it."></head><nav>Menu</nav><main><div class="theme-doc-markdown markdown"><header><h1>Wallets</h1></header><p>A wallet is a seed.</div><footer>Edit</footer></main>',
    (href) => href,
  );
  expect(page).toEqual({
    title: "Wallets",
    description: "About it.",
    isIndexed: true,
    markdown: "# Wallets\n\nA wallet is a seed.\n",
  });
});

test("a page that search engines must not show says so", () => {
  const html = '<head><meta name="robots" content="noindex"></head><main><h1>Old</h1></main>';
  expect(readPage(html, (href) => href).isIndexed).toBe(false);
});

test("the notice above a page that is not translated is left out", () => {
  const html =
    '<main><p class="alert alert--info">Esta página</p><div lang=en><h1>Old</h1></div></main>';
  expect(readPage(html, (href) => href).markdown).toBe("# Old\n");
});

test("every variant of a choice is below the name of its tab", () => {
  expect(
    markdownOf(
      '<div class="theme-tabs-container tabs-container x_1"><ul role=tablist class=tabs><li role=tab>TypeScript</li><li role=tab>curl</li></ul><div><div role=tabpanel><p>one</p></div><div role=tabpanel hidden><p>two</p></div></div></div>',
    ),
  ).toBe("**TypeScript**\n\none\n\n**curl**\n\ntwo\n");
});

test("a sample has its title, its language and its lines", () => {
  expect(
    markdownOf(
      '<div class="language-ts theme-code-block"><div class="codeBlockTitle_ab">a.ts</div><div><pre class="prism-code language-ts"><code><div class=token-line><span class="token keyword">const</span><span> a = [];</span><br></div><div class=token-line><span style="display:inline-block"></span><br></div><div class=token-line>  b(`x`);<br></div></code></pre><button>Copy</button></div></div>',
    ),
  ).toBe("**a.ts**\n\n```ts\nconst a = [];\n\n  b(`x`);\n```\n");
});

test("boxes to tick are a list of tasks, and other controls are left out with their labels", () => {
  const item = (words: string) =>
    `<div class=item_x><input id=a type=checkbox /><label for=a>${words}</label></div>`;
  expect(
    markdownOf(
      `<h2>Limits</h2>${item('Read <a href="/limits">them</a>.')}${item("Plan.")}<h2>Find</h2><label for=b>Filter</label><input id=b>`,
    ),
  ).toBe("## Limits\n\n- [ ] Read [them](/limits).\n- [ ] Plan.\n\n## Find\n");
});

test("an admonition is a quote with its name", () => {
  expect(
    markdownOf(
      '<div class="theme-admonition theme-admonition-warning"><div class="admonitionHeading_x"><span><svg><path d="M0"/></svg></span>warning</div><div class="admonitionContent_x"><p>Careful.</p></div></div>',
    ),
  ).toBe("> **Warning**\n>\n> Careful.\n");
});

test("details to open are open, with the theme's class of a notice, and a notice is not there", () => {
  expect(
    markdownOf(
      '<details class="alert alert--info"><summary>The event</summary><div><pre><code class="language-json">{}</code></pre></div></details><div class="alert">Not translated.</div>',
    ),
  ).toBe("**The event**\n\n```json\n{}\n```\n");
});

test("a heading that opens its part is a heading, and details without content are not there", () => {
  expect(
    markdownOf(
      "<h2><button aria-expanded=true>Wallets<span>10 operations</span></button></h2><p>Keys.</p><details><summary>Examples</summary></details>",
    ),
  ).toBe("## Wallets\n\nKeys.\n");
});

test("a table has its caption, and what a cell lists is on one line", () => {
  expect(
    markdownOf(
      "<table><caption>Request</caption><thead><tr><th>Field<th>Meaning<tbody><tr><th><code class=a>kind</code><span class=b>string</span><td>Which one.<span><code>A</code><code>B</code></span><tr><td>x<td><ul><li>one</li><li>two</li></ul></table>",
    ),
  ).toBe(
    "**Request**\n\n| Field | Meaning |\n| - | - |\n| `kind` string | Which one. `A`, `B` |\n| x | one; two |\n",
  );
});

test("a drawing is its words, and an ornament is nothing", () => {
  expect(
    markdownOf(
      '<figure role=img aria-label="A sends to B."><svg aria-hidden=true><text>A</text></svg></figure><p>Text<svg><path d="M0"/></svg></p><svg><title>Two parts.</title></svg>',
    ),
  ).toBe("*Diagram:* A sends to B.\n\nText\n\n*Diagram:* Two parts.\n");
});

test("a name in code stays in one piece, and terms are on one line with their meaning", () => {
  expect(
    markdownOf(
      "<p><code>create_<wbr>wallet</code> works.</p><dl><div><dt>type<dd><code>A</code></div></dl>",
    ),
  ).toBe("`create_wallet` works.\n\n- type: `A`\n");
});

test("links lead where the site says, and a heading doesn't link to itself", () => {
  const { markdown } = readPage(
    '<main><h1>T</h1><h2><a href="#x">Part</a><a class=hash-link href="#x">\u200b</a></h2><p><a href="/faq#a">FAQ</a></p></main>',
    (href) => href.replace("/faq", "/faq.md"),
  );
  expect(markdown).toBe("# T\n\n## Part\n\n[FAQ](/faq.md#a)\n");
});

test("a page without main content is a mistake", () => {
  expect(() => readPage("<p>nothing</p>", (href) => href)).toThrow("no main content");
});
