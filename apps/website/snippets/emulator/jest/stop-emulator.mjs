export default function teardown() {
  return globalThis.emulator.close();
}
