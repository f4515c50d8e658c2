export type Theme = "light" | "dark" | "system";

const ENTRY = "keyhearth-theme";
const listeners = new Set<() => void>();

/** What people chose. `public/first.js` reads it too, before the page is painted. */
export function chosenTheme(): Theme {
  try {
    const kept = localStorage.getItem(ENTRY);
    return kept === "light" || kept === "dark" ? kept : "system";
  } catch {
    return "system";
  }
}

const system = () => matchMedia("(prefers-color-scheme: dark)");

function show() {
  const theme = chosenTheme();
  const isDark = theme === "dark" || (theme === "system" && system().matches);
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
  for (const listener of [...listeners]) listener();
}

/** Follows the system's theme, and what people choose in other tabs. */
export function followTheme(): void {
  show();
  system().addEventListener("change", show);
  addEventListener("storage", ({ key }) => {
    if (key === ENTRY) show();
  });
}

export function chooseTheme(theme: Theme): void {
  try {
    if (theme === "system") localStorage.removeItem(ENTRY);
    else localStorage.setItem(ENTRY, theme);
  } catch {
    // A browser that keeps nothing follows the system.
  }
  show();
}

/** Calls the listener when people choose, in this tab or another. Returns what ends that. */
export function onTheme(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
