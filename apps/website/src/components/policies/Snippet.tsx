import CodeBlock from "@theme/CodeBlock";

type Props = { text: string; step: number; title?: string };

/** One numbered step of a sample: from its line `// 2. …` to the next step or `// What the steps share`. */
export function SnippetStep({ text, step, title }: Props) {
  const parts = text.split(/^(?=\/\/ (?:\d+\. |What the steps share))/m);
  const part = parts.find((each) => each.startsWith(`// ${step}. `));
  if (!part) throw new Error(`the sample has no step ${step}`);
  return (
    <CodeBlock language="ts" title={title}>
      {part.trim()}
    </CodeBlock>
  );
}
