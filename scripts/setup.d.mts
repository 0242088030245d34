/** The environment in which the project's own tools come first on the PATH, and a process finds what others compiled. */
export const environment: { readonly NODE_COMPILE_CACHE: string } & NodeJS.ProcessEnv
/** The native program, which tells by its exit whether it succeeded. */
export function forgeProgram(): string
/** Installs a folder with packages of its own and looks at its types; ends this process when either fails. */
export function installApart(folder: string): void
