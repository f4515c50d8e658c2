import { createContext, type ReactNode, useContext, useEffect, useId, useState } from "react";
import styles from "./Checklist.module.css";

type Ticks = { isTicked(id: string): boolean; tick(id: string, ticked: boolean): void };

const TicksContext = createContext<Ticks>({ isTicked: () => false, tick: () => {} });

/** Items that people tick. The ticks stay in this browser, under `keyhearth.checklist.<name>`. */
export function Checklist({ name, children }: { name: string; children: ReactNode }) {
  const key = `keyhearth.checklist.${name}`;
  const [ticked, setTicked] = useState<string[]>([]);
  // Read after the first render, which has to be the same as the one on the server.
  useEffect(() => setTicked(load(key)), [key]);
  const ticks: Ticks = {
    isTicked: (id) => ticked.includes(id),
    tick(id, isTicked) {
      const next = isTicked ? [...ticked, id] : ticked.filter((each) => each !== id);
      setTicked(next);
      save(key, next);
    },
  };
  return <TicksContext value={ticks}>{children}</TicksContext>;
}

export function Item({ id, children }: { id: string; children: ReactNode }) {
  const inputId = useId();
  const { isTicked, tick } = useContext(TicksContext);
  return (
    <div className={styles.item}>
      <input
        id={inputId}
        type="checkbox"
        checked={isTicked(id)}
        onChange={(event) => tick(id, event.currentTarget.checked)}
      />
      <label htmlFor={inputId}>{children}</label>
    </div>
  );
}

function load(key: string): string[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
  } catch (error) {
    console.warn("the checklist's ticks could not be read", error);
    return [];
  }
}

function save(key: string, ticked: string[]): void {
  try {
    localStorage.setItem(key, JSON.stringify(ticked));
  } catch (error) {
    console.warn("the checklist's ticks could not be saved", error);
  }
}
