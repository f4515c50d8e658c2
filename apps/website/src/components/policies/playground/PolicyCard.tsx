import Translate, { translate } from "@docusaurus/Translate";
import type { Clause } from "@keyhearth/policy/ast";
import { useId } from "react";
import { CodeField } from "./CodeField.tsx";
import type { Problems } from "./explain.ts";
import styles from "./PolicyBench.module.css";
import type { Draft } from "./read-policies.ts";

type Props = {
  policy: Draft;
  problems: Problems[number];
  position: number;
  onChange: (policy: Draft) => void;
  onRemove: () => void;
};

/** In the order in which a reader asks: who, what, when. */
const clauses: [Clause, string][] = [
  [
    "consensus",
    translate({
      id: "policyCard.consensus",
      message: "who must approve; empty: nobody in particular",
    }),
  ],
  [
    "condition",
    translate({ id: "policyCard.condition", message: "which requests; empty: all of them" }),
  ],
  ["time", translate({ id: "policyCard.time", message: "when; empty: always" })],
];

/** One policy with its effect and its clauses. */
export function PolicyCard({ policy, problems, position, onChange, onRemove }: Props) {
  const id = useId();
  const title = translate(
    { id: "policyCard.title", message: "Policy {position}" },
    { position: String(position) },
  );
  return (
    <fieldset className={styles.card} data-effect={policy.effect}>
      <legend>{title}</legend>
      <div className={styles.cardHead}>
        <div>
          <label htmlFor={`${id}-name`}>
            <Translate id="policyCard.name">Name</Translate>
          </label>
          <input
            id={`${id}-name`}
            value={policy.name}
            autoComplete="off"
            onChange={(event) => onChange({ ...policy, name: event.target.value })}
          />
        </div>
        <div>
          <label htmlFor={`${id}-effect`}>
            <Translate id="policyCard.effect">Effect</Translate>
          </label>
          <select
            id={`${id}-effect`}
            value={policy.effect}
            onChange={(event) => {
              const isDeny = event.target.value === "EFFECT_DENY";
              onChange({ ...policy, effect: isDeny ? "EFFECT_DENY" : "EFFECT_ALLOW" });
            }}
          >
            <option value="EFFECT_ALLOW">ALLOW</option>
            <option value="EFFECT_DENY">DENY</option>
          </select>
        </div>
        <button type="button" className={styles.small} onClick={onRemove}>
          <Translate id="policyCard.remove">Remove</Translate>
          <span className={styles.hidden}> {title}</span>
        </button>
      </div>
      {clauses.map(([clause, hint]) => {
        const problem = problems[clause];
        return (
          <CodeField
            key={clause}
            label={clause}
            language={clause}
            value={policy[clause]}
            hint={hint}
            onChange={(text) => onChange({ ...policy, [clause]: text })}
            problem={problem}
          />
        );
      })}
    </fieldset>
  );
}
