import { BundleBench } from "../bundles/BundleBench.tsx";
import { StampBench } from "../stamps/StampBench.tsx";

/** In one file: each more would cost every page an entry in its list of files. */
export const inspectors = { Stamp: StampBench, Bundle: BundleBench };
