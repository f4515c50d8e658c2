import Link from "@docusaurus/Link";
import { useLocation } from "@docusaurus/router";
import reference from "@generated/api-reference/default/reference.json";
import { useBrokenLinksAnchor } from "@site/src/components/reference/anchors.ts";
import { anchorOfGroup, placeOfEarlierLink } from "@site/src/components/reference/earlier-links.ts";
import { Fold } from "@site/src/components/reference/Fold.tsx";
import { type Asked, everything, matchOperations } from "@site/src/components/reference/matches.ts";
import { ObjectSection } from "@site/src/components/reference/ObjectSection.tsx";
import { OperationIndex } from "@site/src/components/reference/OperationIndex.tsx";
import { OperationSection } from "@site/src/components/reference/OperationSection.tsx";
import { OBJECTS, type Open, placeOf } from "@site/src/components/reference/open-groups.ts";
import styles from "@site/src/components/reference/reference.module.css";
import { useConnected } from "@site/src/components/try-it/connected.ts";
import { Untranslated } from "@site/src/components/Untranslated.tsx";
import { useKeptVersion } from "@site/src/components/versions/place.ts";
import Layout from "@theme/Layout";
import { useCallback, useEffect, useState } from "react";

const { groups, objects } = reference;

const FIRST: Open = { group: groups[0]?.tag ?? null, object: null };

const PROXY = "login-proxy";

/** The filter is empty. */
const ALL = { asked: everything, matches: matchOperations(groups, everything) };

/** One group of operations is open at a time: all of them together are a hundred screens. */
export default function ApiReference() {
  const [{ asked: filter, matches }, setFilter] = useState(ALL);
  const [open, setOpen] = useState(FIRST);
  useBrokenLinksAnchor(OBJECTS);
  const kept = useKeptVersion();
  const connected = useConnected();
  const { hash } = useLocation();
  const show = useCallback((anchor: string) => {
    const place = placeOf(anchor, reference);
    if (place !== null) setOpen(place);
    return place !== null;
  }, []);
  useEffect(() => {
    const place = placeOfEarlierLink(hash, groups);
    // The browser itself moves to the place, and no entry of its history is added.
    if (place !== null) window.location.replace(`#${place}`);
    else if (show(hash.slice(1))) scrollWhenShown(hash.slice(1));
  }, [hash, show]);
  const openObject = useCallback((name: string, isOpen: boolean) => {
    setOpen({ group: OBJECTS, object: isOpen ? name : null });
  }, []);

  function openGroup(group: string, isOpen: boolean) {
    setOpen({ group: isOpen ? group : null, object: null });
  }

  function narrow(asked: Asked) {
    const found = matchOperations(groups, asked);
    setFilter({ asked, matches: found });
    const withMatches = groups.filter((group) =>
      group.operations.some((each) => found.has(each.name)),
    );
    const isStillThere = withMatches.some(({ tag }) => tag === open.group);
    if (!isStillThere) setOpen({ group: withMatches[0]?.tag ?? null, object: null });
  }

  return (
    <Layout
      title="API Reference"
      description="Every operation of the Keyhearth API, with its fields, activity types and examples."
    >
      <div className={styles.page}>
        <OperationIndex
          groups={groups}
          matches={matches}
          filter={filter}
          onFilter={narrow}
          onFollow={show}
        />
        <main className={styles.main} data-is-first={open === FIRST}>
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
    "organizationId": "${connected?.organizationId ?? "<your organization id>"}",
    "parameters": { … }
  }'`}
              </pre>
              <p>
                The tables below show what goes into <code>parameters</code> and what comes back in
                the activity’s <code>result</code>. A query has no envelope: its body is the fields
                shown. For programs, the same information is in{" "}
                <a href={`${kept === null ? "" : `/${kept}`}/openapi.json`}>openapi.json</a>.
              </p>
              <p>
                A passkey’s stamp goes into <code>X-Stamp-Webauthn</code> instead of{" "}
                <code>X-Stamp</code>. If a call succeeds, the status is 200. Any operation can
                answer with another status, and then the body is an{" "}
                <Link to="/developer-reference/api-overview/errors">error</Link> with a machine
                code.
              </p>
            </header>
            {groups.map(({ tag, description, operations }) => {
              const found = operations.filter(({ name }) => matches.has(name)).length;
              return (
                <div key={tag} hidden={found === 0}>
                  <Fold
                    id={anchorOfGroup(tag)}
                    level="h2"
                    title={tag}
                    count={found === 1 ? "1 operation" : `${found} operations`}
                    summary={description !== "" && <p className={styles.summary}>{description}</p>}
                    isOpen={open.group === tag}
                    onOpen={(isOpen) => openGroup(tag, isOpen)}
                  >
                    {operations.map((operation) => (
                      <OperationSection
                        key={operation.name}
                        operation={operation}
                        hidden={!matches.has(operation.name)}
                      />
                    ))}
                  </Fold>
                </div>
              );
            })}
            <h2 id={PROXY} className={styles.group}>
              <Link to="/api/login-proxy">Login Proxy</Link>
            </h2>
            <p className={styles.summary}>
              Calls of pages and apps without a backend. They carry no stamp, and have a page of
              their own.
            </p>
            <Fold
              id={OBJECTS}
              level="h2"
              title="Objects"
              count={`${objects.length} objects`}
              summary={<p className={styles.summary}>Objects that several operations share.</p>}
              isOpen={open.group === OBJECTS}
              onOpen={(isOpen) => openGroup(OBJECTS, isOpen)}
            >
              {objects.map((schema) => (
                <ObjectSection
                  key={schema.name}
                  schema={schema}
                  isOpen={open.object === schema.name}
                  onOpen={openObject}
                />
              ))}
            </Fold>
          </Untranslated>
        </main>
      </div>
    </Layout>
  );
}

/** A browser without `hidden="until-found"` had nothing to scroll to when the page came. */
function scrollWhenShown(anchor: string) {
  requestAnimationFrame(() => document.getElementById(anchor)?.scrollIntoView());
}
