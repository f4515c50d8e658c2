import { OpenSamples } from "../samples/OpenSamples.tsx";
import { OwnRequests } from "../try-it/OwnRequests.tsx";
import { Panel } from "../try-it/Panel.tsx";

/** What readers of an operation open, and what connects other pages, in one file: each more would cost every page an entry in its list of files. */
export const opened = { OpenSamples, OwnRequests, Panel };
