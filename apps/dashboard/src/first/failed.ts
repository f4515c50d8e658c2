import { takeOver } from "./first.ts";

/** Says that the page's scripts did not arrive, without them. */
export function failToStart(cause: unknown): void {
  console.error(cause);
  const root = document.getElementById("root");
  if (!root) return;
  const text = document.createElement("p");
  text.className = "first-failed";
  text.setAttribute("role", "alert");
  text.textContent =
    "A part of the dashboard could not be loaded. Reload the page; if that does not help, tell your operator.";
  root.replaceChildren(text);
  takeOver();
}
