import CodeInline from "@theme/CodeInline";
import { Fragment } from "react";

type Props = { text: string };

/** A description from the contract: plain text in which backticks mark code. */
export function Prose({ text }: Props) {
  return text.split("`").map((part, index) => {
    // Parts alternate between text and code and never move, so their position identifies them.
    const key = `${index}${part}`;
    return index % 2 === 1 ? (
      <CodeInline key={key}>{part}</CodeInline>
    ) : (
      <Fragment key={key}>{part}</Fragment>
    );
  });
}
