import Translate from "@docusaurus/Translate";
import { type ReactNode, useState } from "react";
import { FilterField } from "../filter/FilterField.tsx";
import { filterRows } from "../filter/filter-rows.ts";
import { wordsOf } from "../filter/words.ts";
import type { AddressBench } from "./AddressBench.tsx";

type Props = { label: string; placeholder: string; children: ReactNode };

/** The table of formats, which shows on demand the address of each for a mnemonic and a path. */
export function AddressTable({ label, placeholder, children }: Props) {
  const [typed, setTyped] = useState("");
  const [loaded, setLoaded] = useState<{ Bench: typeof AddressBench } | "loading" | "failed">();
  const { table, shown, all } = filterRows(children, wordsOf(typed));

  function load() {
    setLoaded("loading");
    import("./AddressBench.tsx").then(
      ({ AddressBench: Bench }) => setLoaded({ Bench }),
      () => setLoaded("failed"),
    );
  }

  return (
    <>
      <FilterField {...{ label, placeholder, typed, shown, all }} onType={setTyped} />
      {typeof loaded === "object" ? (
        <loaded.Bench table={table} whole={children} />
      ) : (
        <>
          <button
            type="button"
            className="button button--secondary button--sm"
            disabled={loaded === "loading"}
            onClick={load}
          >
            <Translate id="addresses.show">Show the addresses of a test mnemonic</Translate>
          </button>
          <span role="status">
            {loaded === "loading" && (
              <>
                {" "}
                <Translate id="tryIt.loading">Loading…</Translate>
              </>
            )}
            {loaded === "failed" && (
              <>
                {" "}
                <Translate id="whenSeen.failed">
                  This part of the page could not be loaded. Check your network.
                </Translate>
              </>
            )}
          </span>
          {table}
        </>
      )}
    </>
  );
}
