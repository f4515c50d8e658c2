import tab from "@bomb.sh/tab/commander";
import type { Command } from "commander";

// Loaded only when a shell asks what can follow, or for its script.

/** Adds `completion SHELL`, which prints a script, and `complete`, which the script calls. */
export function addCompletion(root: Command): void {
  tab(root, { completionCommandName: COMPLETION });
}

/** The command that prints the script of a shell. */
const COMPLETION = "completion";
