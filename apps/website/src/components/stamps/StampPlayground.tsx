import Translate, { translate } from "@docusaurus/Translate";
import { useEffect, useId, useState } from "react";
import { CopyButton } from "../CopyButton.tsx";
import styles from "../inspect/inspect.module.css";
import type { StampParts } from "./stamp-parts.ts";
import vectors from "./vectors.json";

/** Stamps a body with a published test key. It takes no key of the reader: nobody should paste one here. */
export function StampPlayground() {
  const id = useId();
  const [body, setBody] = useState(vectors.body);
  const [scheme, setScheme] = useState(vectors.vectors[0]?.scheme ?? "");
  const [isUsed, setIsUsed] = useState(false);
  const parts = useParts(isUsed, scheme, body);
  return (
    // The code that signs is loaded when somebody begins, and not with the page.
    <fieldset className={styles.playground} onFocus={() => setIsUsed(true)}>
      <legend>
        <Translate id="stampPlayground.title">Stamp a body</Translate>
      </legend>
      <label htmlFor={`${id}-body`}>
        <Translate id="tryIt.body">Body, byte for byte</Translate>
      </label>
      <textarea
        id={`${id}-body`}
        value={body}
        rows={3}
        spellCheck={false}
        autoCapitalize="off"
        onChange={(event) => {
          setBody(event.target.value);
          setIsUsed(true);
        }}
      />
      <div className={styles.row}>
        <label htmlFor={`${id}-scheme`}>
          <Translate id="stampPlayground.scheme">Scheme, with its test key</Translate>
        </label>
        <select
          id={`${id}-scheme`}
          value={scheme}
          onChange={(event) => {
            setScheme(event.target.value);
            setIsUsed(true);
          }}
        >
          {vectors.vectors.map((vector) => (
            <option key={vector.scheme}>{vector.scheme}</option>
          ))}
        </select>
        {!isUsed && (
          <button type="button" className="button button--secondary button--sm">
            <Translate id="stampPlayground.stamp">Stamp it</Translate>
          </button>
        )}
      </div>
      <output htmlFor={`${id}-body ${id}-scheme`} className={styles.output}>
        {parts && <Parts {...parts} body={body} />}
      </output>
    </fieldset>
  );
}

function Parts({ digest, publicKey, signature, header, body }: StampParts & { body: string }) {
  const size = new TextEncoder().encode(body).length;
  return (
    <dl>
      <dt>
        {translate(
          { id: "stampPlayground.digest", message: "SHA-256 of the body ({size} bytes)" },
          { size: String(size) },
        )}
      </dt>
      <dd>{digest}</dd>
      <dt>
        <Translate id="stampPlayground.challenge">
          Challenge of a passkey: these 64 characters as bytes, in base64url
        </Translate>
      </dt>
      <dd>{btoa(digest).replaceAll("=", "")}</dd>
      <dt>
        <Translate id="stampInspector.publicKey">Public key</Translate>
      </dt>
      <dd>{publicKey}</dd>
      <dt>
        <Translate id="stampPlayground.signature">Signature</Translate>
      </dt>
      <dd>{signature}</dd>
      <dt>
        X-Stamp <CopyButton text={header} label="X-Stamp" />
      </dt>
      <dd>{header}</dd>
    </dl>
  );
}

function useParts(isUsed: boolean, scheme: string, body: string): StampParts | undefined {
  const [parts, setParts] = useState<StampParts>();
  useEffect(() => {
    if (!isUsed) return;
    let isGone = false;
    const make = async () => {
      const { stampParts } = await import("./stamp-parts.ts");
      const made = await stampParts(scheme, body);
      if (!isGone) setParts(made);
    };
    make().catch((error: unknown) => console.warn("the playground could not stamp", error));
    return () => {
      isGone = true;
    };
  }, [isUsed, scheme, body]);
  return parts;
}
