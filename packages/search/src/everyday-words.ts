/** How people ask, which is not always in the words of the documentation. */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Words that say nothing about what is asked. */
export const silent: Readonly<Record<string, ReadonlySet<string>>> = {
  en: words(`
    a able about again all also am an and any anybody anyone anything are as at be been before being between both but by can cannot could
    d did do does difference different doing don done each either else ever every everything exactly for from get gets getting give gives go
    goes going got had happen happens has have having he help her here him his hi hello how i if in instead into is isn it its
    just keyhearth know let like ll m make makes making may me mean means might more most much must my myself need needed
    needs never no not of off on one only or other others our out over own please possible re s same say says see set she
    should so some somebody someone something still such support supported supports t tell than thanks that the their them then there these they
    thing things this those through to too try up us use used using ve very want wants was way we well were what when
    where whether which while who whom whose why will with within without won work works would you your yours
  `),
  es: words(`
    a al algo alguien algun alguna alguno ante antes aqui asi aun bajo cada como con cual cuales cuando cuanta cuantas
    cuanto cuantos de debe debo deben del desde despues donde dos e el ella ellas ellos en entonces entre era eres es esa
    ese eso esta estan estar este esto estos esas esos estoy existe fue gracias ha hace hacer haces hacia hago han hasta
    hay hola keyhearth la las le les lo los mas me mi mis mientras mucho muy nada necesito ni no nos nuestra nuestro o otra otras
    otro otros para pasa paso pero por porque posible puede pueden puedes puedo que queda quien quienes quiero saber se sea segun
    ser si sin sirve sobre solo son soy su sus tal tambien tan te tener tengo ti tiene tienen tienes toda todas todo todos tras tu
    tus diferencia diferencias soporta soportan soportado un una unas uno unos usar usarla usarlas usarlo usarlos uso va voy y ya yo
  `),
};

/** What people call something, in lower case and without accents, and what the documentation calls it. */
export const phrases: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  en: [
    ["seed phrase", "mnemonic"],
    ["recovery phrase", "mnemonic"],
    ["secret phrase", "mnemonic"],
    ["log in", "login"],
    ["log ins", "login"],
    ["logs in", "login"],
    ["sign in", "login"],
    ["signs in", "login"],
    ["log out", "logout"],
    ["sign out", "logout"],
    ["sign up", "signup"],
    ["set up", "setup"],
    ["back up", "backup"],
    ["suborganization", "sub organization"],
    ["suborganizations", "sub organizations"],
    ["suborg", "sub organization"],
    ["suborgs", "sub organizations"],
    ["open source", "license"],
  ],
  es: [
    ["frase semilla", "mnemonico"],
    ["frase de recuperacion", "mnemonico"],
    ["copia de seguridad", "respaldo"],
    ["copias de seguridad", "respaldo"],
    ["iniciar sesion", "login"],
    ["inicio de sesion", "login"],
    ["cerrar sesion", "logout"],
    ["correo electronico", "correo"],
    ["sub organizacion", "suborganizacion"],
    ["sub-organizacion", "suborganizacion"],
  ],
};

/** Words of one line are asked for alike. */
export const alike: Readonly<Record<string, readonly string[]>> = {
  en: [
    "mnemonic seed words",
    "login authenticate authentication",
    "logout end sessions",
    "signup register onboard",
    "cost costs price pricing free charge pay license paid",
    "vulnerability vulnerabilities hole exploit bug",
    "report disclose tell",
    "fee fees gas",
    "sponsor sponsorship pay pays",
    "delete remove erase",
    "create make add new generate",
    "machine server host vps",
    "upgrade update newer migrate",
    "version release",
    "memory ram",
    "email mail",
    "https tls ssl certificate",
    "proxy nginx caddy",
    "fails fail failing failed failure down broken error outage unreachable",
    "endpoint receiver url",
    "deny denied denies refuse refused reject rejected forbidden",
    "approve approval approvals confirm",
    "large big larger high",
    "transfer transfers payment payments send pay",
    "address addresses recipient",
    "limit limits quota maximum",
    "rotate rotation replace renew",
    "lose lost loses losing",
    "leak leaks leaked stolen steal compromised",
    "chain chains blockchain blockchains network networks",
    "pipeline ci continuous github",
    "monitor monitoring metrics prometheus observability",
    "backup copy save",
    "move migrate transfer",
    "page pages pagination paginate",
    "retry repeat again resend twice",
    "allow permit whitelist allowlist",
    "customize customization look looks appearance template templates design",
    "dashboard console panel gui",
    "audit audited review reviewed",
    "docker container containers compose",
    "database postgres postgresql",
    "passkey passkeys webauthn",
    "session sessions",
    "last expire expires expiry lifetime long",
    "wait waiting waits pending",
    "process processes replicas instances",
    "broadcast send submit publish",
  ],
  es: [
    "mnemonico semilla palabras mnemonic",
    "login sesion autenticacion",
    "respaldo copia backup restaurar",
    "costo precio gratis pagar cost",
    "eliminar elimino borrar borro quitar",
    "crear creo creas genera agregar nueva",
    "recuperar recupero restaurar",
    "reemplazar reemplazo rotar cambiar cambio reemplaza",
    "perder perdi perdida pierdo pierde",
    "servidor maquina server",
    "actualizar actualizo version upgrade",
    "memoria memory",
    "correo email mail",
    "produccion lanzamiento salir",
    "revisar revisa comprobar lista",
    "pruebo probar prueba simular simulacion test",
    "transmite transmitir enviar envia broadcast",
    "permito permitir permite allow",
    "deniega denegar deny rechaza",
    "limite limites cuantas cuantos",
    "segundo segundos",
    "ejecuto ejecutar instalar desplegar run",
    "clave claves key keys",
    "organizacion organization",
    "usuario usuarios user users",
    "persona personas alguien",
    "invitar invito invita invitacion",
    "passkey passkeys webauthn",
    "webhook webhooks",
    "aprobar aprobacion aprobaciones approve",
    "exportar exporto exporta export",
    "importar importo importa import",
    "firmar firma firmo sign",
    "politica politicas policy",
    "cadena cadenas chain",
  ],
};
