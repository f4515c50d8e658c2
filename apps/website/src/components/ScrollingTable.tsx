import { type ComponentProps, useEffect, useRef, useState } from "react";
import styles from "./ScrollingTable.module.css";

/** A table that scrolls in its own box if it is too wide. Only then can it take the focus. */
export function ScrollingTable(props: ComponentProps<"table">) {
  const box = useRef<HTMLDivElement>(null);
  const [isTooWide, setIsTooWide] = useState(false);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() =>
      setIsTooWide(element.scrollWidth > element.clientWidth),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  return (
    <div ref={box} className={styles.box} tabIndex={isTooWide ? 0 : undefined}>
      <table {...props} />
    </div>
  );
}
