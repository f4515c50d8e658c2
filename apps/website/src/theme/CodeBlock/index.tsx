// The theme makes each block a second time in the browser, because it writes one theme's colours into the page. Ours
// have the same colours in both, as variables, so what the page brought can stay.
import type { Props } from "@theme/CodeBlock";
import ElementContent from "@theme/CodeBlock/Content/Element";
import StringContent from "@theme/CodeBlock/Content/String";
import { Children, isValidElement } from "react";

export default function CodeBlock({ children, ...props }: Props) {
  const parts = Children.toArray(children);
  if (parts.some((part) => isValidElement(part))) {
    return <ElementContent {...props}>{children}</ElementContent>;
  }
  return <StringContent {...props}>{parts.join("")}</StringContent>;
}
