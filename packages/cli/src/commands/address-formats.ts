import { addressEntries } from "../addresses.ts";
import type { Report } from "../output.ts";
import { listReport } from "../tables.ts";

/** Every address format, with the curve of its keys and the path of a wallet's first account. */
export async function addressFormats(): Promise<Report> {
  const formats = addressEntries.map(({ name, format, curves, path }) => ({
    ...{ name, format, curves, path: path(0) },
  }));
  return listReport(
    "addressFormats",
    { items: formats, hasMore: false },
    {
      shown: [
        ["NAME", ({ name }) => name],
        ["CURVE", ({ curves }) => curves.join(", ").replaceAll("CURVE_", "").toLowerCase()],
        ["FIRST PATH", ({ path }) => path],
      ],
      none: "",
    },
  );
}
