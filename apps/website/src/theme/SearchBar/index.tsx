// The theme's button brings the whole window along. This one loads it when a reader wants to search.
import Translate from "@docusaurus/Translate";
import useDocusaurusContext from "@docusaurus/useDocusaurusContext";
import { type ComponentType, useEffect, useRef, useState } from "react";
import { isShortcut } from "./shortcut.ts";
import styles from "./styles.module.css";

type WindowProps = { onClose: () => void };

/** The theme has checked that it is there. */
type Search = { algolia: { searchPagePath: string } };

const load = () => import("./SearchWindow.tsx");

export default function SearchBar() {
  const [Window, setWindow] = useState<ComponentType<WindowProps> | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const { baseUrl, themeConfig } = useDocusaurusContext().siteConfig;

  function open() {
    load().then(
      ({ SearchWindow }) => setWindow(() => SearchWindow),
      // The site was built again since this page was loaded, or the network is gone.
      () => window.location.assign(`${baseUrl}${(themeConfig as Search).algolia.searchPagePath}`),
    );
  }

  function close() {
    setWindow(null);
    button.current?.focus();
  }

  useEffect(() => {
    // The window closes itself, on the same keys.
    function press(event: KeyboardEvent) {
      if (Window || !(isShortcut(event) || (event.key === "/" && !isTyping(event.target)))) return;
      event.preventDefault();
      open();
    }
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  });

  return (
    <>
      <button
        ref={button}
        type="button"
        className={styles.button}
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K /"
        onClick={open}
        onFocus={load}
        onPointerEnter={load}
      >
        <svg viewBox="0 0 20 20" aria-hidden="true">
          <path d="m13 13 5 5M8.5 15a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13Z" />
        </svg>
        <span className={styles.label}>
          <Translate id="search.label">Search</Translate>
        </span>
        <span className={styles.key} aria-hidden="true">
          /
        </span>
      </button>
      {Window && <Window onClose={close} />}
    </>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName))
  );
}
