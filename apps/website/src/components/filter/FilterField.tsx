import Translate from "@docusaurus/Translate";
import { useId } from "react";
import styles from "./FilterField.module.css";

type Props = {
  label: string;
  placeholder: string;
  typed: string;
  onType: (typed: string) => void;
  /** How many entries the typed words leave, and how many there are. */
  shown: number;
  all: number;
};

/** A search field over a list of entries. It says how many it found, and Escape empties it. */
export function FilterField({ label, placeholder, typed, onType, shown, all }: Props) {
  const id = useId();
  return (
    <search className={styles.filter}>
      <label htmlFor={id}>
        {label}
        <input
          id={id}
          type="search"
          value={typed}
          placeholder={placeholder}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onType(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") onType("");
          }}
        />
      </label>
      <output htmlFor={id} className={styles.found}>
        {typed.trim() !== "" &&
          (shown === 0 ? (
            <Translate id="filter.none">Nothing here has all of these words.</Translate>
          ) : (
            <Translate id="filter.found" values={{ shown, all }}>
              {"{shown} of {all}"}
            </Translate>
          ))}
      </output>
    </search>
  );
}
