import Translate, { translate } from "@docusaurus/Translate";
import clsx from "clsx";
import { useId } from "react";
import { ArrowHead } from "../diagrams/ArrowHead.tsx";
import styles from "./TrustBoundary.module.css";

type Place = { x: number; y: number };

/** Host, signer and the interface between them: a wide drawing, and a tall one for narrow screens. */
export function TrustBoundary() {
  const arrow = useId();
  const head = `url(#${arrow})`;
  const label = translate({
    id: "trust.label",
    message:
      "You stamp a request and send it to the untrusted host, which runs the API and the database. The host passes the stamped bytes and stored records to the trusted signer through a single interface. Only the signer holds the root key. It verifies the stamp, checks the records, decides, signs, and notarizes what it returns.",
  });
  return (
    <figure className={styles.figure} role="img" aria-label={label}>
      <svg className={clsx(styles.drawing, styles.wide)} viewBox="0 0 668 376" aria-hidden="true">
        <ArrowHead id={arrow} className={styles.head} />
        <Client x={2} y={14} />
        <text x="66" y="122" className={styles.step}>
          <Translate id="trust.request">request</Translate>
        </text>
        <text x="66" y="140" className={styles.step}>
          <Translate id="trust.stamp">+ stamp</Translate>
        </text>
        <Host x={156} y={14} />
        <path d="M54 78v80a16 16 0 0 0 16 16h106" className={styles.line} markerEnd={head} />
        <path d="M340 162h112" className={styles.line} markerEnd={head} />
        <path d="M454 186H342" className={styles.line} markerEnd={head} />
        <text x="407" y="148" className={styles.door}>
          <Translate id="trust.interface">one interface</Translate>
        </text>
        <Core x={458} y={2} />
      </svg>
      <svg className={clsx(styles.drawing, styles.tall)} viewBox="0 0 330 814" aria-hidden="true">
        <Client x={113} y={2} />
        <path d="M165 66v46" className={styles.line} markerEnd={head} />
        <text x="178" y="94" className={styles.step}>
          <Translate id="trust.requestAndStamp">request + stamp</Translate>
        </text>
        <Host x={65} y={114} />
        <path d="M154 434v58" className={styles.line} markerEnd={head} />
        <path d="M178 492v-58" className={styles.line} markerEnd={head} />
        <text x="232" y="474" className={styles.door}>
          <Translate id="trust.interface">one interface</Translate>
        </text>
        <Core x={61} y={476} />
      </svg>
    </figure>
  );
}

function Client({ x, y }: Place) {
  return (
    <g transform={`translate(${x} ${y})`}>
      <rect width="104" height="64" rx="10" className={styles.box} />
      <text x="52" y="28" className={styles.label}>
        <Translate id="trust.you">You</Translate>
      </text>
      <text x="52" y="48" className={styles.note}>
        <Translate id="trust.key">hold a key</Translate>
      </text>
    </g>
  );
}

function Host({ x, y }: Place) {
  return (
    <g transform={`translate(${x} ${y})`}>
      <rect width="200" height="318" rx="14" className={styles.host} />
      <text x="18" y="34" className={styles.room}>
        <Translate id="trust.host">Untrusted host</Translate>
      </text>
      <text x="18" y="60" className={styles.step}>
        <Translate id="trust.host.can">can refuse or hide,</Translate>
      </text>
      <text x="18" y="78" className={styles.step}>
        <Translate id="trust.host.cannot">can’t forge or sign</Translate>
      </text>
      <rect x="20" y="128" width="160" height="64" rx="10" className={styles.box} />
      <text x="100" y="156" className={styles.label}>
        API
      </text>
      <text x="100" y="176" className={styles.note}>
        <Translate id="trust.api">HTTP, no keys</Translate>
      </text>
      <path d="M100 193v40" className={styles.line} />
      <rect x="20" y="234" width="160" height="64" rx="10" className={styles.box} />
      <text x="100" y="262" className={styles.label}>
        <Translate id="trust.database">Database</Translate>
      </text>
      <text x="100" y="282" className={styles.note}>
        <Translate id="trust.records">notarized records</Translate>
      </text>
    </g>
  );
}

const work = [
  translate({ id: "trust.work.verify", message: "verify the stamp" }),
  translate({ id: "trust.work.check", message: "check the records" }),
  translate({ id: "trust.work.decide", message: "count votes, decide" }),
  translate({ id: "trust.work.sign", message: "sign" }),
  translate({ id: "trust.work.notarize", message: "notarize" }),
];

function Core({ x, y }: Place) {
  return (
    <g transform={`translate(${x} ${y})`}>
      <path
        d="M2 300V104a102 102 0 0 1 204 0v196z"
        transform="translate(0 20)"
        className={styles.core}
      />
      <rect y="320" width="208" height="14" rx="4" className={styles.stone} />
      <g transform="translate(82 40) scale(1.4)">
        <path d="M3.5 27V15.5a12.5 12.5 0 0 1 25 0V27z" className={styles.arch} />
        <path
          d="M16 7.2c3 2.7 5.4 5 5.4 8.4a5.4 5.4 0 0 1-2.9 4.8l1.7 6.6h-8.4l1.7-6.6a5.4 5.4 0 0 1-2.9-4.8c0-2 1-3.5 2.2-4.8.4 1 .9 1.6 1.5 2 .1-2.2.5-4 1.7-5.6z"
          className={styles.flame}
        />
        <rect x="1" y="27" width="30" height="3.5" rx="1.75" className={styles.arch} />
      </g>
      <text x="104" y="114" className={styles.roomCore}>
        <Translate id="trust.core">Trusted signer</Translate>
      </text>
      <text x="104" y="136" className={styles.note}>
        <Translate id="trust.core.key">the root key stays here</Translate>
      </text>
      {work.map((step, index) => (
        <text key={step} x="36" y={178 + index * 29} className={styles.work}>
          <tspan className={styles.number}>{index + 1}</tspan>
          <tspan dx="10">{step}</tspan>
        </text>
      ))}
    </g>
  );
}
