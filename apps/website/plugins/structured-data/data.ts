import type { Element, Root } from "hast";
import rehypeParse from "rehype-parse";
import { unified } from "unified";
import { attribute, findElement, hasClass, textOf } from "../markdown-pages/tree.ts";

/** A description of a page for search engines, in the words of schema.org. */
export type Data = { "@context": "https://schema.org"; "@type": string } & Record<string, unknown>;

export type Site = { title: string; summary: string; url: string; repository: string };

export type Article = {
  title: string;
  description: string;
  url: string;
  image: string;
  language: string;
  /** When it last changed, in milliseconds. */
  changedAt: number | undefined;
};

const context = { "@context": "https://schema.org" } as const;

export function homeData({ title, summary, url, repository }: Site): Data[] {
  const organization = { "@type": "Organization", name: title, url, sameAs: [repository] };
  return [
    { ...context, ...organization, logo: new URL("img/logo.svg", url).href },
    { ...context, "@type": "WebSite", name: title, url, description: summary },
  ];
}

export function articleData(article: Article, { title, url }: Site): Data {
  const { changedAt } = article;
  return {
    ...context,
    "@type": "TechArticle",
    headline: article.title,
    description: article.description,
    url: article.url,
    mainEntityOfPage: article.url,
    image: article.image,
    inLanguage: article.language,
    ...(changedAt !== undefined && {
      dateModified: new Date(changedAt).toISOString().slice(0, 10),
    }),
    isPartOf: { "@type": "WebSite", name: title, url },
    publisher: { "@type": "Organization", name: title, url },
  };
}

/**
 * The questions of a built page, and their answers: its headings of the third level, or what unfolds
 * below a summary.
 */
export function faqData(html: string): Data {
  const root: Root = unified().use(rehypeParse).parse(html);
  const content = findElement(root, (each) => hasClass(each, "theme-doc-markdown"));
  const parts = (content?.children ?? []).filter(
    (each): each is Element => each.type === "element",
  );
  const questions: { name: string; answer: string[] }[] = [];
  let isAnswer = false;
  for (const part of parts) {
    if (part.tagName === "details") questions.push(unfold(part));
    const isHeading = /^h[1-6]$|^header$/.test(part.tagName);
    if (part.tagName === "h3") questions.push({ name: wordsOf(part), answer: [] });
    isAnswer = isHeading ? part.tagName === "h3" : isAnswer;
    if (isAnswer && !isHeading && part.tagName !== "details")
      questions.at(-1)?.answer.push(wordsOf(part));
  }
  return {
    ...context,
    "@type": "FAQPage",
    mainEntity: questions.map(({ name, answer }) => ({
      "@type": "Question",
      name,
      acceptedAnswer: { "@type": "Answer", text: answer.join("\n") },
    })),
  };
}

function unfold({ children }: Element): { name: string; answer: string[] } {
  const parts = children.filter((each): each is Element => each.type === "element");
  const name = parts.filter(({ tagName }) => tagName === "summary").map(wordsOf);
  // The link to the answer itself comes after its paragraphs.
  const answer = parts.filter(({ tagName }) => tagName !== "summary" && tagName !== "a");
  return { name: name.join(), answer: answer.map(wordsOf) };
}

function wordsOf(part: Element): string {
  const link = findElement(part, (each) => hasClass(each, "hash-link"));
  const words = link && attribute(link, "href") ? withoutChild(part, link) : part;
  return textOf(words)
    .replace(/\u200b/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

function withoutChild(part: Element, child: Element): Element {
  return { ...part, children: part.children.filter((each) => each !== child) };
}

/** Puts the descriptions at the end of the page's head. */
export function insertData(html: string, data: Data[]): string {
  const scripts = data.map((each) => {
    // A text that ends the script must not end it here.
    const json = JSON.stringify(each).replace(/</g, "\\u003c");
    return `<script type="application/ld+json">${json}</script>`;
  });
  const end = html.indexOf("</head>");
  if (end < 0) throw new Error("the page has no head");
  return html.slice(0, end) + scripts.join("") + html.slice(end);
}
