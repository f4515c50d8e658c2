// The page of /mailbox. Everything that a message says is set as text, or shown in a frame without scripts.

const REFRESH_MS = 2000;

/** In the storage of this tab, so that a reload still has the token. */
const TOKEN = "keyhearth-mailbox-token";
const NO_TOKEN = "Open the mailbox by the link that the service printed when it started.";
const OLD_TOKEN =
  "This link is from an earlier start of the service. Open the one that it printed when it started.";

/** @typedef {{ messageId: string, kind: string, to: string, subject: string, text: string, html: string, code?: string, link?: string, credentialBundle?: string, createdAt: string }} Message */

/** @type {string | null} */
let shownId = null;
let listed = "";

/** @template {HTMLElement} E @param {string} id @returns {E} */
function find(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element ${id}`);
  return /** @type {E} */ (found);
}

/** @param {string} name @param {string} text */
function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

/** Takes the token out of the address, which people copy and which stays in the browser's history. */
function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given === null) return;
  sessionStorage.setItem(TOKEN, given);
  history.replaceState(null, "", location.pathname);
}

async function refresh() {
  const token = sessionStorage.getItem(TOKEN);
  try {
    if (token === null) find("status").textContent = NO_TOKEN;
    else await load(token);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    find("status").textContent = `Messages cannot be loaded: ${why}`;
  }
  setTimeout(refresh, REFRESH_MS);
}

/** @param {string} token */
async function load(token) {
  const response = await fetch("/mailbox/messages", {
    headers: { Authorization: `Bearer ${token}` },
  });
  if (response.status === 403) {
    find("status").textContent = OLD_TOKEN;
    return;
  }
  if (!response.ok) throw new Error(`the service answers ${response.status}`);
  list(await response.json());
}

/** @param {Message[]} messages */
function list(messages) {
  find("status").textContent =
    messages.length === 0
      ? "No messages yet. They appear here as soon as something is sent."
      : `${messages.length} ${messages.length === 1 ? "message" : "messages"}, newest first`;
  const current = JSON.stringify(messages.map(({ messageId, html }) => [messageId, html.length]));
  if (current === listed) return;
  listed = current;
  const shown = messages.find(({ messageId }) => messageId === shownId) ?? messages[0] ?? null;
  find("messages").replaceChildren(...messages.map((each) => itemOf(each)));
  show(shown);
}

/** @param {Message} message */
function itemOf(message) {
  const button = document.createElement("button");
  button.type = "button";
  button.dataset.id = message.messageId;
  button.append(
    element("strong", message.kind === "sms-code" ? message.text : message.subject),
    element("span", `To ${message.to}`),
    element("span", timeOf(message)),
  );
  button.addEventListener("click", () => show(message));
  const item = document.createElement("li");
  item.append(button);
  return item;
}

/** @param {Message | null} message */
function show(message) {
  shownId = message?.messageId ?? null;
  for (const button of document.querySelectorAll(".list button")) {
    const isShown = button instanceof HTMLElement && button.dataset.id === shownId;
    button.setAttribute("aria-current", String(isShown));
  }
  find("message").hidden = message === null;
  if (!message) return;
  find("subject").textContent = message.subject;
  find("to").textContent = message.to;
  find("date").textContent = timeOf(message);
  find("parts").replaceChildren(
    ...partOf("Code", message.code),
    ...partOf("Link", message.link),
    ...partOf("Bundle", message.credentialBundle),
  );
  showMail(message.html);
  find("sms").hidden = message.html !== "";
  find("sms").textContent = message.text;
}

/** Browsers do not always draw a frame that was hidden before, so each mail gets a new one. @param {string} html */
function showMail(html) {
  /** @type {HTMLIFrameElement} */
  const old = find("mail");
  if (old.srcdoc === html) return;
  const frame = document.createElement("iframe");
  for (const { name, value } of old.attributes) {
    if (name !== "srcdoc") frame.setAttribute(name, value);
  }
  frame.hidden = html === "";
  if (html !== "") frame.srcdoc = html;
  old.replaceWith(frame);
}

/** @param {string} name @param {string | undefined} value */
function partOf(name, value) {
  if (value === undefined) return [];
  const item = document.createElement("li");
  const isLink = name === "Link" && /^https?:/.test(value);
  const shown = element(isLink ? "a" : "code", value);
  if (shown instanceof HTMLAnchorElement) {
    Object.assign(shown, { href: value, target: "_blank", rel: "noreferrer" });
  }
  const button = element("button", "Copy");
  button.setAttribute("aria-label", `Copy ${name.toLowerCase()}`);
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(value);
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = "Copy";
    }, 1500);
  });
  item.append(element("span", name), shown, button);
  return [item];
}

/** @param {Message} message */
function timeOf({ createdAt }) {
  return new Date(createdAt).toLocaleString([], { dateStyle: "medium", timeStyle: "medium" });
}

takeToken();
// A link that is opened in this tab again changes only what is behind the #.
window.addEventListener("hashchange", takeToken);
void refresh();
