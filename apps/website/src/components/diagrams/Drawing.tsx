import { type ReactNode, useId } from "react";
import styles from "../../css/Drawing.module.css";
import { ArrowHead } from "./ArrowHead.tsx";

type Props = {
  title: string;
  width: number;
  height: number;
  headSize?: number;
  /** Draws, with the marker for the heads of arrows. */
  children: (head: string) => ReactNode;
  /** The same as the drawing as a list: for narrow screens, and for those who listen. */
  list: (className: string | undefined) => ReactNode;
};

/** A drawing that follows light and dark, and its text. */
export function Drawing({ title, width, height, headSize, children, list }: Props) {
  const id = useId();
  return (
    <figure className={styles.figure}>
      <svg className={styles.drawing} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        <ArrowHead id={id} className={styles.head} size={headSize} />
        {children(`url(#${id})`)}
      </svg>
      <figcaption className={styles.caption}>{title}</figcaption>
      {list(styles.list)}
    </figure>
  );
}
