import type { ReactNode } from "react";
import styles from "../../css/Diagram.module.css";
import { Drawing } from "./Drawing.tsx";

type Props = {
  title: string;
  height: number;
  /** The same as the drawing, in sentences: for narrow screens, and for those who listen. */
  sentences: string[];
  /** Draws on a width of 720, with the marker for the heads of arrows. */
  children: (head: string) => ReactNode;
};

/** A drawing of boxes and lines that follows light and dark, and its text. */
export function Diagram({ title, height, sentences, children }: Props) {
  const list = (className: string | undefined) => (
    <ul className={className}>
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
  return (
    <Drawing title={title} width={720} height={height} list={list}>
      {children}
    </Drawing>
  );
}

type BoxProps = {
  x: number;
  y: number;
  width?: number;
  title: string;
  note: string;
  kind?: "plain" | "core" | "outside";
};

export function Box({ x, y, width = 150, title, note, kind = "plain" }: BoxProps) {
  return (
    <g transform={`translate(${x} ${y})`}>
      <rect width={width} height="64" rx="10" className={styles[kind]} />
      <text x={width / 2} y="28" className={styles.name}>
        {title}
      </text>
      <text x={width / 2} y="47" className={styles.note}>
        {note}
      </text>
    </g>
  );
}

export function Line({ d, head }: { d: string; head: string }) {
  return <path d={d} className={styles.line} markerEnd={head} />;
}

export function Words({ x, y, children }: { x: number; y: number; children: string }) {
  return (
    <text x={x} y={y} className={styles.note}>
      {children}
    </text>
  );
}

/** A frame around boxes, with its name at the top left. */
export function Frame(props: {
  x: number;
  y: number;
  width: number;
  height: number;
  title: string;
}) {
  const { x, y, width, height, title } = props;
  return (
    <g transform={`translate(${x} ${y})`}>
      <rect width={width} height={height} rx="14" className={styles.frame} />
      <text x="16" y="24" className={styles.frameTitle}>
        {title}
      </text>
    </g>
  );
}
