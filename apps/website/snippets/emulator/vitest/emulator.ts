import { startEmulator } from "@keyhearth/cli/emulator";

/** Vitest runs this once, before all test files. */
export default async function setup() {
  const emulator = await startEmulator();
  process.env.KEYHEARTH_URL = emulator.url;
  return () => emulator.close();
}
