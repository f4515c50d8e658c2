import styles from "./DecisionOrder.module.css";

type Verdict = "allowed" | "denied" | "waits";

const steps: { question: string; verdict: Verdict; detail?: string }[] = [
  {
    question: "Do enough root users approve?",
    verdict: "allowed",
    detail: "Policies aren’t evaluated.",
  },
  { question: "Does a DENY apply?", verdict: "denied" },
  { question: "Does an ALLOW apply?", verdict: "allowed" },
  { question: "Would an ALLOW apply with more approvals?", verdict: "waits" },
  { question: "Does the request change only the sender’s own credentials?", verdict: "allowed" },
  {
    question: "Is the sender a root user?",
    verdict: "waits",
    detail: "Other root users can approve it.",
  },
];

const words: Record<Verdict, string> = {
  allowed: "Allowed",
  denied: "Denied",
  waits: "Waits for approvals",
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
              yes
            </div>
            <div className={styles.verdict} data-verdict={verdict}>
              {words[verdict]}
            </div>
          </li>
        ))}
        <li className={styles.step} data-last="true">
          <div className={styles.question}>Nothing allows the request.</div>
          <div className={styles.yes} aria-hidden="true" />
          <div className={styles.verdict} data-verdict="denied">
            {words.denied}
          </div>
        </li>
      </ol>
      <figcaption className={styles.caption}>
        The first yes decides. If a DENY applies to a root user’s request, the request isn’t denied
        but waits for the root quorum. So the quorum can always undo a policy that locks it out.
      </figcaption>
    </figure>
  );
}
