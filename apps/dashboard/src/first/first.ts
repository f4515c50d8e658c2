/**
 * What the page shows before its scripts are there, as `public/first.js` chose it: the login of a visitor who is new here, the same
 * without what depends on the browser, what is around the screens, the same with the head of the overview, or a frame that
 * suits everything else. Undefined once the page shows what it is about, and in development.
 */
export type FirstView = "login" | "known" | "shell" | "overview" | "front";

const views: readonly unknown[] = ["login", "known", "shell", "overview", "front"];

export function firstView(): FirstView | undefined {
  const { first } = document.documentElement.dataset;
  return views.includes(first) ? (first as FirstView) : undefined;
}

/** Whether the view is one for somebody who is logged in. */
export function isInside(view: FirstView | undefined): boolean {
  return view === "shell" || view === "overview";
}

/** Resolves after the first view was painted. A page that nobody sees is not painted, and goes on. */
export function painted(): Promise<void> {
  if (document.visibilityState === "hidden") return Promise.resolve();
  return new Promise((resolve) => {
    // The frame after the next one begins after the next one was painted.
    requestAnimationFrame(() => setTimeout(resolve));
    // The browser may hide the page meanwhile.
    setTimeout(resolve, 500);
  });
}

/** Lets the browser answer before the next piece of work. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** Shows what was rendered, instead of the first view. */
export function takeOver(): void {
  delete document.documentElement.dataset.first;
  document.getElementById("root")?.removeAttribute("inert");
  for (const view of document.querySelectorAll(".first, .first-said")) view.remove();
}
