import Link from "@docusaurus/Link";
import Translate, { translate } from "@docusaurus/Translate";
import { isFailure } from "@keyhearth/policy/values";
import { useMemo } from "react";
import { Prose } from "../../Prose.tsx";
import { explain, problemsOf, type Warning, warningsOf } from "./explain.ts";
import styles from "./PolicyBench.module.css";
import type { Draft } from "./read-policies.ts";
import type { Request } from "./read-request.ts";
import { tellOutcome, tellPolicyOutcome, tellReason } from "./sentences.ts";
import { TraceTree } from "./TraceTree.tsx";

type Props = { policies: readonly Draft[]; request: Request | null };

/** What the policies decide about the request: the outcome, what each policy says and why, and warnings. */
export function Decided({ policies, request }: Props) {
  const isRefused = useMemo(
    () => problemsOf(policies).some((problems) => Object.keys(problems).length > 0),
    [policies],
  );
  const explained = useMemo(
    () => (isRefused || !request ? null : explain(policies, request)),
    [isRefused, policies, request],
  );
  const warnings = useMemo(
    () => (isRefused ? [] : warningsOf(policies, request?.users)),
    [isRefused, policies, request],
  );
  if (isRefused) {
    return (
      <p className={styles.verdict} data-outcome="refused">
        <b>
          <Translate id="playground.refused">refused</Translate>
        </b>{" "}
        <Translate id="decided.refused">
          The service does not store a policy with a mistake. Correct what is underlined.
        </Translate>
      </p>
    );
  }
  if (!explained) {
    return (
      <p className={styles.verdict} data-outcome="unread">
        <b>
          <Translate id="playground.unreadable">unreadable request</Translate>
        </b>{" "}
        <Translate id="decided.unread">
          Correct the request, and the policies decide about it.
        </Translate>
      </p>
    );
  }
  const { decision, deciding, policies: outcomes, needed } = explained;
  const { outcome } = decision;
  const names = deciding.map((index) => policies[index]?.name ?? "");
  return (
    <>
      <p className={styles.verdict} data-outcome={outcome}>
        <b>{tellOutcome(outcome)}</b> <span>{tellReason(decision, names)}</span>
      </p>
      {needed.sets.length > 0 && (
        <p>
          <Translate
            id="decided.needed"
            values={{
              names: (
                <b>
                  {needed.sets
                    .map((set) => set.map((id) => nameOf(id, request)).join(" + "))
                    .join("; ")}
                </b>
              ),
            }}
          >
            {"Approvals that would complete it, any one of these sets: {names}"}
          </Translate>
        </p>
      )}
      {outcomes.map(({ outcome: own, traces }, index) => (
        // Policies are told apart by their position here, and nothing is kept between two decisions.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <section key={index} className={styles.decided} data-deciding={deciding.includes(index)}>
          <h4>
            {policies[index]?.name}
            {own && (
              <span data-outcome={own}>{tellPolicyOutcome(own, policies[index]?.effect)}</span>
            )}
          </h4>
          {traces.map(({ clause, source, value, steps, isCut }) => (
            <div key={clause} className={styles.trace}>
              <p>
                <code>{clause}</code>{" "}
                <span data-value={isFailure(value) ? "error" : String(value)}>
                  {isFailure(value)
                    ? translate({ id: "playground.error", message: "error" })
                    : String(value)}
                </span>
                {isFailure(value) && (
                  <>
                    {": "}
                    <Prose text={value.reason} />
                  </>
                )}
              </p>
              <TraceTree source={source} steps={steps} />
              {isCut && (
                <p>
                  <Translate id="decided.cut">… and further parts</Translate>
                </p>
              )}
            </div>
          ))}
          <Warnings warnings={warnings.filter(({ position }) => position === index)} />
        </section>
      ))}
    </>
  );
}

function Warnings({ warnings }: { warnings: readonly Warning[] }) {
  return warnings.map(({ clause, code, message }) => (
    <p key={`${clause} ${code} ${message}`} className={styles.warning}>
      <Link to="/concepts/policies/understanding-decisions#warnings">{code}</Link> ({clause}):{" "}
      <Prose text={message} />
    </p>
  ));
}

function nameOf(userId: string, request: Request | null): string {
  const user = request?.users.find(({ id }) => id === userId);
  return user?.alias || user?.email || userId;
}
