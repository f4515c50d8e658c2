import CodeBlock from "@theme/CodeBlock";
import vectors from "./vectors.json";

/** The test vectors as a file to copy into the tests of a client. */
export function StampVectors() {
  return (
    <CodeBlock language="json" title="stamp-vectors.json">
      {JSON.stringify(vectors, null, 2)}
    </CodeBlock>
  );
}
