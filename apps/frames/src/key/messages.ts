import type { Messages } from "../channel/channel.ts";
import type { EmbeddedKey } from "./embedded-key.ts";

/** What every page with a key answers about it. `onReset` forgets what was opened with it. */
export function keyMessages(key: EmbeddedKey, onReset: () => void = () => {}): Messages {
  return {
    GET_EMBEDDED_PUBLIC_KEY: async () => shown(await key.get()),
    INIT_EMBEDDED_KEY: async () => shown(await key.init()),
    async RESET_EMBEDDED_KEY() {
      await key.reset();
      onReset();
      return { type: "EMBEDDED_KEY_RESET", value: null };
    },
  };
}

function shown(value: string) {
  return { type: "EMBEDDED_PUBLIC_KEY", value };
}
