import Translate, { translate } from "@docusaurus/Translate";
import type { AddressFormatName } from "@keyhearth/crypto/addresses/formats";
import { addressEncodings } from "@keyhearth/crypto/addresses/formats";
import { type ReactNode, useEffect, useId, useMemo, useState } from "react";
import { CopyButton } from "../CopyButton.tsx";
import styles from "../inspect/inspect.module.css";
import { Prose } from "../Prose.tsx";
import {
  type DerivedAddress,
  deriveAddresses,
  faultOfMnemonic,
  faultOfPath,
  testMnemonic,
  type Wanted,
} from "./derive-addresses.ts";
import { cellsOf, rowsBelow } from "./rows-below.tsx";
import { tellMnemonicFault, tellPathFault } from "./sentences.ts";

type Props = {
  /** The rows that are shown now. */
  table: ReactNode;
  /** The table with all rows. */
  whole: ReactNode;
};

/** The fields for a mnemonic and a path, and the table with the addresses below its rows. */
export function AddressBench({ table, whole }: Props) {
  const id = useId();
  const [mnemonic, setMnemonic] = useState(testMnemonic);
  const [path, setPath] = useState("");
  const mnemonicFault = faultOfMnemonic(mnemonic);
  const pathFault = faultOfPath(path);
  const wanted = useMemo(() => cellsOf(whole).flatMap(wantedIn), [whole]);
  const isValid = mnemonicFault === null && pathFault === null;
  const addresses = useAddresses(mnemonic, path, isValid ? wanted : none);
  return (
    <>
      <fieldset className={styles.playground}>
        <legend>
          <Translate id="addresses.title">Addresses of a mnemonic</Translate>
        </legend>
        <div className={styles.field}>
          <label htmlFor={`${id}-mnemonic`}>
            <Translate id="addresses.mnemonic">Test mnemonic</Translate>
          </label>
          <textarea
            id={`${id}-mnemonic`}
            rows={2}
            value={mnemonic}
            spellCheck={false}
            autoComplete="off"
            autoCapitalize="off"
            aria-describedby={`${id}-warning ${id}-mnemonic-fault`}
            aria-invalid={mnemonicFault !== null}
            onChange={(event) => setMnemonic(event.target.value)}
          />
          <p id={`${id}-warning`} className={styles.hint}>
            <Translate id="addresses.warning">
              Everybody knows this one. Never type a mnemonic that holds money into a page, not even
              into this one, though nothing leaves it: your browser derives the keys, shows the
              addresses and forgets both.
            </Translate>
          </p>
          <div id={`${id}-mnemonic-fault`} role="alert">
            {mnemonicFault && (
              <p className={styles.fault}>
                <Prose text={tellMnemonicFault(mnemonicFault)} />
              </p>
            )}
          </div>
        </div>
        <div className={styles.field}>
          <label htmlFor={`${id}-path`}>
            <Translate id="addresses.path">Path for all formats</Translate>
          </label>
          <input
            id={`${id}-path`}
            value={path}
            placeholder={translate({
              id: "addresses.path.empty",
              message: "Leave it empty for the usual path of each",
            })}
            spellCheck={false}
            autoComplete="off"
            autoCapitalize="off"
            aria-describedby={`${id}-path-fault`}
            aria-invalid={pathFault !== null}
            onChange={(event) => setPath(event.target.value)}
          />
          <div id={`${id}-path-fault`} role="alert">
            {pathFault && (
              <p className={styles.fault}>
                <Prose text={tellPathFault(pathFault)} />
              </p>
            )}
          </div>
        </div>
      </fieldset>
      {rowsBelow(table, styles.below, (cells) => {
        const formats = wantedIn(cells).map(({ format }) => format);
        const found = addresses.filter(({ format }) => formats.includes(format));
        return found.length > 0 && <Addresses found={found} />;
      })}
    </>
  );
}

function Addresses({ found }: { found: readonly DerivedAddress[] }) {
  const hasSeveral = found.some(({ format }) => format !== found[0]?.format);
  return (
    <ul className={styles.addresses}>
      {found.map(({ format, curve, path, address }) => (
        <li key={`${format} ${curve}`}>
          <span>
            {found.length > 1 && <b>{hasSeveral ? shortName(format) : curve} </b>}
            {path}
          </span>
          <code>{address}</code>
          <CopyButton text={address} label={`${shortName(format)} ${curve}`} />
        </li>
      ))}
    </ul>
  );
}

function shortName(format: AddressFormatName): string {
  return format.replace("ADDRESS_FORMAT_", "");
}

/** The formats that a row of the table names, each with the usual path. */
function wantedIn([, formats = "", , usual = ""]: string[]): Wanted[] {
  const [path = anyPath] = /m(?:\/\d+'?)+/.exec(usual) ?? [];
  return [...formats.matchAll(/ADDRESS_FORMAT_\w+/g)].flatMap(([name]) =>
    isFormat(name) ? { format: name, path } : [],
  );
}

/** For public keys, which have no usual path. */
const anyPath = "m/44'/60'/0'/0/0";

function isFormat(name: string): name is AddressFormatName {
  return Object.hasOwn(addressEncodings, name);
}

const none: readonly Wanted[] = [];

/** Derived a moment after the last key press, because the seed alone takes longer than a frame. */
function useAddresses(mnemonic: string, path: string, wanted: readonly Wanted[]) {
  const [addresses, setAddresses] = useState<DerivedAddress[]>([]);
  useEffect(() => {
    if (wanted.length === 0) {
      setAddresses([]);
      return;
    }
    const timer = setTimeout(() => setAddresses(deriveAddresses(mnemonic, wanted, path)), 150);
    return () => clearTimeout(timer);
  }, [mnemonic, path, wanted]);
  return addresses;
}
