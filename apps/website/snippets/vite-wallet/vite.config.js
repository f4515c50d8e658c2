// Serves this folder alone. In a clone, Vite would serve all of it, with the keys in its data directory.
export default { server: { fs: { allow: ["."] } } };
