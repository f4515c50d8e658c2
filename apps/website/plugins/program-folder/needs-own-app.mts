/**
 * Whether a program of the pages is not in the archive of them, or not with its packages: parts of an app that has its own,
 * with Next, Vite or React Native, recipes for the test runners of an app, and what moves here from another SDK, which only
 * those who have that SDK can run.
 */
export function needsOwnApp(path: string): boolean {
  return /\/snippets\/(emulator\/|next-wallet\/|react-native\/|vite-wallet\/|migrate-before\.ts|stamper-of-another-sdk\.ts)|^examples\/react-native\//.test(
    path,
  );
}
