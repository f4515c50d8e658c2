import { useSyncExternalStore } from "react";
import { Notice } from "../ui/states.tsx";

/** A passkey belongs to the name of a host, and browsers refuse one for a number. Nothing where there is a name. */
export function NeedsName() {
  // The build renders the login too, where there is no address: all of it, of which the page shows what its first script chose.
  const here = useSyncExternalStore(
    () => () => {},
    () => location.href,
    () => undefined,
  );
  const place = here && (document.documentElement.dataset.number ?? "name");
  const { port, pathname, search } = new URL(here ?? "http://localhost/");
  const address = `http://localhost${port === "" ? "" : `:${port}`}${pathname}${search}`;
  return (
    <>
      {(place ?? "here") === "here" && (
        <div className="at-here">
          <Notice tone="warning">
            <p>
              {why} <a href={address}>Open it at localhost</a> to use one.
            </p>
          </Notice>
        </div>
      )}
      {(place ?? "elsewhere") === "elsewhere" && (
        <div className="at-elsewhere">
          <Notice tone="warning">
            <p>{why} Open it by the name that your operator has for it to use one.</p>
          </Notice>
        </div>
      )}
    </>
  );
}

const why = "Passkeys belong to a name, and the address of this page is a number.";
