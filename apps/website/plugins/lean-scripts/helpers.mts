const wanted = 'const tslib_1 = require("tslib");';

/**
 * The source of a module of the builder's that uses one small helper of tslib, with that helper. The
 * whole of tslib, forty helpers, would come along otherwise.
 *
 * @throws if the module uses another helper.
 */
export function withOwnHelper(source: string): string {
  const others = source.replaceAll("tslib_1.__importDefault(", "").replace(wanted, "");
  if (!source.includes(wanted) || others.includes("tslib")) {
    throw new Error("utils-common uses tslib otherwise than in 3.10: fix plugins/lean-scripts");
  }
  return source.replace(
    wanted,
    "const tslib_1 = { __importDefault: (it) => (it && it.__esModule ? it : { default: it }) };",
  );
}

export { withOwnHelper as default };
