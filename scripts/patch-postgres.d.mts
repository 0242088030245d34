/** The pieces of each file, each with what takes its place. */
export const changes: Record<string, [from: string, to: string][]>
export function mend(folder: string): void
