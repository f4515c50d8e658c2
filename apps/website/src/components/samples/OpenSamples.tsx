import Link from "@docusaurus/Link";
import Translate, { translate } from "@docusaurus/Translate";
import examples from "@generated/api-reference/default/examples.json";
import type { Operation } from "@site/plugins/api-reference/reference.ts";
import CodeBlock from "@theme/CodeBlock";
import { useId, useState } from "react";
import styles from "../reference/reference.module.css";
import { useService } from "../try-it/use-service.ts";
import { programOf, readSample, type SampleLanguage, sampleLanguages } from "./programs.ts";
// The colours of these languages, which no other page in TSX needs.
import "prismjs/components/prism-bash.js";
import "prismjs/components/prism-go.js";
import "prismjs/components/prism-python.js";

const pages: Record<SampleLanguage, string> = {
  curl: "/getting-started/signing-automation-quickstart",
  TypeScript: "/sdks/javascript-server",
  Go: "/sdks/golang",
  Python: "/sdks/python",
};

/** The request as a body and as programs. While the page is connected, code blocks fill in the reader's own ids. */
export function OpenSamples({ operation: { name, kind } }: { operation: Operation }) {
  const id = useId();
  const service = useService();
  const [language, setLanguage] = useState<SampleLanguage>("curl");
  const example = examples[name];
  if (!example) return null;
  const { request, response } = example;
  const program = programOf(language, readSample(name, kind, request), service);
  const code = sampleLanguages.find((each) => each.name === language)?.code ?? "text";
  return (
    <div className={styles.samples}>
      <fieldset className={styles.languages}>
        <legend>
          <Translate id="samples.language">Program in</Translate>
        </legend>
        {sampleLanguages.map((each) => (
          <label key={each.name}>
            <input
              type="radio"
              name={`${id}-language`}
              checked={language === each.name}
              onChange={() => setLanguage(each.name)}
            />
            {each.name}
          </label>
        ))}
      </fieldset>
      <CodeBlock language={code}>{program}</CodeBlock>
      <p>
        <Link to={pages[language]}>
          <Translate id="samples.setUp">What this program needs</Translate>
        </Link>
      </p>
      <CodeBlock
        language="json"
        title={translate({ id: "samples.request", message: "Example request" })}
      >
        {request}
      </CodeBlock>
      <CodeBlock
        language="json"
        title={translate({ id: "samples.response", message: "Example response" })}
      >
        {response}
      </CodeBlock>
    </div>
  );
}
