import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { Brand } from "./brand.tsx";
import { addressOf, isAt } from "./screen.ts";
import { screens } from "./screens.ts";

/** The brand, and the screens of the menu. `onNavigate` closes the drawer that it may be in. */
export function Navigation({
  badge,
  onNavigate,
}: {
  /** Beside the activities. */
  badge?: ReactNode;
  onNavigate?: () => void;
}) {
  const [path] = useLocation();
  const shown = screens.find((entry) => isAt(entry, path));
  return (
    <nav className="sidebar" aria-label="Screens">
      <Brand />
      <ul className="menu">
        {screens
          .filter(({ isInMenu }) => isInMenu)
          .map((entry) => {
            const isCurrent = entry.name === (shown?.below ?? shown?.name);
            return (
              <li key={entry.name}>
                <Link
                  href={addressOf(entry)}
                  className="menu-link"
                  aria-current={isCurrent ? "page" : undefined}
                  onClick={onNavigate}
                >
                  <entry.icon size={18} aria-hidden />
                  {entry.title}
                  {entry.name === "activities" && badge}
                </Link>
              </li>
            );
          })}
      </ul>
    </nav>
  );
}
