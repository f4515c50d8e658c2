/** Shows a secret until people hide it, leave the page or a minute has passed. */
export function showSecret(place: HTMLElement, secret: string, seconds = 60): () => void {
  const text = document.createElement("output");
  text.textContent = secret;
  // No keyboard of a phone learns it, and no browser offers to translate it.
  text.translate = false;
  const hide = () => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", hide);
    text.textContent = "";
    text.remove();
  };
  const timer = setTimeout(hide, seconds * 1000);
  document.addEventListener("visibilitychange", hide);
  place.append(text);
  return hide;
}
