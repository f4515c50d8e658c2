/**
 * Starts counting the milliseconds that this thread works. It does not count while other programs have
 * the processor, so a limit holds on a busy machine too.
 */
export function cpuTime(): () => number {
  const start = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(start);
    return (user + system) / 1000;
  };
}
