// Lets long identifiers break after an underscore or a slash, so that tables fit narrow screens. A
// derivation path stays on one line, because its short steps are hard to read in pieces, and so does an option, which
// would lose one of its dashes to the line before.
import { type ComponentProps, Fragment, type ReactNode } from "react";

export default function CodeInline({ children, ...props }: ComponentProps<"code">) {
  return <code {...props}>{typeof children === "string" ? breakable(children) : children}</code>;
}

function breakable(text: string): ReactNode {
  if (/^(m\/|--?\w[\w-]*$)/.test(text)) return <span style={{ whiteSpace: "nowrap" }}>{text}</span>;
  return text.split(/(?<=[_/])/).map((part, index) => (
    // The parts never change their order, so the position is a stable key.
    // biome-ignore lint/suspicious/noArrayIndexKey: see above
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
