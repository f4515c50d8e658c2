/** How long a session lasts, unless people prolong it. */
export const SESSION_SECONDS = 3600;

/** From here on the page says that it ends soon. */
export const ENDS_SOON_MS = 120_000;
