/** Loads the screens' frame, and the screen that the address names beside it. */
export async function loadInside() {
  const inside = await import("../app/inside.tsx");
  inside.loadScreenHere();
  return { default: inside.Inside };
}
