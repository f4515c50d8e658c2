import { programsDigest } from "../bundle/packages.ts";
import type { Artefact } from "./artefact.ts";
import { commandLinePackage } from "./command-line-package.ts";
import { containerImages } from "./container-images.ts";
import { writeDebianPackages } from "./debian.ts";
import { kubernetesManifests } from "./kubernetes-manifests.ts";
import { npmPackage } from "./npm-package.ts";
import { sdkPackage } from "./sdk-package.ts";
import { servicePackage } from "./service-package.ts";

/** Everything that a release has in it, besides what describes it. */
export const artefacts: readonly Artefact[] = [
  npmPackage(servicePackage),
  npmPackage(sdkPackage),
  npmPackage(commandLinePackage(programsDigest)),
  {
    name: "Debian packages",
    write: (directory, context) => writeDebianPackages({ ...context, directory }),
  },
  containerImages,
  kubernetesManifests,
];
