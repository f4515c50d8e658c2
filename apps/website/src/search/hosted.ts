/** Stands for the application's id where the pages search by themselves. No application has such a short one. */
export const LOCAL = "local";

export function isHosted({ appId }: { appId: string }): boolean {
  return appId !== LOCAL;
}
