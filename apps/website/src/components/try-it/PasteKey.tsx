import Translate from "@docusaurus/Translate";
import { type ClipboardEvent, useId, useRef, useState } from "react";
import { type ImportedKey, importPastedKey } from "./pasted-key.ts";
import { type Told, tellKeyFault } from "./sentences.ts";
import styles from "./TryIt.module.css";

type Props = {
  isBusy: boolean;
  onKey: (key: ImportedKey, isKept: boolean) => void;
  onTold: (told: Told | null) => void;
};

/** Takes an API key. A pasted text is read from the clipboard and never becomes part of the page. */
export function PasteKey({ isBusy, onKey, onTold }: Props) {
  const id = useId();
  const box = useRef<HTMLTextAreaElement>(null);
  const [isKept, setKept] = useState(false);

  async function take(text: string) {
    if (box.current) box.current.value = "";
    const key = await importPastedKey(text);
    if (typeof key === "string") onTold({ text: tellKeyFault(key), code: null });
    else onKey(key, isKept);
  }

  function onPaste(event: ClipboardEvent) {
    event.preventDefault();
    void take(event.clipboardData.getData("text"));
  }

  return (
    <>
      <label htmlFor={`${id}-key`}>
        <Translate id="tryIt.paste.label">Key file or private key</Translate>
      </label>
      <textarea
        ref={box}
        id={`${id}-key`}
        className={styles.input}
        rows={2}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        aria-describedby={`${id}-what`}
        onPaste={onPaste}
      />
      <p id={`${id}-what`} className={styles.hint}>
        <Translate id="tryIt.paste.what">
          The browser imports the key at once so that no script can read it, this page forgets the
          text, and nothing of it is sent. Use a key of a test organization.
        </Translate>
      </p>
      <label className={styles.check}>
        <input
          type="checkbox"
          checked={isKept}
          onChange={(event) => setKept(event.target.checked)}
        />
        <Translate id="tryIt.paste.keep">
          Keep the imported key in this browser, for the next visit
        </Translate>
      </label>
      <button
        type="button"
        className={styles.primary}
        disabled={isBusy}
        onClick={() => take(box.current?.value ?? "")}
      >
        <Translate id="tryIt.paste.use">Connect with this key</Translate>
      </button>
    </>
  );
}
