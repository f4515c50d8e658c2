import { closeSync, constants, fchmodSync, fstatSync, lstatSync, openSync } from "node:fs";

/** Only its owner does anything in it. */
export const FOR_OWNER = 0o700;

/** The group may also pass through: to a socket whose name it knows. It sees and changes nothing. */
export const FOR_OWNER_AND_SOCKETS = 0o710;

/**
 * Takes from a directory of ours what other users may do in it: it may have been there before, with any mode. Returns
 * why that is not possible, as the end of a sentence, or null.
 */
export function tightenDirectory(directory: string, most: number): string | null {
  const { platform, geteuid } = process;
  // Windows has no modes, and gives a directory the rights of its parent.
  if (platform === "win32" || !geteuid) return null;
  const own = geteuid();
  const link = lstatSync(directory);
  if (link.isSymbolicLink() && link.uid !== own && link.uid !== 0) {
    return `is a link of user ${link.uid}, who could lead it elsewhere; make the link as the user who starts this`;
  }
  // Opened once, so that what is checked is what is changed.
  const opened = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    const { uid, mode } = fstatSync(opened);
    if (uid !== own) {
      return `belongs to user ${uid}, who could change what is in it, but this runs as user ${own}; change its owner (chown -R ${own}), or start this as its owner`;
    }
    if ((mode & 0o1000) !== 0) {
      return "is for all users to share (its mode has the sticky bit); use a directory below it";
    }
    const allowed = mode & most;
    if ((mode & 0o777) !== allowed) fchmodSync(opened, allowed);
    return null;
  } finally {
    closeSync(opened);
  }
}
