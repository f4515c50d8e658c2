import { type ReactNode, useEffect, useLayoutEffect, useRef } from "react";
import { flushSync } from "react-dom";
import styles from "./reference.module.css";

type Props = {
  /** The anchor of the heading. */
  id: string;
  level: "h2" | "h3";
  title: ReactNode;
  /** What there is behind the heading, in a few words. */
  count?: string;
  /** Shown whether it is open or not. */
  summary?: ReactNode;
  isOpen: boolean;
  /** With false if the reader closes it. */
  onOpen: (isOpen: boolean) => void;
  children: ReactNode;
};

/**
 * A part of a long page behind its heading. The browser finds text in it and follows links into it while it is closed
 * (`hidden="until-found"`), and opens it then. A browser that doesn't know this value hides it, and without scripts it is open.
 */
export function Fold(props: Props) {
  const { id, level: Heading, title, count, summary, isOpen, onOpen, children } = props;
  const content = useRef<HTMLDivElement>(null);
  const latest = useRef(onOpen);
  useEffect(() => {
    latest.current = onOpen;
  });
  // React only knows `hidden` with and without.
  useLayoutEffect(() => {
    if (!isOpen) content.current?.setAttribute("hidden", "until-found");
  });
  useEffect(() => {
    const element = content.current;
    // The browser scrolls to what it found next, so what closes for it has closed by then.
    const open = () => flushSync(() => latest.current(true));
    element?.addEventListener("beforematch", open);
    return () => element?.removeEventListener("beforematch", open);
  }, []);
  return (
    <>
      <Heading id={id} className={Heading === "h2" ? styles.group : styles.folded}>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={`${id}-content`}
          onClick={() => onOpen(!isOpen)}
        >
          {title}
          {count !== undefined && <span className={styles.holds}>{count}</span>}
        </button>
      </Heading>
      {summary}
      <div ref={content} id={`${id}-content`} className={styles.content} hidden={!isOpen}>
        {children}
      </div>
    </>
  );
}
