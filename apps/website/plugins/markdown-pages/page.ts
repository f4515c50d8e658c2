import type { Element, Root } from "hast";
import rehypeParse from "rehype-parse";
import rehypeRemark from "rehype-remark";
import remarkGfm from "remark-gfm";
import remarkStringify from "remark-stringify";
import { unified } from "unified";
import { simplify, type ToAddress } from "./simplify.ts";
import { attribute, findElement, hasClass, replaceElements, text, textOf } from "./tree.ts";

export type BuiltPage = {
  title: string;
  description: string;
  markdown: string;
  /** Whether search engines may show it. */
  isIndexed: boolean;
};

const parser = unified().use(rehypeParse);
const writer = unified()
  .use(rehypeRemark, { newlines: false })
  .use(remarkGfm, { tablePipeAlign: false })
  .use(remarkStringify, { bullet: "-", fences: true, rule: "-", incrementListMarker: true });

/**
 * A built page. Its main content is Markdown with the title first. What components rendered is in it,
 * because it is made from the page that readers get and not from the page's source.
 */
export function readPage(html: string, toAddress: ToAddress): BuiltPage {
  const root = parser.parse(html);
  const content =
    findElement(root, (each) => hasClass(each, "theme-doc-markdown")) ??
    findElement(root, ({ tagName }) => tagName === "main");
  if (!content) throw new Error("the page has no main content");
  breakLines(content);
  simplify(content, toAddress);
  const heading = findElement(content, ({ tagName }) => tagName === "h1");
  const page: Root = { type: "root", children: [content] };
  return {
    title: heading ? textOf(heading).trim() : "",
    description: metaOf(root, "description") ?? "",
    isIndexed: !/noindex/.test(metaOf(root, "robots") ?? ""),
    markdown: writer.stringify(writer.runSync(page)).replace(/[\u200b\u00ad]/g, ""),
  };
}

function metaOf(root: Root, name: string): string | undefined {
  const meta = findElement(
    root,
    (each) => each.tagName === "meta" && attribute(each, "name") === name,
  );
  return meta && attribute(meta, "content");
}

/** In blocks of code, an element ends each line. */
function breakLines(content: Element): void {
  replaceElements(content, (each) => {
    if (each.tagName !== "pre") return undefined;
    replaceElements(each, ({ tagName }) => (tagName === "br" ? [text("\n")] : undefined));
    return undefined;
  });
}
