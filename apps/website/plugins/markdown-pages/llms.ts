import type { Outline } from "./outline.ts";

type Summary = { title: string; summary: string };

/** The index for language models (llmstxt.org): the site in a paragraph, and a line for each page. */
export function llmsText(
  { title, summary }: Summary,
  outline: Outline,
  addressOf: (path: string) => string,
): string {
  const sections = outline.map(({ title: section, pages }) => {
    const lines = pages.map(({ title: page, description, path }) => {
      const about = description === "" ? "" : `: ${description}`;
      return `- [${page}](${addressOf(path)})${about}`;
    });
    return `## ${section}\n\n${lines.join("\n")}\n`;
  });
  return [`# ${title}\n\n> ${summary}\n`, ...sections].join("\n");
}

/** All pages in one file, each with the address of its own file. */
export function llmsFullText(
  { title, summary }: Summary,
  pages: { address: string; markdown: string }[],
): string {
  const texts = pages.map(({ address, markdown }) => `---\n\nPage: ${address}\n\n${markdown}`);
  return [`# ${title}\n\n> ${summary}\n`, ...texts].join("\n");
}
