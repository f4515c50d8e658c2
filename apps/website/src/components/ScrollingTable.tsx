import { translate } from "@docusaurus/Translate";
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
    // The table changes its width alone when a font arrives.
    if (element.firstElementChild) observer.observe(element.firstElementChild);
    return () => observer.disconnect();
  }, []);

  const focusable = isTooWide && {
    tabIndex: 0,
    role: "group",
    "aria-label": translate({ id: "table.scrolls", message: "Table that scrolls sideways" }),
  };
  return (
    <div ref={box} className={styles.box} {...focusable}>
      <table {...props} />
    </div>
  );
}
