// The theme makes each block a second time in the browser, because it writes one theme's colours into the page. Ours
// have the same colours in both, as variables, so what the page brought can stay. And while a reader is connected, samples
// have the reader's own ids.
import { useFilling } from "@site/src/components/samples/filling.ts";
import type { Props } from "@theme/CodeBlock";
import ElementContent from "@theme/CodeBlock/Content/Element";
import StringContent from "@theme/CodeBlock/Content/String";
import { Children, isValidElement } from "react";

export default function CodeBlock({ children, ...props }: Props) {
  const filling = useFilling();
  const parts = Children.toArray(children);
  if (parts.some((part) => isValidElement(part))) {
    return <ElementContent {...props}>{children}</ElementContent>;
  }
  const sample = parts.join("");
  const filled = filling && hasSample(props) ? filling.fill(sample) : sample;
  return (
    <>
      <StringContent {...props}>{filling?.isOn ? filled : sample}</StringContent>
      {filling && filled !== sample && <filling.Note />}
    </>
  );
}

/** Text without a language is what a program printed, and that stays as it was. */
function hasSample({ language, className = "" }: Omit<Props, "children">): boolean {
  return (language ?? /language-(\w+)/.exec(className)?.[1] ?? "text") !== "text";
}
