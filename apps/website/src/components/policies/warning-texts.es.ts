import type { warningTexts as english } from "./warning-texts.ts";

export const warningTexts: typeof english = {
  "consensus-any": {
    meaning:
      "Cualquier usuario de la organización puede hacer por sí solo lo que permite este ALLOW.",
    remedy: "Nombra usuarios o una etiqueta en el consenso.",
  },
  "policy-writer": {
    meaning:
      "Un solo usuario puede escribir políticas, así que puede darse a sí mismo cualquier permiso.",
    remedy: "Pide dos aprobaciones, o excluye las políticas en la condición.",
  },
  "sign-unscoped": {
    meaning: "La política permite firmar con todas las claves, incluso payloads en bruto.",
    remedy: "Comprueba la wallet o la clave, la transacción, o la codificación del payload.",
  },
  "raw-payload-bypass": {
    meaning:
      "Otra política limita las transacciones de una clave, pero esta permite firmar los mismos bytes como payload en bruto.",
    remedy: "Comprueba `activity.params.encoding`, o deniega los payloads en bruto para esa clave.",
  },
  "first-only": {
    meaning:
      "La política comprueba un elemento de una lista por su posición. Los demás elementos pueden ser cualquier cosa.",
    remedy: "Usa `all`, o comprueba también `count()`.",
  },
  "vacuous-all": {
    meaning: "`all` es verdadero para una lista vacía.",
    remedy: "Agrega `count() > 0`.",
  },
  "args-without-address": {
    meaning:
      "La política comprueba los argumentos de una llamada pero no el contrato, así que puede coincidir cualquier contrato que tenga una interfaz.",
    remedy: "Comprueba también `eth.tx.to`.",
  },
  "eip712-domain": {
    meaning: "Unos datos tipados de esta forma pueden ser para otro contrato u otra cadena.",
    remedy: "Comprueba `chain_id` y `verifying_contract` del dominio.",
  },
  "lookup-placeholder": {
    meaning: "Una cuenta de una tabla de búsqueda no muestra su dirección.",
    remedy: "Comprueba que no haya `address_table_lookups`.",
  },
  "always-matches": {
    meaning: "Una cláusula, o una parte de ella, siempre es verdadera.",
    remedy: "Corrígela. Si es lo que quieres, déjala fuera.",
  },
  "deny-can-error": {
    meaning:
      "Con algunas solicitudes, el DENY lee algo que no tienen y se omite, o falla con un error y deniega más de lo que dice.",
    remedy:
      "Escribe un DENY para cada tipo de solicitud, y comprueba también de qué solicitudes trata.",
  },
  "deny-counts-votes": {
    meaning:
      "El DENY se aplica mientras falten aprobaciones, así que deniega la solicitud antes de que otras personas puedan aprobarla.",
    remedy: "Pide las aprobaciones en el consenso del ALLOW.",
  },
  "deny-everything": {
    meaning:
      "El DENY deniega todo, o todo cambio de políticas, a cualquiera que no sea el quórum raíz.",
    remedy: "Acota la condición, o agrega un consenso.",
  },
  "mixed-key-roots": {
    meaning:
      "La expresión lee dos valores que nunca están en la misma solicitud, así que siempre falla con un error.",
    remedy: "Escribe una política para cada uno.",
  },
  "no-short-circuit": {
    meaning:
      "Un lado de `||` lee un valor que no existe en las solicitudes de las que trata el otro lado.",
    remedy: "Escribe una política para cada lado.",
  },
  "slice-may-overflow": {
    meaning:
      "Un recorte llega más allá del final de algunos textos. Comprobar la longitud no lo evita.",
    remedy: "Escribe otra política, sin el recorte, para los textos cortos.",
  },
  "index-unguarded": {
    meaning: "La expresión lee un elemento que puede no existir.",
    remedy: "Usa `any`, o `all` con `count()`.",
  },
  "secret-key-missing": {
    meaning:
      "Si un secreto no tiene esta propiedad, la expresión falla, compruebe lo que compruebe además.",
    remedy: "Escribe una política para cada propiedad.",
  },
  "interface-missing": {
    meaning: "La expresión lee argumentos de un contrato que no tiene una interfaz guardada.",
    remedy: "Guarda la interfaz con `create_smart_contract_interface`.",
  },
  "never-matches": {
    meaning: "Una cláusula, o una parte de ella, nunca puede ser verdadera.",
    remedy: "Corrígela.",
  },
  "allow-shadowed": {
    meaning: "Un DENY abarca todo lo que permite este ALLOW.",
    remedy: "Acota el DENY, o elimina el ALLOW.",
  },
  "consensus-unreachable": {
    meaning:
      "Ningún conjunto de votos de los usuarios de la organización puede hacer verdadero el consenso.",
    remedy: "Pide menos aprobaciones, o dales la etiqueta a más usuarios.",
  },
  "unknown-activity": {
    meaning: "El servicio no tiene ese tipo, ese recurso o esa acción.",
    remedy: "Usa un valor de la tabla de actividades.",
  },
  "unknown-user": {
    meaning: "La organización no tiene ese usuario.",
    remedy: "Corrige el id, la dirección o el nombre.",
  },
  "unknown-tag": {
    meaning:
      "La organización no tiene esa etiqueta. Las políticas comparan los ids de las etiquetas, no sus nombres.",
    remedy: "Usa el id que devolvió `create_user_tag`.",
  },
  "unknown-credential": {
    meaning: "Ningún usuario tiene esa credencial.",
    remedy: "Corrige el id o la clave pública.",
  },
  "unknown-wallet": {
    meaning: "La organización no tiene esa wallet.",
    remedy: "Usa un id de `list_wallets`.",
  },
  "unknown-private-key": {
    meaning: "La organización no tiene esa clave privada.",
    remedy: "Usa un id de `list_private_keys`.",
  },
  "type-pinned": {
    meaning:
      "La política nombra una versión de un tipo de actividad que los clientes más nuevos no envían.",
    remedy: "Comprueba `activity.kind`.",
  },
  "wei-unit": {
    meaning: "`eth.tx.value` está en wei, pero el número parece un monto en ether.",
    remedy: "Agrega 18 dígitos: 1 ETH es `1000000000000000000` wei.",
  },
  "account-case": {
    meaning: "La dirección de una cuenta no está escrita como la guarda el servicio.",
    remedy: "Cópiala de la respuesta de `list_wallet_accounts`.",
  },
  "address-case": {
    meaning:
      "La política compara el texto de forma exacta, pero el mismo valor puede estar escrito con otras mayúsculas y minúsculas.",
    remedy: "Escríbelo en minúsculas, o envuelve ambos lados en `CaseInsensitiveString`.",
  },
  "spl-owner": {
    meaning:
      "La política compara una cuenta de una transferencia de tokens con una wallet, pero los tokens se mueven entre cuentas de token.",
    remedy: "Usa la dirección de la cuenta de token.",
  },
  "hidden-name": {
    meaning: "Un nombre en `all`, `any` o `filter` oculta otro.",
    remedy: "Dale otro nombre al elemento.",
  },
  "count-field": {
    meaning: "`count` sin paréntesis parece un campo.",
    remedy: "Escribe `count()`.",
  },
};
