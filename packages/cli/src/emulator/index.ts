import { connect } from "./connect.ts";
import type { Emulator, EmulatorControl, EmulatorOptions } from "./types.ts";

export type {
  EmulatedMessage,
  EmulatedOrganization,
  Emulator,
  EmulatorControl,
  EmulatorOptions,
  OrganizationOptions,
} from "./types.ts";

/**
 * Starts the API in this process, with the signer's core and an SQL database, all of it in memory. It is for tests: it keeps
 * nothing, and only this machine reaches it.
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  // Test files that only connect do not load the API.
  const { start } = await import("./start.ts");
  return start(options);
}

/** Controls an emulator of another process, such as one of `keyhearth dev`, by its address. */
export function connectEmulator(url: string): EmulatorControl {
  return connect(url);
}
