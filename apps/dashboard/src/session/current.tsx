import type { Connection } from "@keyhearth/sdk";
import type { Session, SessionKeeper } from "@keyhearth/sdk/browser";
import { createContext, type ReactNode, useContext } from "react";
import type { Service } from "./service.ts";

/** Who is logged in, and the connection that stamps for them. It stays while they log in again. */
export type Current = {
  service: Service;
  keeper: SessionKeeper;
  session: Session;
  connection: Connection;
  /** For answers that the screens check themselves: `unpinned.ts`. */
  unpinned: Connection;
};

const Context = createContext<Current | undefined>(undefined);

export function CurrentProvider({ current, children }: { current: Current; children: ReactNode }) {
  return <Context value={current}>{children}</Context>;
}

/** For screens, which are only shown to somebody who is logged in. */
export function useCurrent(): Current {
  const current = useContext(Context);
  if (!current) throw new Error("a screen was rendered for nobody");
  return current;
}

/** What is known before anybody is logged in. */
export type Visitor = Pick<Current, "service" | "keeper">;

const VisitorContext = createContext<Visitor | undefined>(undefined);

export function VisitorProvider({ visitor, children }: { visitor: Visitor; children: ReactNode }) {
  return <VisitorContext value={visitor}>{children}</VisitorContext>;
}

/** For screens that anybody may open: `publicScreens`. */
export function useVisitor(): Visitor {
  const visitor = useContext(VisitorContext);
  if (!visitor) throw new Error("this screen is only for visitors");
  return visitor;
}
