// The theme's button brings the whole window along. This one loads it when a reader wants to search.
import Translate from "@docusaurus/Translate";
import { useBaseUrlUtils } from "@docusaurus/useBaseUrl";
import useDocusaurusContext from "@docusaurus/useDocusaurusContext";
import { type ComponentType, useEffect, useRef, useState } from "react";
import styles from "./styles.module.css";

type WindowProps = { onClose: () => void };

const load = () => import("./SearchWindow.tsx");

export default function SearchBar() {
  const [Window, setWindow] = useState<ComponentType<WindowProps> | null>(null);
  const [isOpen, setIsOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const { searchPagePath } = useAlgolia();
  const { withBaseUrl } = useBaseUrlUtils();

  function open() {
    load().then(
      (loaded) => {
        setWindow(() => loaded.SearchWindow);
        setIsOpen(true);
      },
      // The site was built again since this page was loaded, or the network is gone.
      () => searchPagePath && window.location.assign(withBaseUrl(searchPagePath)),
    );
  }

  function close() {
    setIsOpen(false);
    button.current?.focus();
  }

  useEffect(() => {
    function press(event: KeyboardEvent) {
      const isShortcut = event.key.toLowerCase() === "k" && (event.metaKey || event.ctrlKey);
      const isSlash = event.key === "/" && !isTyping(event.target) && !isOpen;
      const isEscape = event.key === "Escape" && isOpen;
      if (!isShortcut && !isSlash && !isEscape) return;
      event.preventDefault();
      if (isOpen) close();
      else open();
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
      {isOpen && Window && <Window onClose={close} />}
    </>
  );
}

function useAlgolia() {
  const { themeConfig } = useDocusaurusContext().siteConfig;
  // The theme has checked it.
  return themeConfig.algolia as { searchPagePath: string | false };
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName))
  );
}
