/** What people read, in the language of their browser. Refusals are for the embedding page, and in English. */

const english = {
  auth: "This page holds the key of a login for an application that embeds it. By itself it does nothing.",
  export:
    "This page shows an exported wallet or private key inside of an application that embeds it. By itself it shows nothing.",
  import:
    "This page takes a wallet or private key that you import into an application that embeds it. Never enter one here: by itself the page does nothing.",
  sign: "This page holds exported keys for an application that embeds it, which signs with them. By itself it does nothing.",
  importing: "Import",
  show: "Show",
  hide: "Hide",
  mnemonic: "Recovery phrase",
  key: "Private key",
  passphrase: "Passphrase",
  secret: "Recovery phrase or private key",
} as const;

type Words = { readonly [name in keyof typeof english]: string };

const spanish: Words = {
  auth: "Esta página guarda la clave de un inicio de sesión para una aplicación que la incluye. Por sí sola no hace nada.",
  export:
    "Esta página muestra una cartera o clave privada exportada dentro de una aplicación que la incluye. Por sí sola no muestra nada.",
  import:
    "Esta página recibe una cartera o clave privada que importas en una aplicación que la incluye. Nunca escribas una aquí: por sí sola la página no hace nada.",
  sign: "Esta página guarda claves exportadas para una aplicación que la incluye y firma con ellas. Por sí sola no hace nada.",
  importing: "Importar",
  show: "Mostrar",
  hide: "Ocultar",
  mnemonic: "Frase de recuperación",
  key: "Clave privada",
  passphrase: "Frase de contraseña",
  secret: "Frase de recuperación o clave privada",
};

const isSpanish = /^es\b/i.test(navigator.language);

export const words: Words = isSpanish ? spanish : english;

/** Tells screen readers the language. */
export function markLanguage() {
  document.documentElement.lang = isSpanish ? "es" : "en";
}
