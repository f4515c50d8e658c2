import Translate, { translate } from "@docusaurus/Translate";
import { useMemo, useState } from "react";
import { type Fact, Facts } from "../inspect/Facts.tsx";
import styles from "../inspect/inspect.module.css";
import { PublicField } from "../inspect/PublicField.tsx";
import { SampleSelect } from "../inspect/SampleSelect.tsx";
import { VerdictLine } from "../inspect/VerdictLine.tsx";
import { Prose } from "../Prose.tsx";
import {
  type Bundle,
  type Encrypted,
  inspectBundle,
  isBundle,
  readSignerKey,
  type Signed,
} from "./inspect-bundle.ts";
import samples from "./samples.json";
import { tellBundleFault, tellKind, tellSignature } from "./sentences.ts";

const bundles = (["import", "export", "code", "encrypted", "login"] as const).map((kind) => ({
  id: kind,
  label: tellKind(kind).name,
  text: samples.bundles[kind],
}));

/** The fields, and what the bundle says. */
export function BundleBench() {
  const [text, setText] = useState(samples.bundles.import);
  const [key, setKey] = useState(samples.signerKey);
  const signer = useMemo(() => readSignerKey(key), [key]);
  const inspected = useMemo(
    () => (text.trim() === "" ? null : inspectBundle(text, signer)),
    [text, signer],
  );
  const bundle = inspected && isBundle(inspected) ? inspected : null;
  return (
    <fieldset className={styles.playground}>
      <legend>
        <Translate id="bundleInspector.title">Take a bundle apart</Translate>
      </legend>
      <SampleSelect
        samples={bundles}
        onSelect={({ text: bundle }) => {
          setText(bundle);
          setKey(samples.signerKey);
        }}
      />
      <PublicField
        label={<Translate id="bundleInspector.bundle">Bundle</Translate>}
        rows={5}
        value={text}
        onChange={setText}
        fault={inspected && !isBundle(inspected) && <Prose text={tellBundleFault(inspected)} />}
      />
      <PublicField
        label={
          <Translate id="bundleInspector.signer">
            Public key of the signer that you pinned, in hex
          </Translate>
        }
        rows={2}
        value={key}
        onChange={setKey}
        fault={
          key.trim() !== "" &&
          signer === null && (
            <Translate id="bundleInspector.signer.fault">
              This is not a public key on P-256: enter its 130 hex characters, as “keyhearth signer
              describe” prints them, or the 66 of the compressed form.
            </Translate>
          )
        }
      />
      <p className={styles.hint}>
        <Translate id="bundleInspector.public">
          Only public parts are shown, and nothing leaves this page. To decrypt a bundle, use the
          SDK where the target key is: never enter a private key here.
        </Translate>
      </p>
      <output className={styles.output}>{bundle && <Shown bundle={bundle} />}</output>
    </fieldset>
  );
}

function Shown({ bundle }: { bundle: Bundle }) {
  const { name, what } = tellKind(bundle.kind);
  return (
    <>
      <VerdictLine state="open" word={name}>
        {what}
      </VerdictLine>
      {"signed" in bundle && <Signature verdict={bundle.signed.verdict} />}
      <Facts
        title={translate({ id: "bundleInspector.forWhom", message: "For whom" })}
        facts={receiverFacts(bundle)}
      />
      {"encrypted" in bundle && (
        <Facts
          title={translate({ id: "bundleInspector.encrypted", message: "What is encrypted" })}
          facts={encryptedFacts(bundle.encrypted)}
        />
      )}
      {"signed" in bundle && (
        <Facts
          title={translate({ id: "bundleInspector.signature", message: "The signature" })}
          facts={signedFacts(bundle.signed)}
        />
      )}
    </>
  );
}

function Signature({ verdict }: { verdict: Signed["verdict"] }) {
  const isGood = verdict === "by the given key";
  const isOpen = verdict === "by the key it names";
  const word = isGood ? (
    <Translate id="bundleInspector.good">signature holds</Translate>
  ) : isOpen ? (
    <Translate id="bundleInspector.open">signer not known</Translate>
  ) : (
    <Translate id="bundleInspector.bad">do not use it</Translate>
  );
  return (
    <VerdictLine state={isGood ? "good" : isOpen ? "open" : "bad"} word={word}>
      {tellSignature(verdict)}
    </VerdictLine>
  );
}

function receiverFacts(bundle: Bundle): Fact[] {
  const organization = (value: string): Fact => ({
    term: <Translate id="bundleInspector.organization">Organization</Translate>,
    value,
  });
  const target = (value: string): Fact => ({
    term: <Translate id="bundleInspector.target">Target key to encrypt to</Translate>,
    value,
    copy: {
      text: value,
      label: translate({ id: "bundleInspector.target", message: "Target key to encrypt to" }),
    },
  });
  switch (bundle.kind) {
    case "import":
      return [
        organization(bundle.organizationId),
        {
          term: <Translate id="bundleInspector.user">User</Translate>,
          value: bundle.userId,
        },
        target(bundle.targetPublic),
      ];
    case "export":
      return [
        organization(bundle.organizationId),
        {
          term: <Translate id="bundleInspector.receiver">Receiver</Translate>,
          value: (
            <Translate id="bundleInspector.receiver.export">
              the holder of the target key that the export named
            </Translate>
          ),
        },
      ];
    case "code":
      return [target(bundle.targetPublic)];
    case "encrypted":
      return [
        {
          term: <Translate id="bundleInspector.receiver">Receiver</Translate>,
          value: (
            <Translate id="bundleInspector.receiver.signer">
              the signer, by the key of the bundle that the client was given
            </Translate>
          ),
        },
      ];
    case "login":
      return [
        {
          term: <Translate id="bundleInspector.receiver">Receiver</Translate>,
          value: (
            <Translate id="bundleInspector.receiver.login">
              the holder of the target key that the login named
            </Translate>
          ),
        },
      ];
  }
}

function encryptedFacts({ encappedPublic, ciphertext, secretSize }: Encrypted): Fact[] {
  return [
    {
      term: <Translate id="bundleInspector.encapped">Encapsulated key</Translate>,
      value: encappedPublic,
    },
    {
      term: <Translate id="bundleInspector.ciphertext">Ciphertext and tag</Translate>,
      value: ciphertext,
    },
    {
      term: <Translate id="bundleInspector.size">Size of the secret</Translate>,
      value: (
        <Translate id="bundleInspector.bytes" values={{ count: String(secretSize) }}>
          {"{count} bytes"}
        </Translate>
      ),
      note: secretSize === 32 && (
        <Translate id="bundleInspector.key">A private key has 32 bytes.</Translate>
      ),
    },
  ];
}

function signedFacts({ version, signature, signer }: Signed): Fact[] {
  return [
    { term: <code>version</code>, value: version },
    {
      term: <Translate id="bundleInspector.named">Signer key that it names</Translate>,
      value: signer,
    },
    {
      term: <Translate id="bundleInspector.der">Signature in DER</Translate>,
      value: signature,
    },
  ];
}
