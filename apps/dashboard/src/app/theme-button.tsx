import { Monitor, Moon, Sun } from "lucide-react";
import { useSyncExternalStore } from "react";
import { Button } from "../ui/button.tsx";
import { chooseTheme, chosenTheme, onTheme, type Theme } from "../ui/theme.ts";

const next: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
const names: Record<Theme, string> = { system: "as the system", light: "light", dark: "dark" };
const icons = { system: Monitor, light: Sun, dark: Moon };

export function ThemeButton() {
  const theme = useSyncExternalStore(onTheme, chosenTheme, () => "system" as const);
  const Icon = icons[theme];
  return (
    <Button
      kind="quiet"
      isIcon
      aria-label={`Theme: ${names[theme]}. Change to ${names[next[theme]]}`}
      onPress={() => chooseTheme(next[theme])}
    >
      <Icon size={18} aria-hidden />
    </Button>
  );
}
