import Link from "@docusaurus/Link";
import Translate from "@docusaurus/Translate";
import { explainDenial, type PolicyDenied, type PolicyOutcome } from "@keyhearth/sdk";
import { useCallback, useEffect, useState } from "react";
import type { Connected } from "./connected.ts";
import { Failure } from "./Failure.tsx";
import { connect } from "./sending.ts";
import { type Told, tell } from "./sentences.ts";
import styles from "./TryIt.module.css";

type Props = { denied: PolicyDenied; connected: Connected };

/** Why policies denied a request: which parts of each decided. */
export function Denial({ denied, connected }: Props) {
  const [outcomes, setOutcomes] = useState<PolicyOutcome[] | null>(null);
  const [told, setTold] = useState<Told | null>(null);

  const explain = useCallback(async () => {
    try {
      setOutcomes(await explainDenial(connect(connected), denied));
    } catch (error) {
      setTold(tell(error, connected));
    }
  }, [connected, denied]);

  useEffect(() => {
    if (!connected.asksEachTime) void explain();
  }, [connected, explain]);

  return (
    <>
      {connected.asksEachTime && outcomes === null && (
        <button type="button" className={styles.secondary} onClick={explain}>
          <Translate id="tryIt.denial.why">Ask why</Translate>
        </button>
      )}
      {outcomes?.length === 0 && (
        <p>
          <Translate
            id="tryIt.denial.none"
            values={{
              link: (
                <Link to="/concepts/policies/quickstart">
                  <Translate id="tryIt.denial.quickstart">Write one that allows it</Translate>
                </Link>
              ),
            }}
          >
            {"The organization has no policy about this request. {link}"}
          </Translate>
        </p>
      )}
      {outcomes && outcomes.length > 0 && (
        <ul className={styles.trace}>
          {outcomes.map((outcome) => (
            <Traced key={outcome.policyId} {...outcome} />
          ))}
        </ul>
      )}
      <Failure told={told} />
    </>
  );
}

function Traced({ policyId, outcome, trace = [] }: PolicyOutcome) {
  return (
    <li>
      <Translate
        id="tryIt.denial.policy"
        values={{ id: <code>{policyId}</code>, outcome: <b>{outcome}</b> }}
      >
        {"Policy {id}: {outcome}"}
      </Translate>
      {trace.map(({ clause, steps }) => (
        <ol key={clause} aria-label={clause}>
          {steps.map(({ start, end, depth, text, value, error }) => (
            <li key={`${start} ${end} ${depth}`}>
              <code>{text}</code> → <code>{value ?? error}</code>
            </li>
          ))}
        </ol>
      ))}
    </li>
  );
}
