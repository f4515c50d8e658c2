import Link from "@docusaurus/Link";
import { useLocation } from "@docusaurus/router";
import reference from "@generated/api-reference/default/reference.json";
import { hasWords, wordsOf } from "@site/src/components/filter/words.ts";
import { useBrokenLinksAnchor } from "@site/src/components/reference/anchors.ts";
import { anchorOfGroup, placeOfEarlierLink } from "@site/src/components/reference/earlier-links.ts";
import { ObjectSection } from "@site/src/components/reference/ObjectSection.tsx";
import { OperationIndex } from "@site/src/components/reference/OperationIndex.tsx";
import { OperationSection } from "@site/src/components/reference/OperationSection.tsx";
import styles from "@site/src/components/reference/reference.module.css";
import { Untranslated } from "@site/src/components/Untranslated.tsx";
import Layout from "@theme/Layout";
import { useEffect, useMemo, useState } from "react";

const { groups, objects } = reference;

export default function ApiReference() {
  const [filter, setFilter] = useState("");
  const matches = useMemo(() => matchOperations(filter), [filter]);
  useBrokenLinksAnchor("objects");
  const { hash } = useLocation();
  useEffect(() => {
    const place = placeOfEarlierLink(hash, groups);
    // The browser itself moves to the place, and no entry of its history is added.
    if (place !== null) window.location.replace(`#${place}`);
  }, [hash]);
  return (
    <Layout
      title="API Reference"
      description="Every operation of the Keyhearth API, with its fields, activity types and examples."
    >
      <div className={styles.page}>
        <OperationIndex groups={groups} matches={matches} filter={filter} onFilter={setFilter} />
        <main className={styles.main}>
          <Untranslated>
            <header className={styles.intro}>
              <h1>API Reference</h1>
              <p>
                Every call is a <code>POST</code> with a JSON body and a{" "}
                <Link to="/developer-reference/api-overview/stamps">stamp</Link>, a signature over
                the exact bytes of that body. A{" "}
                <Link to="/developer-reference/api-overview/queries">query</Link> reads; a{" "}
                <Link to="/developer-reference/api-overview/submissions">submission</Link> asks for
                a change and answers with an activity. In the SDK, <code>create_wallet</code> is the
                method <code>createWallet</code>.
              </p>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be focusable */}
              <pre className={styles.envelope} tabIndex={0}>
                {`curl http://localhost:3000/public/v1/submit/{name} \\
  -H "X-Stamp: <base64url stamp>" \\
  -d '{
    "type": "ACTIVITY_TYPE_…",
    "timestampMs": "<now, in milliseconds>",
    "organizationId": "<your organization id>",
    "parameters": { … }
  }'`}
              </pre>
              <p>
                The tables below show what goes into <code>parameters</code> and what comes back in
                the activity’s <code>result</code>. A query has no envelope: its body is the fields
                shown. For programs, the same information is in{" "}
                <a href="/openapi.json">openapi.json</a>.
              </p>
              <p>
                A passkey’s stamp goes into <code>X-Stamp-Webauthn</code> instead of{" "}
                <code>X-Stamp</code>. If a call succeeds, the status is 200. Any operation can
                answer with another status, and then the body is an{" "}
                <Link to="/developer-reference/api-overview/errors">error</Link> with a machine
                code.
              </p>
            </header>
            {groups.map(({ tag, description, operations }) => (
              <div key={tag} hidden={!operations.some(({ name }) => matches.has(name))}>
                <h2 id={anchorOfGroup(tag)} className={styles.group}>
                  {tag}
                </h2>
                {description !== "" && <p>{description}</p>}
                {operations.map((operation) => (
                  <OperationSection
                    key={operation.name}
                    operation={operation}
                    hidden={!matches.has(operation.name)}
                  />
                ))}
              </div>
            ))}
            <h2 id="objects" className={styles.group}>
              Objects
            </h2>
            <p>Objects that several operations share.</p>
            {objects.map((schema) => (
              <ObjectSection key={schema.name} schema={schema} />
            ))}
          </Untranslated>
        </main>
      </div>
    </Layout>
  );
}

/** Every word of the filter must occur in the name, the summary, the tag or an activity type. */
function matchOperations(filter: string): Set<string> {
  const words = wordsOf(filter);
  const names = groups.flatMap(({ tag, operations }) =>
    operations
      .filter(({ name, summary, versions }) => {
        const types = versions.map(({ type }) => type).join(" ");
        return hasWords(`${name} ${summary} ${tag} ${types}`, words);
      })
      .map(({ name }) => name),
  );
  return new Set(names);
}
