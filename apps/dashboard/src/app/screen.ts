import type { LucideIcon } from "lucide-react";
import type { ComponentType } from "react";

/** What a screen is given: the parts of its address that its path names. */
export type ScreenProps = { params: Readonly<Record<string, string>> };

export type ScreenEntry = {
  name: string;
  /** As wouter reads it, below the dashboard's own address. */
  path: string;
  title: string;
  icon: LucideIcon;
  /** Whether the sidebar has it. Screens of one thing are reached from their lists. */
  isInMenu: boolean;
  /** The entry of the sidebar that is marked while it is shown, if not its own. */
  below?: string;
  /** What else finds it in the command palette. */
  keywords: readonly string[];
  /** Each screen is a file that is loaded when it is opened. */
  load: () => Promise<{ Screen: ComponentType<ScreenProps> }>;
};

/** Where the sidebar and the palette lead: the path without what only one thing has. */
export function addressOf({ path }: ScreenEntry): string {
  return path.replace(/\/:\w+\?$/, "") || "/";
}

/** Whether an address, below the dashboard's own, is that of a screen. */
export function isAt({ path }: ScreenEntry, at: string): boolean {
  const pattern = path.replace(/\/:\w+\?$/, "(/[^/]+)?").replace(/:\w+/g, "[^/]+");
  return new RegExp(`^${pattern}/?$`).test(at);
}
