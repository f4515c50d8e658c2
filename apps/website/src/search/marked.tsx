import { Fragment, type ReactNode } from "react";

/** What is written around words that were found, in the answers that the page asks for. */
export const marks = { highlightPreTag: "<mark>", highlightPostTag: "</mark>" };

const entities: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#39": "'",
};

/** A text with marks, of which nothing but the marks is HTML. */
export function Marked({ html }: { html: string }): ReactNode {
  return html.split(/<mark>(.*?)<\/mark>/s).map((part, at) => {
    const text = part.replace(/&(amp|lt|gt|quot|#39);/g, (all, name) => entities[name] ?? all);
    // Odd parts were between marks, and the parts never change their order.
    const key = `${at}`;
    return at % 2 === 1 ? <mark key={key}>{text}</mark> : <Fragment key={key}>{text}</Fragment>;
  });
}
