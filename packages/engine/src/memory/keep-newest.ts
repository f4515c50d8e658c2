/** Keeps an entry as the newest of a map. What was kept longest ago is forgotten beyond `most` entries. */
export function keepNewest<K, V>(map: Map<K, V>, most: number, key: K, value: V) {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= most) return;
    map.delete(oldest);
  }
}
