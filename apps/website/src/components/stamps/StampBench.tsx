import Translate, { translate } from "@docusaurus/Translate";
import { useMemo, useState } from "react";
import { type Fact, Facts } from "../inspect/Facts.tsx";
import styles from "../inspect/inspect.module.css";
import { PublicField } from "../inspect/PublicField.tsx";
import { SampleSelect } from "../inspect/SampleSelect.tsx";
import { VerdictLine } from "../inspect/VerdictLine.tsx";
import { Prose } from "../Prose.tsx";
import {
  type BodyParts,
  type Inspected,
  inspectStamp,
  type PasskeyParts,
  readCoseKey,
  type Verdict,
} from "./inspect-stamp.ts";
import passkey from "./passkey-vector.json";
import { tellReason, tellStampFault } from "./sentences.ts";
import vectors from "./vectors.json";

type Given = { header: string; body: string; coseKey: string };
type Sample = Given & { id: string; label: string };

const [p256] = vectors.vectors;
const spread = `${JSON.stringify(JSON.parse(vectors.body), null, 2)}\n`;

const samples: Sample[] = [
  {
    id: "key",
    label: translate({ id: "stampInspector.sample.key", message: "A stamp of an API key" }),
    header: p256?.header ?? "",
    body: vectors.body,
    coseKey: "",
  },
  {
    id: "again",
    label: translate({
      id: "stampInspector.sample.again",
      message: "A body that was serialized again",
    }),
    header: p256?.header ?? "",
    body: spread,
    coseKey: "",
  },
  {
    id: "passkey",
    label: translate({ id: "stampInspector.sample.passkey", message: "A stamp of a passkey" }),
    header: JSON.stringify(passkey.stamp),
    body: passkey.body,
    coseKey: passkey.publicKey,
  },
];

/** The fields, and what they say. */
export function StampBench() {
  const [{ header, body, coseKey }, setGiven] = useState<Given>(
    () => samples[0] ?? { header: "", body: "", coseKey: "" },
  );
  const cose = useMemo(() => (coseKey.trim() === "" ? null : readCoseKey(coseKey)), [coseKey]);
  const inspected = useMemo(
    () => (header.trim() === "" ? null : inspectStamp(header, body, cose)),
    [header, body, cose],
  );
  const isStamp = inspected !== null && "read" in inspected;
  const isPasskey = isStamp && inspected.read.kind === "passkey";
  return (
    <fieldset className={styles.playground}>
      <legend>
        <Translate id="stampInspector.title">Take a stamp apart</Translate>
      </legend>
      <SampleSelect samples={samples} onSelect={(sample) => setGiven(sample)} />
      <PublicField
        label={<Translate id="stampInspector.header">Value of the header</Translate>}
        rows={4}
        value={header}
        onChange={(next) => setGiven({ header: next, body, coseKey })}
        fault={
          inspected !== null && !("read" in inspected) && <Prose text={tellStampFault(inspected)} />
        }
      />
      <PublicField
        label={
          <Translate id="stampInspector.body">The body as it was sent, byte for byte</Translate>
        }
        rows={3}
        value={body}
        onChange={(next) => setGiven({ header, body: next, coseKey })}
        fault={
          isStamp &&
          inspected.body?.request === null && (
            <Translate id="stampInspector.notJson">
              This body is not a JSON object, or could be read in two ways, so the API refuses it
              whoever stamped it. Send one object in which no name comes twice.
            </Translate>
          )
        }
      />
      {isPasskey && (
        <PublicField
          label={
            <Translate id="stampInspector.cose">
              Public key of the passkey, COSE in base64url
            </Translate>
          }
          hint={
            <Translate id="stampInspector.cose.where">
              A stamp of a passkey does not carry it. A vote of the activity shows it as publicKey.
            </Translate>
          }
          rows={2}
          value={coseKey}
          onChange={(next) => setGiven({ header, body, coseKey: next })}
          fault={
            coseKey.trim() !== "" &&
            cose === null && (
              <Translate id="stampInspector.cose.fault">
                This is not the public key of a passkey: it must be a COSE key for ES256 or RS256,
                in base64url or hex.
              </Translate>
            )
          }
        />
      )}
      <p className={styles.hint}>
        <Translate id="stampInspector.nothingLeaves">
          Your browser takes it apart. Nothing leaves this page.
        </Translate>
      </p>
      <output className={styles.output}>{isStamp && <Shown {...inspected} />}</output>
    </fieldset>
  );
}

