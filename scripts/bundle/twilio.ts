import { basename } from "node:path";
import type { Plugin } from "esbuild";

/** The list of the clients, that of messages, and what clients are made from: logins to Twilio use two of these. */
const KEPT = /^(Twilio|Api|\w+Base)$/;

/**
 * Twilio's package has a client for each of its forty products, four megabytes of code, and loads one when it is first
 * used. SMS need one. A bundle has the others as a line that says so.
 */
export const onlyMessages: Plugin = {
  name: "twilio",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]twilio[\\/]lib[\\/]rest[\\/][A-Z]\w+\.js$/ }, ({ path }) => {
      const client = basename(path, ".js");
      if (KEPT.test(client)) return undefined;
      return { contents: `throw new Error("this bundle has no client for Twilio's ${client}");` };
    });
  },
};
