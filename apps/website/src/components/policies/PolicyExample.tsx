import Translate from "@docusaurus/Translate";
import CodeBlock from "@theme/CodeBlock";
import { exampleNames } from "./example-names.ts";
import { type Example, type ExampleId, examples } from "./examples.ts";
import styles from "./PolicyTables.module.css";
import { isSupported } from "./unsupported.ts";

/** One policy of the catalogue, as the parameters of `createPolicy`. */
export function PolicyExample({ id }: { id: ExampleId }) {
  const { needs }: Example = examples[id];
  return (
    <>
      <CodeBlock language="ts">{sourceOf(id)}</CodeBlock>
      {needs && !isSupported(needs) && (
        <p>
          <span className={styles.mark} style={{ marginLeft: 0 }}>
            <Translate id="policy.later">not in this version of the service</Translate>
          </span>{" "}
          {"kind" in needs ? (
            <Translate id="policy.later.kind" values={{ kind: <code>{needs.kind}</code> }}>
              {"You can store this policy today. It takes effect once the service supports {kind}."}
            </Translate>
          ) : (
            <Translate id="policy.later.chain" values={{ chain: nameOf(needs.chain) }}>
              {
                "You can store this policy today. It takes effect once the service supports {chain} transactions."
              }
            </Translate>
          )}
        </p>
      )}
    </>
  );
}

/** The policy as readers see and copy it. */
export function sourceOf(id: ExampleId): string {
  const { effect, consensus, condition, time }: Example = examples[id];
  const lines = [
    `policyName: ${JSON.stringify(exampleNames[id])},`,
    `effect: "${effect}",`,
    ...clause("consensus", consensus),
    ...clause("condition", condition),
    ...clause("time", time),
  ];
  return `{\n${lines.map((line) => `  ${line}`).join("\n")}\n}`;
}

/** The language ignores line breaks, so a long expression can be split into lines. */
function clause(name: string, text: string | undefined): string[] {
  if (text === undefined) return [];
  if (!text.includes("\n") && text.length < 62) return [`${name}: "${text}",`];
  return [`${name}: \``, ...text.split("\n").map((line) => `  ${line}`), "`,"];
}

function nameOf(chain: string): string {
  return chain.charAt(0).toUpperCase() + chain.slice(1);
}
