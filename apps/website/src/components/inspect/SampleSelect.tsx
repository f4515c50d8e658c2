import Translate from "@docusaurus/Translate";
import { useId } from "react";
import styles from "./inspect.module.css";

type Props<Sample> = {
  samples: readonly Sample[];
  onSelect(sample: Sample): void;
};

/** Fills the fields below it with one of the samples. The first is there already. */
export function SampleSelect<Sample extends { id: string; label: string }>({
  samples,
  onSelect,
}: Props<Sample>) {
  const id = useId();
  return (
    <div className={styles.row}>
      <label htmlFor={id}>
        <Translate id="playground.start">Start with</Translate>
      </label>
      <select
        id={id}
        onChange={({ target }) => {
          const sample = samples.find((each) => each.id === target.value);
          if (sample) onSelect(sample);
        }}
      >
        {samples.map((each) => (
          <option key={each.id} value={each.id}>
            {each.label}
          </option>
        ))}
      </select>
    </div>
  );
}
