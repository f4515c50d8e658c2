import clsx from "clsx";
import { useId } from "react";
import { ArrowHead } from "./diagrams/ArrowHead.tsx";
import styles from "./PasskeyFlow.module.css";

type Place = { x: number; y: number };

/** The four steps of a stamped request: a wide drawing, and a tall one for narrow screens. */
export function PasskeyFlow() {
  const head = useId();
  const marker = `url(#${head})`;
  const label =
    "Your page asks the device for a signature over a request. The device asks the person and returns the " +
    "signature. The page sends the request with the signature to Keyhearth, directly or through your " +
    "server. Keyhearth verifies the signature and answers.";
  return (
    <figure className={styles.figure} role="img" aria-label={label}>
      <svg className={clsx(styles.drawing, styles.wide)} viewBox="0 0 668 236" aria-hidden="true">
        <ArrowHead id={head} className={styles.head} />
        <Box x={2} y={84} title="Device" note="holds the passkey" />
        <Box x={178} y={84} title="Your page" note="asks for a stamp" />
        <Box x={354} y={162} title="Your server" note="if you like" isOptional />
        <Box x={530} y={84} title="Keyhearth" note="verifies, answers" isCore />
        <path d="M176 102h-36" className={styles.line} markerEnd={marker} />
        <path d="M140 130h36" className={styles.line} markerEnd={marker} />
        <path d="M247 82V40h352v40" className={styles.line} markerEnd={marker} />
        <path d="M247 150v47h105" className={styles.line} markerEnd={marker} />
        <path d="M492 197h107v-43" className={styles.line} markerEnd={marker} />
        <Step x={158} y={78} number={1} text="prompt" />
        <Step x={158} y={170} number={2} text="signature" />
        <Step x={423} y={28} number={3} text="request + stamp, directly" />
        <Step x={300} y={220} number={3} text="or forwarded" />
        <Step x={599} y={220} number={4} text="verify" />
      </svg>
      <svg className={clsx(styles.drawing, styles.tall)} viewBox="0 0 300 470" aria-hidden="true">
        <Box x={20} y={2} title="Device" note="holds the passkey" />
        <Box x={20} y={132} title="Your page" note="asks for a stamp" />
        <Box x={160} y={262} title="Your server" note="if you like" isOptional />
        <Box x={20} y={392} title="Keyhearth" note="verifies, answers" isCore />
        <path d="M62 130V72" className={styles.line} markerEnd={marker} />
        <path d="M116 70v58" className={styles.line} markerEnd={marker} />
        <path d="M62 200v188" className={styles.line} markerEnd={marker} />
        <path d="M160 168h69v90" className={styles.line} markerEnd={marker} />
        <path d="M229 330v96h-69" className={styles.line} markerEnd={marker} />
        <Step x={32} y={105} number={1} text="ask" />
        <Step x={168} y={105} number={2} text="signature" />
        <Step x={100} y={250} number={3} text="stamped" />
        <Step x={262} y={388} number={3} text="forward" />
      </svg>
    </figure>
  );
}

function Box(
  props: Place & { title: string; note: string; isOptional?: boolean; isCore?: boolean },
) {
  const { x, y, title, note, isOptional = false, isCore = false } = props;
  return (
    <g transform={`translate(${x} ${y})`}>
      <rect
        width="136"
        height="68"
        rx="10"
        className={clsx(styles.box, isOptional && styles.optional, isCore && styles.core)}
      />
      <text x="68" y="30" className={styles.label}>
        {title}
      </text>
      <text x="68" y="50" className={styles.note}>
        {note}
      </text>
    </g>
  );
}

function Step({ x, y, number, text }: Place & { number: number; text: string }) {
  return (
    <text x={x} y={y} className={styles.step}>
      <tspan className={styles.number}>{number}</tspan>
      <tspan dx="6">{text}</tspan>
    </text>
  );
}
