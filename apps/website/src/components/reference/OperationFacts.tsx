import useBaseUrl from "@docusaurus/useBaseUrl";
import type { Operation } from "@site/plugins/api-reference/reference.ts";
import { errorsOf } from "./errors-of.ts";
import { MadeWhenOpen } from "./MadeWhenOpen.tsx";
import styles from "./reference.module.css";
import { phrasesOf } from "./senders.ts";

/** What each security scheme of the contract is called here. */
const STAMPS: Record<string, string> = {
  stamp: "an API key",
  passkeyStamp: "a passkey",
  attestedStamp: "a key that a token attests",
  readOnlySession: "the token of a read-only session",
};

const ERRORS = "/developer-reference/api-overview/errors";

/** Who may send it, by which stamps, and how it can be refused. */
export function OperationFacts({ operation }: { operation: Operation }) {
  const { policy, senders, stamps } = operation;
  const page = useBaseUrl(ERRORS);
  return (
    <>
      {policy && (
        <p className={styles.policy}>
          Policies see the action <code>{policy.action}</code> on the resource{" "}
          <code>{policy.resource}</code>. Who may send it:{" "}
          {senders && phrasesOf(senders).join("; ")}.
        </p>
      )}
      <p className={styles.policy}>Stamped by {stamps.map(nameOf).join(", or ")}.</p>
      <MadeWhenOpen className={styles.errors} summary="Errors">
        {() =>
          // Plain links: those of the site would load the page of errors for each of them beforehand.
          errorsOf(operation).map((code) => (
            <a key={code} href={`${page}#${code.toLowerCase().replaceAll("_", "-")}`}>
              {code}
            </a>
          ))
        }
      </MadeWhenOpen>
    </>
  );
}

function nameOf(scheme: string): string {
  const name = STAMPS[scheme];
  if (name === undefined) throw new Error(`the site has no words for the stamp \`${scheme}\``);
  return name;
}
