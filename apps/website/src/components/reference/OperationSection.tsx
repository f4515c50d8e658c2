import type { Operation, Version } from "@site/plugins/api-reference/reference.ts";
import { type CSSProperties, memo } from "react";
import { Prose } from "../Prose.tsx";
import { Samples } from "../samples/Samples.tsx";
import { TryIt } from "../try-it/TryIt.tsx";
import { useBrokenLinksAnchor } from "./anchors.ts";
import { FieldTable } from "./FieldTable.tsx";
import { MadeWhenOpen } from "./MadeWhenOpen.tsx";
import { OperationFacts } from "./OperationFacts.tsx";
import styles from "./reference.module.css";

type Props = { operation: Operation; hidden: boolean };

export const OperationSection = memo(({ operation, hidden }: Props) => {
  const { name, path, summary, description, versions, request, response } = operation;
  useBrokenLinksAnchor(name);
  return (
    <section
      id={name}
      className={styles.operation}
      style={roomOf(operation)}
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
      <TryIt operation={operation} />
      <OperationFacts operation={operation} />
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
            <MadeWhenOpen
              key={version.type}
              className={styles.fold}
              summary={
                <>
                  Also accepts <code>{version.type}</code>
                </>
              }
            >
              {() => <VersionTables version={version} />}
            </MadeWhenOpen>
          ),
        )
      )}
      <Samples operation={operation} />
    </section>
  );
});

/** By the number of fields that it shows at first, the page knows about how tall it is before it is laid out. */
function roomOf({ versions, request, response }: Operation): CSSProperties {
  const shown = versions.find(({ isDefault }) => isDefault);
  const fields = shown
    ? shown.parameters.length + shown.result.length
    : request.length + response.length;
  // The types of React do not know the properties that a style sheet defines.
  return { "--fields": fields } as CSSProperties;
}

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
