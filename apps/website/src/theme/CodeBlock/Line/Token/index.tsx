// Plain text needs no element, and no style sheet of ours needs the classes of the others.
import type { Props } from "@theme/CodeBlock/Line/Token";

export default function CodeBlockLineToken({ style, children }: Props) {
  return style ? <span style={style}>{children}</span> : children;
}
