// What `@react-native/metro-babel-transformer` does: Babel with the preset of React Native.
// @ts-expect-error There are no types of it here.
const { parseSync, transformFromAstSync } = require("@babel/core");

/** @param {{ filename: string, src: string, options: { platform?: string, dev?: boolean, unstable_transformProfile?: string }, plugins?: object[] }} file */
exports.transform = ({ filename, src, options, plugins }) => {
  const { platform, dev, unstable_transformProfile } = options;
  const common = { filename, babelrc: false, configFile: false, cloneInputAst: false };
  const caller = { name: "metro", bundler: "metro", platform, unstable_transformProfile };
  const presets = [[require.resolve("@react-native/babel-preset"), { dev }]];
  const parsed = parseSync(src, { ...common, caller, presets });
  if (!parsed) throw new Error(`${filename} cannot be parsed`);
  return transformFromAstSync(parsed, src, {
    ...common,
    caller,
    presets,
    plugins,
    ast: true,
    code: false,
  });
};
