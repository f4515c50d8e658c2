// Runs before the page is painted: chooses the theme, and which of the page's first views is shown until its scripts are there.
(() => {
  const { documentElement, currentScript } = document;
  const { dataset } = documentElement;
  let keepsNothing = false;
  const kept = (name) => {
    try {
      return localStorage.getItem(name);
    } catch {
      keepsNothing = true;
      return null;
    }
  };

  // Nobody who chose the dark theme sees a flash of the light one. A browser that keeps nothing follows the system.
  const chosen = kept("keyhearth-theme");
  const isDark =
    chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  dataset.theme = isDark ? "dark" : "light";

  // Nobody who is logged in sees a flash of the login. What is not sure is a view that suits both.
  const base = new URL(".", currentScript.src).pathname;
  const path = location.pathname.slice(base.length).replace(/\/$/, "");
  const isForAnybody = currentScript.dataset.public.split(" ").includes(path);
  const isLoggedIn = Number(kept("keyhearth-session-until")) > Date.now();
  const isNew =
    kept("keyhearth-organizations") === null &&
    !new URLSearchParams(location.search).has("organization");
  if (isForAnybody || keepsNothing) dataset.first = "front";
  else if (isLoggedIn) dataset.first = path === "" ? "overview" : "shell";
  else dataset.first = isNew ? "login" : "known";

  // Browsers refuse passkeys at an address that is a number, and the login says so from its first paint on.
  if (/^[\d.]+$|^\[/.test(location.hostname))
    dataset.number = /^(127\.0\.0\.1|\[::1\])$/.test(location.hostname) ? "here" : "elsewhere";

  // What the view becomes is on its way before the page's own script runs.
  const { login = "", inside = "", overview = "" } = currentScript.dataset;
  const wanted = {
    front: "",
    login,
    known: login,
    shell: inside,
    overview: `${inside} ${overview}`,
  };
  for (const name of wanted[dataset.first].split(" ").filter(Boolean)) {
    const link = document.createElement("link");
    link.rel = "modulepreload";
    link.crossOrigin = "";
    link.fetchPriority = "low";
    link.href = base + name;
    document.head.append(link);
  }
})();
