import Translate, { translate } from "@docusaurus/Translate";
import styles from "./DecisionOrder.module.css";

type Verdict = "allowed" | "denied" | "waits";

const steps: { question: string; verdict: Verdict; detail?: string }[] = [
  {
    question: translate({ id: "decision.rootUsers", message: "Do enough root users approve?" }),
    verdict: "allowed",
    detail: translate({ id: "decision.rootUsers.detail", message: "Policies aren’t evaluated." }),
  },
  {
    question: translate({ id: "decision.deny", message: "Does a DENY apply?" }),
    verdict: "denied",
  },
  {
    question: translate({ id: "decision.allow", message: "Does an ALLOW apply?" }),
    verdict: "allowed",
  },
  {
    question: translate({
      id: "decision.more",
      message: "Would an ALLOW apply with more approvals?",
    }),
    verdict: "waits",
  },
  {
    question: translate({
      id: "decision.own",
      message: "Does the request change only the sender’s own credentials?",
    }),
    verdict: "allowed",
  },
  {
    question: translate({ id: "decision.root", message: "Is the sender a root user?" }),
    verdict: "waits",
    detail: translate({ id: "decision.root.detail", message: "Other root users can approve it." }),
  },
];

const words: Record<Verdict, string> = {
  allowed: translate({ id: "decision.allowed", message: "Allowed" }),
  denied: translate({ id: "decision.denied", message: "Denied" }),
  waits: translate({ id: "decision.waits", message: "Waits for approvals" }),
};

/** The questions in order. The first yes decides. */
export function DecisionOrder() {
  return (
    <figure className={styles.figure}>
      <ol className={styles.steps}>
        {steps.map(({ question, verdict, detail }) => (
          <li key={question} className={styles.step}>
            <div className={styles.question}>
              {question}
              {detail !== undefined && <span className={styles.detail}>{detail}</span>}
            </div>
            <div className={styles.yes} aria-hidden="true">
              <Translate id="decision.yes">yes</Translate>
            </div>
            <div className={styles.verdict} data-verdict={verdict}>
              {words[verdict]}
            </div>
          </li>
        ))}
        <li className={styles.step} data-last="true">
          <div className={styles.question}>
            <Translate id="decision.nothing">Nothing allows the request.</Translate>
          </div>
          <div className={styles.yes} aria-hidden="true" />
          <div className={styles.verdict} data-verdict="denied">
            {words.denied}
          </div>
        </li>
      </ol>
      <figcaption className={styles.caption}>
        <Translate id="decision.caption">
          The first yes decides. If a DENY applies to a root user’s request, the request isn’t
          denied but waits for the root quorum. So the quorum can always undo a policy that locks it
          out.
        </Translate>
      </figcaption>
    </figure>
  );
}
