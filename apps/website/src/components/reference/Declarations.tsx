import CodeBlock from "@theme/CodeBlock";
import { declarationsOf } from "./declarations.ts";

type Props = { source: string; names: string[] };

/** Types and functions of the SDK, as its own source declares them. */
export function Declarations({ source, names }: Props) {
  return <CodeBlock language="ts">{declarationsOf(source, names)}</CodeBlock>;
}
