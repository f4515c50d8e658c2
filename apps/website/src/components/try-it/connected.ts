import type { Stamper } from "@keyhearth/sdk";
import { useSyncExternalStore } from "react";
import { FillingNote } from "../samples/FillingNote.tsx";
import { read as readFilling, setFilling } from "../samples/filling.ts";
import { fillIn } from "./prefill.ts";

/** The reader as the service knows them, once a service has answered a stamped request of theirs. It ends with the page. */
export type Connected = {
  /** Where the service is, such as `http://localhost:3000`. */
  service: string;
  stamper: Stamper;
  /** A passkey asks its owner for each stamp, so nothing is stamped without a press of a button. */
  asksEachTime: boolean;
  /** Of an API key. A passkey does not say its public key. */
  publicKey: string | null;
  organizationId: string;
  organizationName: string;
  userId: string;
  username: string;
  /** An Ethereum address of the organization, if one is known. */
  address: string | null;
};

let connected: Connected | null = null;
const listeners = new Set<() => void>();

export function setConnected(next: Connected | null): void {
  connected = next;
  // A reader who turned the filling off does not want it back when an address is found.
  const isOn = readFilling()?.isOn ?? true;
  setFilling(
    next && {
      organizationName: next.organizationName,
      isOn,
      fill: (sample) => fillIn(sample, next),
      Note: FillingNote,
    },
  );
  for (const listener of listeners) listener();
}

/** All panels of a page share one connection. */
export function useConnected(): Connected | null {
  return useSyncExternalStore(subscribe, read, nobody);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const read = () => connected;
const nobody = () => null;
