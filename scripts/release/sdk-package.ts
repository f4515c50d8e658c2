import { buildPackage } from "../../packages/sdk/scripts/build.ts";
import type { NpmPackage } from "./npm-package.ts";

/** `@keyhearth/sdk`. */
export const sdkPackage: NpmPackage = {
  name: "@keyhearth/sdk",
  assemble: (directory) => buildPackage(directory),
};
