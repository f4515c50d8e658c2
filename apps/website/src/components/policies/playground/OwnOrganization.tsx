import Translate from "@docusaurus/Translate";
import { useState } from "react";
import type { OwnRequests } from "../../try-it/OwnRequests.tsx";
import styles from "./PolicyBench.module.css";
import type { Draft } from "./read-policies.ts";

type Props = {
  onRequest: (json: string) => void;
  onPolicies: (policies: readonly Draft[]) => void;
};

/** Fetches the policies and activities of the reader's organization. What it takes to connect is loaded on demand. */
export function OwnOrganization(props: Props) {
  const [loaded, setLoaded] = useState<{ OwnRequests: typeof OwnRequests } | "failed">();
  if (typeof loaded === "object") return <loaded.OwnRequests {...props} />;
  return (
    <p className={styles.own}>
      <button
        type="button"
        className={styles.small}
        onClick={() =>
          import("../../reference/opened.ts").then(
            ({ opened }) => setLoaded(opened),
            () => setLoaded("failed"),
          )
        }
      >
        <Translate id="own.open">Use your organization</Translate>
      </button>{" "}
      {loaded === "failed" && (
        <span role="alert">
          <Translate id="whenSeen.failed">
            This part of the page could not be loaded. Check your network.
          </Translate>
        </span>
      )}
    </p>
  );
}
