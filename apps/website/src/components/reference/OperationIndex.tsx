import type { Group } from "@site/plugins/api-reference/reference.ts";
import { type KeyboardEvent, useRef, useState } from "react";
import { type Asked, everything } from "./matches.ts";
import styles from "./reference.module.css";

type Props = {
  groups: Group[];
  matches: Set<string>;
  filter: Asked;
  onFilter: (filter: Asked) => void;
  /** Called with the operation whose link was followed, also if the address already names it. */
  onFollow: (name: string) => void;
};

/**
 * The filter box and the list of operations. Arrow keys move, Enter opens, Escape clears. On a narrow screen the box stays at
 * the top, and the list drops down from it while the reader types or asks for it.
 */
export function OperationIndex({ groups, matches, filter, onFilter, onFollow }: Props) {
  const nav = useRef<HTMLElement>(null);
  const [isListed, setListed] = useState(false);

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    const stops = [...(nav.current?.querySelectorAll<HTMLElement>("input, a") ?? [])];
    const current = stops.indexOf(event.target as HTMLElement);
    // In the lists of kinds and groups, the keys do what they always do.
    if (event.target instanceof HTMLSelectElement) return;
    if (event.key === "ArrowDown") stops[current + 1]?.focus();
    else if (event.key === "ArrowUp") stops[Math.max(current - 1, 0)]?.focus();
    else if (event.key === "Enter" && current === 0) stops[1]?.click();
    else if (event.key === "Escape") {
      onFilter(everything);
      setListed(false);
      stops[0]?.focus();
    } else return;
    event.preventDefault();
  }

  return (
    <nav
      ref={nav}
      className={styles.index}
      aria-label="Operations"
      data-listed={isListed}
      onKeyDown={onKeyDown}
    >
      <label className={styles.filter}>
        <span>Filter operations</span>
        <input
          type="search"
          value={filter.words}
          placeholder="wallet, passkey, login…"
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => {
            onFilter({ ...filter, words: event.target.value });
            setListed(event.target.value !== "");
          }}
        />
      </label>
      <div className={styles.narrow}>
        <select
          aria-label="Kind of operation"
          value={filter.kind}
          onChange={(event) => onFilter({ ...filter, kind: kindOf(event.target.value) })}
        >
          <option value="">All kinds</option>
          <option value="query">Queries</option>
          <option value="submit">Submissions</option>
        </select>
        <select
          aria-label="Group of operations"
          value={filter.tag}
          onChange={(event) => onFilter({ ...filter, tag: event.target.value })}
        >
          <option value="">All groups</option>
          {groups.map(({ tag }) => (
            <option key={tag}>{tag}</option>
          ))}
        </select>
      </div>
      <p className={styles.count} aria-live="polite">
        {matches.size === 0 ? nothingFor(filter) : `${matches.size} operations`}
      </p>
      <button
        type="button"
        className={styles.list}
        aria-expanded={isListed}
        aria-controls="operation-list"
        onClick={() => setListed(!isListed)}
      >
        {isListed ? "Hide the list" : "List all"}
      </button>
      <div id="operation-list" className={styles.lists}>
        {groups.map(({ tag, operations }) => {
          const shown = operations.filter(({ name }) => matches.has(name));
          if (shown.length === 0) return null;
          return (
            <div key={tag}>
              <p className={styles.tag}>{tag}</p>
              <ul>
                {shown.map(({ name }) => (
                  <li key={name}>
                    <a
                      href={`#${name}`}
                      onClick={() => {
                        setListed(false);
                        onFollow(name);
                      }}
                    >
                      {name}
                    </a>
                  </li>
                ))}
              </ul>
            </div>
          );
        })}
      </div>
    </nav>
  );
}

function kindOf(value: string): Asked["kind"] {
  return value === "query" || value === "submit" ? value : "";
}

function nothingFor({ words }: Asked): string {
  return words === "" ? "No operation is of both." : `No operation matches “${words}”.`;
}
