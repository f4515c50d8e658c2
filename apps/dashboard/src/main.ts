import { failToStart } from "./first/failed.ts";
import { firstView, isInside, painted, pause } from "./first/first.ts";
import { loadInside } from "./session/load-inside.ts";
import { askService } from "./session/service-address.ts";
import { refuseHtml } from "./ui/no-html.ts";
import { followTheme } from "./ui/theme.ts";
import "./session/ways.css";
import "./ui/theme.css";

// This script is small, so that the page's first view is painted before the large ones run. They are on their way meanwhile.

refuseHtml();
followTheme();
// Without the headers of its host, another page could lay itself over this one, so that people click what they do not see.
if (window.top !== window) {
  document.body.textContent = "This page does not work inside another one. Open it by itself.";
} else {
  run(askService()).catch(failToStart);
}

/** A slow telephone needs a moment for each part. */
async function run(asked: Promise<Response>): Promise<void> {
  await painted();
  await import("./first/react.ts");
  await pause();
  const { start } = await import("./start.tsx");
  await pause();
  const isLoggedIn = isInside(firstView());
  const started = start(asked);
  // If it fails, the page says so when it renders the screens.
  if (isLoggedIn)
    pause()
      .then(loadInside)
      .catch(() => {});
  await started;
}