function Shown({ read, signature, passkey: parts, body, verdict }: Inspected) {
  return (
    <>
      <Answer verdict={verdict} />
      <Facts
        title={translate({ id: "stampInspector.stamp", message: "The stamp" })}
        facts={read.kind === "passkey" ? passkeyFacts(read.stamp.credentialId) : keyFacts(read)}
      />
      {parts && (
        <Facts
          title={translate({
            id: "stampInspector.passkey",
            message: "What the browser and the authenticator signed",
          })}
          facts={clientFacts(parts)}
        />
      )}
      <Facts
        title={translate({ id: "stampInspector.signature", message: "The signature" })}
        facts={signatureFacts(signature)}
      />
      {body && (
        <Facts
          title={translate({ id: "stampInspector.bodyParts", message: "The body" })}
          facts={bodyFacts(body)}
        />
      )}
    </>
  );
}

function Answer({ verdict }: { verdict: Verdict }) {
  switch (verdict.answer) {
    case "valid":
      return (
        <VerdictLine state="good" word={<Translate id="stampInspector.valid">valid</Translate>}>
          <Translate id="stampInspector.valid.what">
            This key stamped exactly this body. Whether the key may do what the body asks is decided
            by the service.
          </Translate>
        </VerdictLine>
      );
    case "open":
      return (
        <VerdictLine
          state="open"
          word={<Translate id="stampInspector.open">not verified</Translate>}
        >
          {verdict.needs === "body" ? (
            <Translate id="stampInspector.open.body">
              Enter the body that was sent with it, and the signature is verified.
            </Translate>
          ) : (
            <Translate id="stampInspector.open.key">
              The challenge is that of this body. Enter the public key of the passkey, and the
              signature is verified too.
            </Translate>
          )}
        </VerdictLine>
      );
    case "invalid":
      return (
        <VerdictLine
          state="bad"
          word={<Translate id="stampInspector.invalid">not valid</Translate>}
        >
          <Prose text={tellReason(verdict.reason, verdict.scheme)} />
        </VerdictLine>
      );
  }
}

function keyFacts(read: Exclude<Inspected["read"], { kind: "passkey" }>): Fact[] {
  const { stamp } = read;
  const publicKey: Fact = {
    term: <Translate id="stampInspector.publicKey">Public key</Translate>,
    value: stamp.publicKey,
    copy: {
      text: stamp.publicKey,
      label: translate({ id: "stampInspector.publicKey", message: "Public key" }),
    },
  };
  const scheme = read.kind === "attested" ? read.scheme : stamp.scheme;
  return [
    {
      term: <Translate id="stampInspector.headerName">Header</Translate>,
      value: read.kind === "attested" ? "X-Stamp-Attested" : "X-Stamp",
      note: read.kind === "api key" && !read.isEncoded && (
        <Translate id="stampInspector.plain">
          You entered the JSON itself. In the header it must be in base64url.
        </Translate>
      ),
    },
    { term: <Translate id="stampInspector.scheme">Scheme</Translate>, value: scheme },
    publicKey,
    ...(read.kind === "attested"
      ? [
          {
            term: <Translate id="stampInspector.token">Token that attests the key</Translate>,
            value: read.token,
            note: (
              <Translate id="stampInspector.token.what">
                The signature of the token itself is not checked here.
              </Translate>
            ),
          },
        ]
      : []),
  ];
}

function passkeyFacts(credentialId: string): Fact[] {
  return [
    {
      term: <Translate id="stampInspector.headerName">Header</Translate>,
      value: "X-Stamp-Webauthn",
    },
    {
      term: <Translate id="stampInspector.credentialId">Credential id</Translate>,
      value: credentialId,
    },
  ];
}

