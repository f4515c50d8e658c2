import { useEffect, useState } from "react";
import { ConfirmDialog } from "./dialog.tsx";
import { askBeforeLeaving } from "./unsaved.ts";

/** Asks before people lose what they wrote: by a link, by the browser's buttons, or by closing the tab. */
export function AskBeforeLeaving({
  isUnsaved,
  title,
}: {
  isUnsaved: boolean;
  /** Such as "Leave the policy unsaved?". */
  title: string;
}) {
  const [leave, setLeave] = useState<() => void>();
  useEffect(() => {
    if (!isUnsaved) return;
    const ends = [
      askBeforeLeaving((go) => setLeave(() => go)),
      askAtUnload(),
      askAtTraversal(setLeave),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [isUnsaved]);
  return (
    <ConfirmDialog
      {...{ title }}
      isOpen={leave !== undefined}
      onClose={() => setLeave(undefined)}
      action="Leave"
      onConfirm={() => leave?.()}
    >
      <p>What you wrote here is lost.</p>
    </ConfirmDialog>
  );
}

function askAtUnload(): () => void {
  // The browser asks in its own words.
  const ask = (event: BeforeUnloadEvent) => event.preventDefault();
  addEventListener("beforeunload", ask);
  return () => removeEventListener("beforeunload", ask);
}

/** Back and forward. Browsers without the Navigation API go at once. */
function askAtTraversal(setLeave: (leave: () => () => void) => void): () => void {
  const { navigation } = globalThis;
  if (!navigation) return () => {};
  let isLeaving = false;
  const ask = (event: NavigateEvent) => {
    const { key, sameDocument, url } = event.destination;
    const isSameScreen = new URL(url).pathname === location.pathname;
    if (event.navigationType !== "traverse" || !sameDocument || !event.cancelable) return;
    if (isLeaving || isSameScreen) return;
    event.preventDefault();
    setLeave(() => () => {
      isLeaving = true;
      navigation.traverseTo(key);
    });
  };
  navigation.addEventListener("navigate", ask);
  return () => navigation.removeEventListener("navigate", ask);
}
