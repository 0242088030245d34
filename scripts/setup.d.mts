/** The environment in which the project's own tools come first on the PATH, and a process finds what others compiled. */
export const environment: { readonly NODE_COMPILE_CACHE: string } & NodeJS.ProcessEnv
/** The native program, which tells by its exit whether it succeeded. */
export function forgeProgram(): string
/** Runs a command to its end with its output shown; ends this process when it fails. */
export function runOrExit(command: string, args: readonly string[], options?: { readonly cwd?: string }): void