function clientFacts(parts: PasskeyParts): Fact[] {
  const { type, challenge, digest, origin, isCrossOrigin, rpId, rpIdHash, flags, signCount } =
    parts;
  return [
    { term: <code>type</code>, value: type },
    {
      term: <code>challenge</code>,
      value: challenge,
      note:
        digest === null ? (
          <Translate id="stampInspector.challenge.other">
            It is not the 64 hex characters of a digest, so it belongs to no stamp.
          </Translate>
        ) : (
          <Translate
            id="stampInspector.challenge.digest"
            values={{ digest: <code>{digest}</code> }}
          >
            {"It says the digest of the body that was signed: {digest}"}
          </Translate>
        ),
    },
    {
      term: <code>origin</code>,
      value: origin,
      note: isCrossOrigin && (
        <Translate id="stampInspector.crossOrigin">
          The page was inside a page of another origin.
        </Translate>
      ),
    },
    {
      term: <Translate id="stampInspector.rp">Relying party</Translate>,
      value: rpId ?? rpIdHash,
      note: rpId === null && (
        <Translate id="stampInspector.rp.unknown">
          This hash is not that of the host of the origin or of a parent domain.
        </Translate>
      ),
    },
    {
      term: <Translate id="stampInspector.flags">Flags</Translate>,
      value: (
        <ul className={styles.flags}>
          {flagNames.map(([flag, name]) => (
            <li key={flag} data-on={flags[flag]}>
              <b>{flag}</b> {name}: {flags[flag] ? yes : no}
            </li>
          ))}
        </ul>
      ),
    },
    {
      term: <Translate id="stampInspector.counter">Counter</Translate>,
      value: String(signCount),
    },
  ];
}

const yes = translate({ id: "inspect.yes", message: "yes" });
const no = translate({ id: "inspect.no", message: "no" });

const flagNames: [keyof PasskeyParts["flags"], string][] = [
  ["UP", translate({ id: "stampInspector.flag.UP", message: "user was present" })],
  ["UV", translate({ id: "stampInspector.flag.UV", message: "user was verified" })],
  ["BE", translate({ id: "stampInspector.flag.BE", message: "passkey may be backed up" })],
  ["BS", translate({ id: "stampInspector.flag.BS", message: "passkey is backed up" })],
  ["AT", translate({ id: "stampInspector.flag.AT", message: "data of a new passkey follows" })],
  ["ED", translate({ id: "stampInspector.flag.ED", message: "extensions follow" })],
];

function signatureFacts(signature: Inspected["signature"]): Fact[] {
  if (!signature) {
    return [
      {
        term: <Translate id="stampInspector.rsa">One number</Translate>,
        value: "RSA",
      },
    ];
  }
  return [
    { term: <code>r</code>, value: signature.r },
    {
      term: <code>s</code>,
      value: signature.s,
      note: signature.isHighS && (
        <Translate id="stampInspector.highS">
          It is in the upper half (a high s). The API accepts both halves; some other software does
          not.
        </Translate>
      ),
    },
  ];
}

function bodyFacts({ size, digest, request }: BodyParts): Fact[] {
  const facts: Fact[] = [
    {
      term: <Translate id="stampInspector.size">Bytes</Translate>,
      value: String(size),
    },
    { term: "SHA-256", value: digest },
  ];
  if (!request) return facts;
  const { type, organizationId, timestampMs } = request;
  if (type !== null) facts.push({ term: <code>type</code>, value: type });
  if (organizationId !== null)
    facts.push({ term: <code>organizationId</code>, value: organizationId });
  if (timestampMs !== null) {
    facts.push({ term: <code>timestampMs</code>, value: timestampMs, note: dateOf(timestampMs) });
  }
  return facts;
}

function dateOf(timestampMs: string): string | null {
  const date = new Date(/^\d{1,15}$/.test(timestampMs) ? Number(timestampMs) : Number.NaN);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
