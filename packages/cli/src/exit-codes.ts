/** A mistake in a command line, in a file that it names or in a field. */
export const MISTAKE = 2;

/** The service refused: no permission, a policy, a limit, or nothing of that name. */
export const REFUSED = 4;

/** The request was accepted and waits for approvals. */
export const WAITS = 5;

/** No service could be asked. */
export const UNREACHABLE = 6;

/** A bug in this program, not a mistake of its user. The number is from sysexits.h. */
export const FAULT = 70;
