import { type ComponentType, useSyncExternalStore } from "react";

/** What fills the samples of all pages while a reader is connected. */
export type Filling = {
  fill: (sample: string) => string;
  /** The name of the reader's organization. */
  organizationName: string;
  isOn: boolean;
  /** Says below a sample that it is filled, and turns it off and on. */
  Note: ComponentType;
};

// Every page with a sample has this file, so it knows nothing of how a reader is connected.
let filling: Filling | null = null;
const listeners = new Set<() => void>();

export function setFilling(next: Filling | null): void {
  filling = next;
  for (const listener of listeners) listener();
}

export function useFilling(): Filling | null {
  return useSyncExternalStore(subscribe, read, nothing);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const read = () => filling;
const nothing = () => null;
