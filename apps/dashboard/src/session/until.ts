const ENTRY = "keyhearth-session-until";

/**
 * Keeps until when somebody is logged in here, and nothing else of the session, which only an asynchronous storage has. Before the
 * page is painted, `public/first.js` reads it to show no login to them. It opens nothing: if it is wrong, another view comes first.
 */
export function noteSession(expiresAtMs: number | undefined): void {
  try {
    if (expiresAtMs === undefined) localStorage.removeItem(ENTRY);
    else localStorage.setItem(ENTRY, String(expiresAtMs));
  } catch {
    // Then the first view is one that suits both.
  }
}
