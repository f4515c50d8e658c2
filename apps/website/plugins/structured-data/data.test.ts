import { expect, test } from "vitest";
import { articleData, faqData, homeData, insertData } from "./data.ts";

const site = {
  title: "Keyhearth",
  summary: "Keys.",
  url: "https://docs.example.com/",
  repository: "https://example.com/repo",
};

test("the questions of a page have the text below them as their answers", () => {
  const html =
    '<main><div class="theme-doc-markdown markdown"><header><h1>FAQ</h1></header><h2>Limits</h2><h3>How <code>many</code>?<a class=hash-link href="#a">\u200b</a></h3><p>Ten.</p><ul><li>Or more</li></ul><h3>Why?</h3><p>So.</p><h2>More</h2><p>Not an answer.</p></div></main>';
  expect(faqData(html).mainEntity).toEqual([
    {
      "@type": "Question",
      name: "How many?",
      acceptedAnswer: { "@type": "Answer", text: "Ten.\nOr more" },
    },
    { "@type": "Question", name: "Why?", acceptedAnswer: { "@type": "Answer", text: "So." } },
  ]);
});

test("questions that unfold have what is below their summary as their answers", () => {
  const html =
    '<main><div class="theme-doc-markdown markdown"><h2>Limits</h2><details id=a><summary><h3>How many?</h3></summary><p>Ten.</p><p>Or more.</p><a href="#a">Link to this answer</a></details><details id=b><summary><h3>Why?</h3></summary><p>So.</p></details></div></main>';
  expect(faqData(html).mainEntity).toEqual([
    {
      "@type": "Question",
      name: "How many?",
      acceptedAnswer: { "@type": "Answer", text: "Ten.\nOr more." },
    },
    { "@type": "Question", name: "Why?", acceptedAnswer: { "@type": "Answer", text: "So." } },
  ]);
});

test("an article has its last change only if it is known", () => {
  const article = {
    title: "Wallets",
    description: "About them.",
    url: "https://docs.example.com/wallets",
    image: "https://docs.example.com/img/cards/wallets.png",
    language: "en",
    changedAt: Date.UTC(2026, 0, 2),
  };
  expect(articleData(article, site)).toMatchObject({
    "@type": "TechArticle",
    headline: "Wallets",
    dateModified: "2026-01-02",
  });
  expect(articleData({ ...article, changedAt: undefined }, site)).not.toHaveProperty(
    "dateModified",
  );
});

test("a text cannot end the script that it stands in", () => {
  const [data = homeData(site)[0]] = homeData({ ...site, summary: "a</script><b>" }).slice(1);
  const html = insertData("<head></head>", data ? [data] : []);
  expect(html.match(/<\/script>/g)).toHaveLength(1);
  const json = /<script[^>]*>(.*)<\/script>/.exec(html)?.[1] ?? "";
  expect(JSON.parse(json).description).toBe("a</script><b>");
});

test("a page without a head is a mistake", () => {
  expect(() => insertData("<p>", homeData(site))).toThrow("no head");
});
