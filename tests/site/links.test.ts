import { expect, test } from "vitest";
import { builtPages, isInSiteBuild, siteBuild } from "../../scripts/audit/built-pages.ts";
import { checkLinks } from "../../scripts/audit/links.ts";

// The links of every page of the built site.

const pages = builtPages(siteBuild);

test("every link leads to a page or file, and to an anchor that is there", () => {
  expect(checkLinks(pages, isInSiteBuild).broken).toEqual([]);
});

test("a link to nothing and an anchor that is not there are noticed", () => {
  const page =
    '<a href="/b#here">b</a><a href=/b#there>b</a><a href="/c?x=1">c</a><a href="/f.txt">f</a>';
  const { broken, external } = checkLinks(
    [
      { path: "/a", html: `${page}<a href="https://example.com/">e</a>` },
      { path: "/b", html: '<h2 id="here">b</h2><script>"<a href=/script>"</script>' },
    ],
    (path) => path === "/f.txt",
  );
  expect(broken).toEqual([
    "/a: /b#there names an anchor that is not there",
    "/a: /c?x=1 leads nowhere",
  ]);
  expect(external).toEqual(["https://example.com/"]);
});
