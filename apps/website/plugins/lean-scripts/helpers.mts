const wanted = 'const tslib_1 = require("tslib");';

/**
 * The source of one of the builder's modules, with a copy of the only helper of tslib that it uses.
 * Otherwise, all forty helpers of tslib would come along.
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
