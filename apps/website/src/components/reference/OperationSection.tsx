import type { Operation, Version } from "@site/plugins/api-reference/reference.ts";
import { memo } from "react";
import { CopyButton } from "../CopyButton.tsx";
import { Prose } from "../Prose.tsx";
import { TryIt } from "../try-it/TryIt.tsx";
import { useBrokenLinksAnchor } from "./anchors.ts";
import { FieldTable } from "./FieldTable.tsx";
import styles from "./reference.module.css";
import { phrasesOf } from "./senders.ts";

type Props = { operation: Operation; hidden: boolean };

export const OperationSection = memo(({ operation, hidden }: Props) => {
  const { name, path, summary, description, policy, senders, versions, request, response } =
    operation;
  useBrokenLinksAnchor(name);
  return (
    <section
      id={name}
      className={styles.operation}
      hidden={hidden}
      aria-labelledby={`${name}-title`}
    >
      <h3 id={`${name}-title`} className={styles.title}>
        <a href={`#${name}`}>{summary}</a>
      </h3>
      <p className={styles.path}>
        <span className={styles.method}>POST</span> <code>{path}</code>
      </p>
      {description !== "" && (
        <p>
          <Prose text={description} />
        </p>
      )}
      {policy && (
        <p className={styles.policy}>
          Policies see the action <code>{policy.action}</code> on the resource{" "}
          <code>{policy.resource}</code>. Who may send it:{" "}
          {senders && phrasesOf(senders).join("; ")}.
        </p>
      )}
      <TryIt operation={operation} />
      {versions.length === 0 ? (
        <>
          <FieldTable fields={request} caption="Request" />
          <FieldTable fields={response} caption="Response" />
        </>
      ) : (
        versions.map((version) =>
          version.isDefault ? (
            <VersionTables key={version.type} version={version} />
          ) : (
            <details key={version.type} className={styles.fold}>
              <summary>
                Also accepts <code>{version.type}</code>
              </summary>
              <VersionTables version={version} />
            </details>
          ),
        )
      )}
      <Example
        title="Example request"
        text={operation.examples.request}
        label={`${name} request`}
      />
      <Example
        title="Example response"
        text={operation.examples.response}
        label={`${name} response`}
      />
    </section>
  );
});

function VersionTables({ version }: { version: Version }) {
  return (
    <>
      <dl className={styles.activity}>
        <div>
          <dt>type</dt>
          <dd>
            <code>{version.type}</code>
          </dd>
        </div>
        <div>
          <dt>intent key</dt>
          <dd>
            <code>{version.intentKey}</code>
          </dd>
        </div>
        <div>
          <dt>result key</dt>
          <dd>
            <code>{version.resultKey}</code>
          </dd>
        </div>
      </dl>
      <FieldTable fields={version.parameters} caption="Parameters" />
      <FieldTable fields={version.result} caption="Result" />
    </>
  );
}

function Example({ title, text, label }: { title: string; text: string; label: string }) {
  if (text === "") return null;
  return (
    <details className={styles.fold}>
      <summary>{title}</summary>
      <div className={styles.example}>
        <CopyButton text={text} label={label} className={styles.copy} />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be focusable */}
        <pre tabIndex={0}>{text}</pre>
      </div>
    </details>
  );
}
