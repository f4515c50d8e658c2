import Translate from "@docusaurus/Translate";
import type { IndexedDbStamper } from "@keyhearth/sdk/stampers/indexed-db";
import { useEffect, useRef, useState } from "react";
import { CopyButton } from "../CopyButton.tsx";
import { openMadeKey } from "./page-keys.ts";
import { registrationOf } from "./registration.ts";
import { type Told, tell } from "./sentences.ts";
import styles from "./TryIt.module.css";
import { useService } from "./use-service.ts";

type Props = {
  isBusy: boolean;
  onUse: (stamper: IndexedDbStamper) => void;
  onTold: (told: Told | null) => void;
};

/** A key that this browser makes and keeps, and what registers it. */
export function MadeKey({ isBusy, onUse, onTold }: Props) {
  const service = useService();
  const [stamper, setStamper] = useState<IndexedDbStamper>();
  const latest = useRef(onTold);
  useEffect(() => {
    latest.current = onTold;
  });
  useEffect(() => {
    let isGone = false;
    openMadeKey().then(
      (made) => isGone || setStamper(made),
      (error) => isGone || latest.current(tell(error, { service, organizationId: "" })),
    );
    return () => {
      isGone = true;
    };
  }, [service]);
  if (!stamper) return null;
  const program = registrationOf(stamper.publicKey, service);
  return (
    <>
      <p className={styles.term}>
        <Translate id="tryIt.made.key">Public key</Translate>{" "}
        <CopyButton text={stamper.publicKey} label="public key" />
      </p>
      <p className={styles.value}>
        <code>{stamper.publicKey}</code>
      </p>
      <p className={styles.term}>
        <Translate id="tryIt.made.register">
          Register it, in a folder with the SDK and your key file
        </Translate>{" "}
        <CopyButton text={program} label="command" />
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be focusable */}
      <pre className={styles.code} tabIndex={0}>
        {program}
      </pre>
      <p className={styles.hint}>
        <Translate id="tryIt.made.what">
          The private half stays in this browser, where no script can read it. Any user of the
          organization can register the key for themselves, also from this page: send
          create_api_keys with the public key.
        </Translate>
      </p>
      <button
        type="button"
        className={styles.primary}
        disabled={isBusy}
        onClick={() => onUse(stamper)}
      >
        <Translate id="tryIt.made.use">I have registered it: connect</Translate>
      </button>
    </>
  );
}
