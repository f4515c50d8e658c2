import { startEmulator } from "@keyhearth/cli/emulator";

/** Jest runs this once, before all test files. */
export default async function setup() {
  globalThis.emulator = await startEmulator();
  process.env.KEYHEARTH_URL = globalThis.emulator.url;
}
