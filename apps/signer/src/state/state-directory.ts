import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  statSync,
} from "node:fs";
import { SignerStateError } from "./state-error.ts";

/** All for its owner. The group may pass through, to the socket, and neither sees nor changes anything. */
const MOST = 0o710;

/** Takes from the state directory what other users may do in it. It may have been there before, with any mode. */
export function tightenStateDirectory(directory: string) {
  const { platform, geteuid } = process;
  // Windows has no modes, and gives a directory the rights of its parent.
  if (platform === "win32" || !geteuid) return;
  const own = geteuid();
  const link = lstatSync(directory);
  if (link.isSymbolicLink() && link.uid !== own && link.uid !== 0) {
    throw new SignerStateError(
      `the signer's state directory ${directory} is a link of user ${link.uid}, who could lead it elsewhere; make the link as the user of the signer`,
    );
  }
  // Opened once, so that what is checked is what is changed.
  const opened = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    const { uid, mode } = fstatSync(opened);
    if (uid !== own) {
      throw new SignerStateError(
        `the signer's state directory ${directory} belongs to user ${uid}, who could change what is in it, but the signer runs as user ${own}; change its owner (chown -R ${own}), or start the signer as its owner`,
      );
    }
    if ((mode & 0o1000) !== 0) {
      throw new SignerStateError(
        `the signer's state directory ${directory} is for all users to share (its mode has the sticky bit); use a directory below it`,
      );
    }
    const allowed = mode & MOST;
    if ((mode & 0o777) !== allowed) fchmodSync(opened, allowed);
  } finally {
    closeSync(opened);
  }
}

/** Before a command writes into the state directory: the signer could not open what another user, such as root, leaves there. */
export function assertOwner(directory: string) {
  const { platform, geteuid } = process;
  if (platform === "win32" || !geteuid) return;
  const { uid } = statSync(directory);
  const own = geteuid();
  if (uid === own) return;
  throw new SignerStateError(
    `the signer's state directory ${directory} belongs to user ${uid}, and the signer could not open what user ${own} writes there; run this command as its owner, such as with sudo -u '#${uid}'; nothing was changed`,
  );
}
