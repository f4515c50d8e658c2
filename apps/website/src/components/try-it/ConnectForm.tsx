import Translate, { translate } from "@docusaurus/Translate";
import type { Stamper } from "@keyhearth/sdk";
import { WebAuthnStamper } from "@keyhearth/sdk/stampers/webauthn";
import { useEffect, useId, useState } from "react";
import { setConnected } from "./connected.ts";
import { Failure } from "./Failure.tsx";
import { findAddress } from "./find-address.ts";
import { findReader } from "./find-reader.ts";
import { MadeKey } from "./MadeKey.tsx";
import { PasteKey } from "./PasteKey.tsx";
import {
  forgetKept,
  type KeptKey,
  listKept,
  openImported,
  openKept,
  rememberOrganization,
} from "./page-keys.ts";
import type { ImportedKey } from "./pasted-key.ts";
import { connect } from "./sending.ts";
import { type Told, tell } from "./sentences.ts";
import styles from "./TryIt.module.css";

type Way = "paste" | "make" | "passkey";

const ways: [Way, string][] = [
  ["paste", translate({ id: "tryIt.way.paste", message: "Paste an API key" })],
  ["make", translate({ id: "tryIt.way.make", message: "Make a key in this browser" })],
  ["passkey", translate({ id: "tryIt.way.passkey", message: "Use a passkey" })],
];

/** What asks the service who the reader is: a stamper, and the public key if it has one. */
type Credential = { stamper: Stamper; publicKey: string | null };

/** Connects the page once: every panel of it then stamps as this reader. */
export function ConnectForm({ service }: { service: string }) {
  const id = useId();
  const [way, setWay] = useState<Way>("paste");
  const [organizationId, setOrganizationId] = useState("");
  const [told, setTold] = useState<Told | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [kept, setKept] = useState<KeptKey[]>([]);
  useEffect(() => {
    let isGone = false;
    void listKept().then((keys) => isGone || setKept(keys));
    return () => {
      isGone = true;
    };
  }, []);

  async function connectWith(open: () => Promise<Credential>, knownId = organizationId.trim()) {
    setBusy(true);
    setTold(null);
    try {
      const { stamper, publicKey } = await open();
      const found = await findReader({ service, stamper, organizationId: knownId });
      if ("error" in found) setTold(tell(found.error, { service, organizationId: found.askedIn }));
      else {
        if (publicKey !== null) await rememberOrganization(publicKey, found.organizationId);
        const asksEachTime = publicKey === null;
        const sender = { ...found, service, stamper, publicKey, asksEachTime };
        const address = asksEachTime ? null : await findAddress(connect(sender));
        setConnected({ ...sender, address });
      }
    } catch (error) {
      setTold(tell(error, { service, organizationId: knownId }));
    }
    setBusy(false);
  }

  const connectImported = (key: ImportedKey, isKept: boolean) =>
    connectWith(
      async () => withKey(await openImported(key, isKept)),
      organizationId.trim() || (key.organizationId ?? ""),
    );

  const connectKept = ({ name, organizationId: known }: KeptKey) =>
    connectWith(async () => withKey(await openKept(name)), organizationId.trim() || (known ?? ""));

  async function forget({ name }: KeptKey) {
    await forgetKept(name);
    setKept(await listKept());
  }

  return (
    <fieldset className={styles.connect} aria-busy={isBusy}>
      <legend>
        <Translate id="tryIt.connect">Connect this page</Translate>
      </legend>
      {kept
        .filter(({ organizationId: known }) => known !== null)
        .map((key) => (
          <p key={key.name} className={styles.kept}>
            <button
              type="button"
              className={styles.primary}
              disabled={isBusy}
              onClick={() => connectKept(key)}
            >
              <Translate id="tryIt.kept.use">Use the key that you kept</Translate>
            </button>{" "}
            <code>{shortKey(key.publicKey)}</code>{" "}
            <button type="button" className={styles.link} onClick={() => forget(key)}>
              <Translate id="tryIt.kept.forget">Forget it</Translate>
            </button>
          </p>
        ))}
      <div className={styles.ways}>
        {ways.map(([name, label]) => (
          <label key={name}>
            <input
              type="radio"
              name={`${id}-way`}
              checked={way === name}
              onChange={() => {
                setWay(name);
                setTold(null);
              }}
            />
            {label}
          </label>
        ))}
      </div>
      <label htmlFor={`${id}-organization`}>
        <Translate id="tryIt.organization">Organization id</Translate>
      </label>
      <input
        id={`${id}-organization`}
        className={styles.input}
        value={organizationId}
        placeholder={translate({
          id: "tryIt.organization.empty",
          message: "Leave it empty, and the service looks it up",
        })}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setOrganizationId(event.target.value)}
      />
      {way === "paste" && <PasteKey isBusy={isBusy} onKey={connectImported} onTold={setTold} />}
      {way === "make" && (
        <MadeKey
          isBusy={isBusy}
          onUse={(stamper) => connectWith(async () => withKey(stamper))}
          onTold={setTold}
        />
      )}
      {way === "passkey" && (
        <>
          <p>
            <Translate id="tryIt.passkey.what" values={{ host: <b>{window.location.hostname}</b> }}>
              {"Your device shows its passkeys for {host}, and asks you for each stamp."}
            </Translate>
          </p>
          <button
            type="button"
            className={styles.primary}
            disabled={isBusy}
            onClick={() =>
              connectWith(async () => ({ stamper: new WebAuthnStamper(), publicKey: null }))
            }
          >
            <Translate id="tryIt.passkey.use">Connect with a passkey</Translate>
          </button>
        </>
      )}
      <Failure told={told} />
    </fieldset>
  );
}

function withKey(stamper: Stamper & { publicKey: string }): Credential {
  return { stamper, publicKey: stamper.publicKey };
}

/** Enough of a key to tell it from others. */
export function shortKey(publicKey: string): string {
  return `${publicKey.slice(0, 10)}…${publicKey.slice(-6)}`;
}
