import Translate from "@docusaurus/Translate";
import type { Operation } from "@site/plugins/api-reference/reference.ts";
import { type ToggleEvent, useState } from "react";
import styles from "../reference/reference.module.css";
import type { OpenSamples } from "./OpenSamples.tsx";

/** Programs and an example of the answer. They are loaded and made when a reader opens them. */
export function Samples({ operation }: { operation: Operation }) {
  const [loaded, setLoaded] = useState<{ OpenSamples: typeof OpenSamples } | "failed">();

  function onToggle({ currentTarget }: ToggleEvent<HTMLDetailsElement>) {
    if (!currentTarget.open || typeof loaded === "object") return;
    import("../reference/opened.ts").then(
      ({ opened }) => setLoaded(opened),
      () => setLoaded("failed"),
    );
  }

  return (
    <details className={styles.fold} onToggle={onToggle}>
      <summary>
        <Translate id="samples.title">Examples and code</Translate>
      </summary>
      {typeof loaded === "object" && <loaded.OpenSamples operation={operation} />}
      {loaded === "failed" && (
        <p role="alert">
          <Translate id="samples.notLoaded">
            The examples could not be loaded. Check your network, and open them again.
          </Translate>
        </p>
      )}
    </details>
  );
}
