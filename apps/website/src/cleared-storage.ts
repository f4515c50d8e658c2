// When another tab clears the whole storage, the browser reports no key, and the theme only follows
// reports about its own key. So this repeats the report for the key of the theme switch.

if (typeof window !== "undefined") {
  window.addEventListener("storage", (event) => {
    if (event.key !== null) return;
    const { storageArea, url } = event;
    window.dispatchEvent(new StorageEvent("storage", { key: "theme", storageArea, url }));
  });
}
