// Plain text needs no element. Other text has a class for its colour, which is shorter than a style.
import type { Props } from "@theme/CodeBlock/Line/Token";
import { classOf } from "./class-of.ts";

export default function CodeBlockLineToken({ style, children }: Props) {
  return style?.color ? <span className={classOf(style.color)}>{children}</span> : children;
}
