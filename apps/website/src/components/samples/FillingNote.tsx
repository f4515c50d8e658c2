import Translate from "@docusaurus/Translate";
import styles from "./FillingNote.module.css";
import { setFilling, useFilling } from "./filling.ts";

/** Below a sample that has, or could have, the reader's own ids. */
export function FillingNote() {
  const filling = useFilling();
  if (!filling) return null;
  const { isOn, organizationName } = filling;
  return (
    <p className={styles.note}>
      <span>
        {isOn ? (
          <Translate id="filling.on" values={{ organization: <b>{organizationName}</b> }}>
            {"Filled in with the ids of {organization}. No key is in it."}
          </Translate>
        ) : (
          <Translate id="filling.off">With the ids of the example.</Translate>
        )}
      </span>{" "}
      <button type="button" onClick={() => setFilling({ ...filling, isOn: !isOn })}>
        {isOn ? (
          <Translate id="filling.turnOff">Show the example’s ids everywhere</Translate>
        ) : (
          <Translate id="filling.turnOn">Fill in mine everywhere</Translate>
        )}
      </button>
    </p>
  );
}
