import { translate } from "@docusaurus/Translate";
import type { Clause } from "@keyhearth/policy/ast";
import { Prose } from "../Prose.tsx";
import styles from "./Playground.module.css";
import { type Tried, tryExpression } from "./try-expression.ts";

type Trial = { clause: Clause; expression: string; request: string };

const verdicts: Record<Tried["outcome"], string> = {
  true: "true",
  false: "false",
  error: translate({ id: "playground.error", message: "error" }),
  refused: translate({ id: "playground.refused", message: "refused" }),
  "unreadable request": translate({ id: "playground.unreadable", message: "unreadable request" }),
};

/** What an expression decides about a request. It brings the policy language with it. */
export function Outcome({ clause, expression, request }: Trial) {
  const { outcome, message, excerpt, steps, warnings } = tryExpression(clause, expression, request);
  return (
    <>
      <p>
        <span className={styles.verdict} data-outcome={outcome}>
          {verdicts[outcome]}
        </span>{" "}
        <Prose text={message ?? ""} />
      </p>
      {excerpt !== undefined && <pre>{excerpt}</pre>}
      {steps.length > 1 && (
        <ol className={styles.steps}>
          {steps.slice(1).map(({ depth, text, value }, index) => (
            // The steps of a result never change their order, so the position is a stable key.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            <li key={index} style={{ paddingInlineStart: `${(depth - 1) * 1.25}rem` }}>
              <code>{text}</code> → <code>{value}</code>
            </li>
          ))}
        </ol>
      )}
      {warnings.map((warning) => (
        <p key={warning} className={styles.warning}>
          <Prose text={warning} />
        </p>
      ))}
    </>
  );
}
