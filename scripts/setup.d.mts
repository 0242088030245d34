/** The native program, which tells by its exit whether it succeeded. */
export function forgeProgram(): string
