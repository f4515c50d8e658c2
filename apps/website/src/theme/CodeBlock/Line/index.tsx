// Gives neighbouring tokens of one colour a single element: pages with long samples get two thirds of the elements.
import type { Props } from "@theme/CodeBlock/Line";
import Line from "@theme-original/CodeBlock/Line";
import { mergeTokens } from "./tokens.ts";

export default function CodeBlockLine(props: Props) {
  const { getLineProps, getTokenProps } = props;
  const colorOf = (token: Props["line"][number]) => getTokenProps({ token }).style?.color;
  // The block sets the colour of plain text already.
  const linePropsOf: Props["getLineProps"] = (input) => ({
    ...getLineProps(input),
    style: undefined,
  });
  return <Line {...props} line={mergeTokens(props.line, colorOf)} getLineProps={linePropsOf} />;
}
