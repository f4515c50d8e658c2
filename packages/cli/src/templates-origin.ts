import { createHash } from "node:crypto";
import { Unverified } from "@keyhearth/sdk";
import { InputError } from "./errors.ts";
import { plain } from "./output.ts";

// Where the code of an app may come from: it runs with the path of a key file beside it.

/** The digest of the release's archive of programs, which the build of a package writes here. */
declare const PROGRAMS_DIGEST: string | undefined;

const ownDigest = typeof PROGRAMS_DIGEST === "string" ? PROGRAMS_DIGEST : undefined;

/** A command that runs from its sources knows no archive, and takes only that of a service on this machine. */
export function assertMayOffer(url: string, digest = ownDigest): void {
  const { hostname } = new URL(url);
  if (digest !== undefined || /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)) return;
  throw new InputError(
    `the app would be code of ${plain(url)} beside your key file, and this command does not know the archive of a release, because it runs from its sources: use the command of the package @keyhearth/cli, or a service on this machine`,
  );
}

/** Throws `Unverified` for an archive other than that of this command's release. */
export function assertOfRelease(archive: Uint8Array, url: string, digest = ownDigest): void {
  const found = `sha512-${createHash("sha512").update(archive).digest("base64")}`;
  if (digest === undefined || found === digest) return;
  throw new Unverified(
    `the archive of programs that ${plain(url)} offers is not that of this command's release, so nothing was made: the app runs beside your key file, and could be anybody's code. Use the command of the service's release, or ask your operator what was changed`,
    { code: "UNVERIFIED" },
  );
}
