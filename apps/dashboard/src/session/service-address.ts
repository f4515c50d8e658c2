/** Where the dashboard is on its host, without a slash at its end. */
export const basePath = import.meta.env.BASE_URL.replace(/\/$/, "");

/** What the build wrote into the page. */
export function written(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";
}

/** A page of another origin believes the keys that it was built with, and none that the service names. */
export function isElsewhere(): boolean {
  return written("keyhearth-api") !== "";
}

/** The address of the service. A dashboard of another origin was built with one; else it is where the page comes from. */
export function serviceAddress(): string {
  return written("keyhearth-api") || `${location.origin}${basePath.replace(/\/dashboard$/, "")}`;
}

/** Asks the service who it is. If it fails, `readService` says what went wrong. */
export function askService(): Promise<Response> {
  const asked = fetch(`${serviceAddress()}/.well-known/keyhearth.json`);
  asked.catch(() => {});
  return asked;
}
