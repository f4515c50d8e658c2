import styles from "./SegmentChain.module.css";

const segments = [
  { number: 1, follows: "nothing before it", statements: ["A, version 1", "B, version 1"] },
  { number: 2, follows: "digest of segment 1", statements: ["C, version 1"] },
  { number: 3, follows: "digest of segment 2", statements: ["B, version 2", "D, version 1"] },
];

/** Three segments in a row, or stacked on a narrow page. */
export function SegmentChain() {
  return (
    <figure className={styles.figure}>
      <ol className={styles.chain}>
        {segments.map(({ number, follows, statements }) => (
          <li key={number} className={styles.segment}>
            <div className={styles.head}>
              <strong>Segment {number}</strong>
              <span>{follows}</span>
            </div>
            <div className={styles.root}>Merkle root</div>
            <ul className={styles.leaves}>
              {statements.map((statement) => (
                <li key={statement}>{statement}</li>
              ))}
            </ul>
            <div className={styles.signature}>signed</div>
          </li>
        ))}
      </ol>
      <figcaption className={styles.caption}>
        Statements about the activities A to D. Activity B first waited for approvals; segment 3
        records that it was completed.
      </figcaption>
    </figure>
  );
}
