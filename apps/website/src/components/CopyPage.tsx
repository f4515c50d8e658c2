import { useLocation } from "@docusaurus/router";
import { translate } from "@docusaurus/Translate";
import useBaseUrl from "@docusaurus/useBaseUrl";
import { markdownAddress } from "@site/plugins/markdown-pages/address.ts";
import clsx from "clsx";
import { type KeyboardEvent, type RefObject, useEffect, useId, useRef, useState } from "react";
import styles from "./CopyPage.module.css";

type Outcome = "copied" | "failed";

/** Copies the page as Markdown, or opens it. Nothing is fetched before a press. */
export function CopyPage({ className }: { className?: string }) {
  const { pathname } = useLocation();
  const address = markdownAddress(pathname, useBaseUrl("/"));
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const words = wordsOf();

  useEffect(() => {
    if (outcome === null) return;
    const timer = setTimeout(() => setOutcome(null), 2500);
    return () => clearTimeout(timer);
  }, [outcome]);

  const copy = async () => setOutcome(await copyMarkdown(address));
  const said = outcome === null ? "" : words[outcome];
  return (
    <div className={clsx(styles.group, className)}>
      <button type="button" className={styles.copy} onClick={copy}>
        <CopyIcon isDone={outcome === "copied"} />
        {/* Both words are laid out, so that the button keeps its width. */}
        <span className={styles.words}>
          <span className={clsx(outcome && styles.hidden)}>{words.copy}</span>
          <span className={styles.outcome} aria-hidden="true">
            {said}
          </span>
        </span>
      </button>
      <Menu words={words} address={address} onCopy={copy} />
      <span role="status" className={styles.announced}>
        {said}
      </span>
    </div>
  );
}

function wordsOf() {
  return {
    copy: translate({ id: "keyhearth.copyPage.copy", message: "Copy page" }),
    copied: translate({ id: "keyhearth.copyPage.copied", message: "Copied" }),
    failed: translate({ id: "keyhearth.copyPage.failed", message: "Copy failed" }),
    more: translate({ id: "keyhearth.copyPage.more", message: "More ways to use this page" }),
    copyMarkdown: translate({
      id: "keyhearth.copyPage.copyMarkdown",
      message: "Copy page as Markdown",
    }),
    viewMarkdown: translate({ id: "keyhearth.copyPage.viewMarkdown", message: "View as Markdown" }),
  };
}

/**
 * The text is promised to the clipboard within the press, because some browsers refuse a write that
 * comes after an answer from the network.
 */
async function copyMarkdown(address: string): Promise<Outcome> {
  try {
    const text = fetchMarkdown(address);
    const blob = text.then((markdown) => new Blob([markdown], { type: "text/plain" }));
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
    return "copied";
  } catch {
    // Browsers block the clipboard outside secure contexts. The reader must see that it failed.
    return "failed";
  }
}

async function fetchMarkdown(address: string): Promise<string> {
  const answer = await fetch(address);
  const isMarkdown = answer.headers.get("content-type")?.startsWith("text/markdown");
  if (!answer.ok || !isMarkdown) throw new Error(`${address} is not Markdown`);
  return answer.text();
}

type MenuProps = {
  words: ReturnType<typeof wordsOf>;
  address: string;
  onCopy: () => Promise<void>;
};

/** Follows the menu button pattern of WAI-ARIA: arrows move, Escape closes and goes back. */
function Menu({ words, address, onCopy }: MenuProps) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const toggle = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  useClosingOutside(box, isOpen, () => setOpen(false));

  const items = () => [...(box.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
  useEffect(() => {
    if (isOpen) box.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
  }, [isOpen]);

  function close() {
    setOpen(false);
    toggle.current?.focus();
  }

  function onKeyDown(event: KeyboardEvent) {
    if (!isOpen) {
      if (event.key !== "ArrowDown") return;
      event.preventDefault();
      setOpen(true);
      return;
    }
    const all = items();
    const at = all.findIndex((item) => item.matches(":focus"));
    const target = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (event.key === "Escape") close();
    else if (event.key === "Tab") setOpen(false);
    else if (target !== undefined) all.at(target % all.length)?.focus();
    if (event.key === "Escape" || target !== undefined) event.preventDefault();
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys go to the button and the items inside
    <div ref={box} onKeyDown={onKeyDown}>
      <button
        ref={toggle}
        type="button"
        className={styles.toggle}
        aria-label={words.more}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="m4 6 4 4 4-4" />
        </svg>
      </button>
      {isOpen && (
        <div id={id} role="menu" aria-label={words.more} className={styles.menu}>
          <button
            type="button"
            role="menuitem"
            tabIndex={-1}
            onClick={() => {
              close();
              void onCopy();
            }}
          >
            {words.copyMarkdown}
          </button>
          <a role="menuitem" tabIndex={-1} href={address}>
            {words.viewMarkdown}
          </a>
        </div>
      )}
    </div>
  );
}

function useClosingOutside(box: RefObject<HTMLElement | null>, isOpen: boolean, close: () => void) {
  useEffect(() => {
    if (!isOpen) return;
    const closeIfOutside = ({ target }: Event) => {
      if (target instanceof Node && !box.current?.contains(target)) close();
    };
    document.addEventListener("pointerdown", closeIfOutside);
    document.addEventListener("focusin", closeIfOutside);
    return () => {
      document.removeEventListener("pointerdown", closeIfOutside);
      document.removeEventListener("focusin", closeIfOutside);
    };
  });
}

function CopyIcon({ isDone }: { isDone: boolean }) {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      {isDone ? (
        <path d="m3 8.5 3.2 3.2L13 5" />
      ) : (
        <path d="M6 5.5A1.5 1.5 0 0 1 7.5 4h4A1.5 1.5 0 0 1 13 5.5v6a1.5 1.5 0 0 1-1.5 1.5h-4A1.5 1.5 0 0 1 6 11.5zM3.5 10V4A1.5 1.5 0 0 1 5 2.5h4.5" />
      )}
    </svg>
  );
}
