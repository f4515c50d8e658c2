import styles from "../../css/Sequence.module.css";
import { Drawing } from "../diagrams/Drawing.tsx";

/** A lifeline. `trusted` sees plaintext secrets; `carrier` only passes on what others wrote. */
export type Actor = {
  name: string;
  /** The name inside of a sentence. */
  inText: string;
  note: string;
  kind: "trusted" | "carrier";
};

/** A message from one actor to another, or the work of one: `from` and `to` count actors from 0. */
export type Step = { from: number; to: number; text: string };

type Props = {
  title: string;
  actors: Actor[];
  steps: Step[];
  /** The word between sender and receiver in the list. */
  to?: string;
};

const WIDTH = 760;
const HEAD = 74;
const LINE = 17;
const GAP = 34;

/**
 * Who sends what to whom, in order: a drawing on wide screens, and the same steps as a list on narrow ones
 * and for those who listen.
 */
export function Sequence({ title, actors, steps, to: word = "to" }: Props) {
  const step = WIDTH / actors.length;
  const center = (actor: number) => step * actor + step / 2;
  const rows = layOut(steps, step);
  const height = (rows.at(-1)?.end ?? HEAD) + 14;
  const list = (className: string | undefined) => (
    <ol className={className}>
      {steps.map(({ from, to, text }) => (
        <li key={text}>
          <strong>
            {actors[from]?.name}
            {from !== to && ` ${word} ${actors[to]?.inText}`}:
          </strong>{" "}
          {text}
        </li>
      ))}
    </ol>
  );
  return (
    <Drawing title={title} width={WIDTH} height={height} headSize={7} list={list}>
      {(head) => (
        <>
          {actors.map(({ name, note, kind }, index) => (
            <g key={name}>
              <path d={`M${center(index)} 54V${height}`} className={styles[`${kind}Line`]} />
              <rect
                x={center(index) - Math.min(step - 16, 168) / 2}
                y="2"
                width={Math.min(step - 16, 168)}
                height="52"
                rx="10"
                className={styles[kind]}
              />
              <text x={center(index)} y="24" className={styles.name}>
                {name}
              </text>
              <text x={center(index)} y="43" className={styles.note}>
                {note}
              </text>
            </g>
          ))}
          {rows.map(({ from, to, lines, y, number }) => (
            <g key={number}>
              <Label
                x={from === to ? center(from) : (center(from) + center(to)) / 2}
                y={y}
                lines={lines}
                number={number}
                isWork={from === to}
              />
              {from !== to && (
                <path
                  d={`M${center(from)} ${y + lines.length * LINE + 5}H${center(to) + (to > from ? -3 : 3)}`}
                  className={styles.arrow}
                  markerEnd={head}
                />
              )}
            </g>
          ))}
        </>
      )}
    </Drawing>
  );
}

type LabelProps = { x: number; y: number; lines: string[]; number: number; isWork: boolean };

/** Text over an arrow, or a box on a lifeline for work that nobody else sees. */
function Label({ x, y, lines, number, isWork }: LabelProps) {
  const width = Math.max(...lines.map((line) => line.length)) * 6.6 + 30;
  return (
    <>
      <rect
        x={x - width / 2}
        y={y - 4}
        width={width}
        height={lines.length * LINE + 8}
        rx="7"
        className={isWork ? styles.work : styles.clear}
      />
      {lines.map((line, index) => (
        <text key={line} x={x} y={y + 12 + index * LINE} className={styles.label}>
          {index === 0 && <tspan className={styles.number}>{number} </tspan>}
          {line}
        </text>
      ))}
    </>
  );
}

/** Where each step goes. A long text takes several lines, as wide as there is room. */
function layOut(steps: Step[], width: number) {
  let y = HEAD + 6;
  return steps.map((step, index) => {
    const room = Math.max(1, Math.abs(step.to - step.from)) * width - 36;
    const lines = wrap(step.text, Math.floor(Math.min(room, 330) / 6.6));
    const row = { ...step, lines, y, number: index + 1, end: y + lines.length * LINE + 12 };
    y += lines.length * LINE + GAP;
    return row;
  });
}

function wrap(text: string, most: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < most) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else {
      lines.push(word);
    }
  }
  return lines;
}
