import type { CommandGroup } from "../command.ts";
import { activityCommands } from "./activities.ts";
import { agentCommands } from "./agents.ts";
import { emulatorCommands } from "./emulator.ts";
import { keyCommands } from "./keys.ts";
import { policyCommands } from "./policies.ts";
import { profileCommands } from "./profiles.ts";
import { proofCommands } from "./proofs.ts";
import { requestCommands } from "./requests.ts";
import { secretCommands } from "./secrets.ts";
import { walletCommands } from "./wallets.ts";

/** Every command, in the order in which the usage shows them. */
export const groups: readonly CommandGroup[] = [
  profileCommands,
  walletCommands,
  activityCommands,
  policyCommands,
  agentCommands,
  secretCommands,
  keyCommands,
  proofCommands,
  requestCommands,
  emulatorCommands,
];
