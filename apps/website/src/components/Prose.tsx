import CodeInline from "@theme/CodeInline";
import { Fragment } from "react";

type Props = { text: string };

/** Plain text in which backticks mark code, as in the descriptions of the contract. */
export function Prose({ text }: Props) {
  return text.split("`").map((part, index) => {
    // The parts alternate between text and code and never change their order.
    const key = `${index}${part}`;
    return index % 2 === 1 ? (
      <CodeInline key={key}>{part}</CodeInline>
    ) : (
      <Fragment key={key}>{part}</Fragment>
    );
  });
}
