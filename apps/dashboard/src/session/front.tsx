import { type ReactNode, useLayoutEffect } from "react";
import { Brand } from "../app/brand.tsx";
import { ThemeButton } from "../app/theme-button.tsx";
import { takeOver } from "../first/first.ts";
import { OfflineBanner } from "../ui/states.tsx";

/** What people see before they are logged in. */
export function Front({ children }: { children: ReactNode }) {
  useLayoutEffect(takeOver, []);
  return <FrontFrame>{children}</FrontFrame>;
}

/** Looks the same, and may be one of the page's first views. */
export function FrontFrame({ children }: { children: ReactNode }) {
  return (
    <>
      <OfflineBanner />
      <div className="front">
        <header className="front-head">
          <Brand />
          <ThemeButton />
        </header>
        <main className="front-card card" id="main">
          {children}
        </main>
      </div>
    </>
  );
}
