/**
 * Milliseconds of processor time that this thread has taken. A Node.js before version 23.9 knows only that of the process,
 * which is more wherever other threads work.
 */
export function threadMs(): number {
  // The types are those of the newest version.
  const measure: typeof process.cpuUsage | undefined = process.threadCpuUsage;
  const { user, system } = measure === undefined ? process.cpuUsage() : process.threadCpuUsage();
  return (user + system) / 1000;
}
