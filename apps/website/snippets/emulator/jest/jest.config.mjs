export default {
  globalSetup: "./emulator.mjs",
  globalTeardown: "./stop-emulator.mjs",
  testMatch: ["**/*.test.mjs"],
};
