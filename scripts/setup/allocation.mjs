/**
 * How glibc hands out memory. Each thread of a service would get an arena of its own, which keeps what the
 * thread gave back: 70 MB. And glibc lets its thresholds grow with the largest block that was given back, so
 * that the sources and the compiled code of the start stay behind as holes: 60 to 100 MB. Naming a threshold keeps it,
 * here at its first value. What is smaller, as the buffers of sockets are, costs no call of the system.
 *
 * @type {Record<string, string>}
 */
export const allocation = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: "131072",
  MALLOC_TRIM_THRESHOLD_: "1048576",
};

/** How V8 sizes and collects its heaps. Decision 5 says what was measured. */
export const flags = [
  "--max-semi-space-size=16",
  "--heap-growing-percent=70",
  "--no-incremental-marking-task",
  "--no-parallel-scavenge",
];
