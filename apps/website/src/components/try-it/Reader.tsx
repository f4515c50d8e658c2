import Translate, { translate } from "@docusaurus/Translate";
import { shortKey } from "./ConnectForm.tsx";
import { type Connected, setConnected } from "./connected.ts";
import styles from "./TryIt.module.css";

/** Who is connected, and the way to end it. */
export function Reader({ connected }: { connected: Connected }) {
  const { username, organizationName, organizationId, publicKey } = connected;
  const credential =
    publicKey === null
      ? translate({ id: "tryIt.reader.passkey", message: "a passkey" })
      : shortKey(publicKey);
  return (
    <p className={styles.reader} role="status">
      <span>
        <Translate
          id="tryIt.reader"
          values={{
            user: <b>{username}</b>,
            organization: <b>{organizationName}</b>,
            id: <code>{organizationId}</code>,
            credential: <code>{credential}</code>,
          }}
        >
          {"You are {user} of {organization} ({id}), by {credential}."}
        </Translate>
      </span>{" "}
      <button type="button" className={styles.link} onClick={() => setConnected(null)}>
        <Translate id="tryIt.disconnect">Disconnect</Translate>
      </button>
    </p>
  );
}
