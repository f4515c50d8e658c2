import styles from "./TrustBoundary.module.css";

/** The two rooms and the one door: what the host can touch, and what only the signer can. */
export function TrustBoundary() {
  return (
    <svg
      className={styles.drawing}
      viewBox="0 0 640 400"
      role="img"
      aria-labelledby="trust-boundary-title trust-boundary-text"
    >
      <title id="trust-boundary-title">The trust boundary</title>
      <desc id="trust-boundary-text">
        A client stamps a request and sends it to the untrusted host, which holds the API and the
        database. The host passes the stamped bytes and stored records through one door to the
        trusted core. Only the core holds the root key, verifies the stamp, decides, signs, and
        notarizes the records it hands back.
      </desc>
      <defs>
        <marker id="tb-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse">
          <path d="M0 0 8 4 0 8z" className={styles.head} />
        </marker>
      </defs>

      <g>
        <rect x="14" y="30" width="104" height="64" rx="10" className={styles.box} />
        <text x="66" y="58" className={styles.label}>You</text>
        <text x="66" y="78" className={styles.note}>hold a key</text>
      </g>
      <path d="M66 94v78a16 16 0 0 0 16 16h70" className={styles.line} markerEnd="url(#tb-arrow)" />
      <text x="78" y="136" className={styles.step}>request</text>
      <text x="78" y="154" className={styles.step}>+ stamp</text>

      <rect x="160" y="30" width="200" height="340" rx="14" className={styles.host} />
      <text x="178" y="62" className={styles.room}>Untrusted host</text>
      <rect x="180" y="156" width="160" height="64" rx="10" className={styles.box} />
      <text x="260" y="184" className={styles.label}>API</text>
      <text x="260" y="204" className={styles.note}>speaks HTTP, delivers</text>
      <rect x="180" y="284" width="160" height="64" rx="10" className={styles.box} />
      <text x="260" y="312" className={styles.label}>Database</text>
      <text x="260" y="332" className={styles.note}>notarized records</text>
      <path d="M260 222v60" className={styles.line} markerEnd="url(#tb-arrow)" markerStart="url(#tb-arrow)" />
      <text x="178" y="88" className={styles.limit}>may refuse or hide,</text>
      <text x="178" y="106" className={styles.limit}>cannot forge or sign</text>

      <path d="M426 30a14 14 0 0 1 14-14h172a14 14 0 0 1 14 14v340a14 14 0 0 1-14 14H440a14 14 0 0 1-14-14z" className={styles.core} />
      <text x="446" y="62" className={styles.roomCore}>Trusted core</text>
      <g transform="translate(494 78) scale(2)">
        <path d="M3.5 27V15.5a12.5 12.5 0 0 1 25 0V27z" className={styles.arch} />
        <path d="M16 7.2c3 2.7 5.4 5 5.4 8.4a5.4 5.4 0 0 1-2.9 4.8l1.7 6.6h-8.4l1.7-6.6a5.4 5.4 0 0 1-2.9-4.8c0-2 1-3.5 2.2-4.8.4 1 .9 1.6 1.5 2 .1-2.2.5-4 1.7-5.6z" className={styles.flame} />
        <rect x="1" y="27" width="30" height="3.5" rx="1.75" className={styles.arch} />
      </g>
      <text x="526" y="166" className={styles.noteCore}>the root key stays here</text>
      <g className={styles.list}>
        <text x="450" y="208">1 verify the stamp</text>
        <text x="450" y="238">2 check the records</text>
        <text x="450" y="268">3 policies and votes</text>
        <text x="450" y="298">4 sign</text>
        <text x="450" y="328">5 notarize</text>
      </g>

      <path d="M344 178h76" className={styles.line} markerEnd="url(#tb-arrow)" />
      <path d="M420 202h-76" className={styles.line} markerEnd="url(#tb-arrow)" />
      <text x="393" y="160" className={styles.door}>one door</text>
    </svg>
  );
}
