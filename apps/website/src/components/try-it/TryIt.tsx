import Translate, { translate } from "@docusaurus/Translate";
import type { Operation } from "@site/plugins/api-reference/reference.ts";
import { useEffect, useState } from "react";
import type { Panel } from "./Panel.tsx";
import styles from "./TryIt.module.css";

type Props = { operation: Operation };

/** Sends the request of an operation. What it takes to do so is loaded for readers who press the button. */
export function TryIt({ operation }: Props) {
  const [isOpen, setOpen] = useState(false);
  const id = `${operation.name}-try-it`;
  return (
    <>
      <button
        type="button"
        className={styles.open}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        aria-label={translate(
          { id: "tryIt.open.label", message: "Try it: {summary}" },
          { summary: operation.summary },
        )}
        onClick={() => setOpen(!isOpen)}
      >
        <Translate id="tryIt.open">Try it</Translate>
      </button>
      {isOpen && (
        <div id={id}>
          <LoadedPanel operation={operation} />
        </div>
      )}
    </>
  );
}

function LoadedPanel({ operation }: Props) {
  const [loaded, setLoaded] = useState<{ Panel: typeof Panel } | "failed">();
  useEffect(() => {
    let isGone = false;
    import("../reference/opened.ts").then(
      ({ opened }) => isGone || setLoaded(opened),
      () => isGone || setLoaded("failed"),
    );
    return () => {
      isGone = true;
    };
  }, []);
  if (typeof loaded === "object") return <loaded.Panel operation={operation} />;
  return (
    <p role="status">
      {loaded === "failed" ? (
        <Translate id="tryIt.notLoaded">
          This part of the page could not be loaded. Check your network, and reload the page.
        </Translate>
      ) : (
        <Translate id="tryIt.loading">Loading…</Translate>
      )}
    </p>
  );
}
