import { Fragment } from "react";

type Props = { text: string };

/** A description from the contract: plain text in which backticks mark code. */
export function Prose({ text }: Props) {
  return text.split("`").map((part, index) => {
    // Parts alternate between text and code and never move, so their position identifies them.
    const key = `${index}${part}`;
    return index % 2 === 1 ? <code key={key}>{part}</code> : <Fragment key={key}>{part}</Fragment>;
  });
}
