import { readdirSync, readFileSync } from 'node:fs'

/** A process and everything below it, as Linux tells it. */
export function descendants(rootPid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: Number(statOf(name)[1] ?? 0) }))
  const found = [rootPid]
  for (const pid of found) found.push(...parents.filter(({ parent }) => parent === pid).map((child) => child.pid))
  return found
}

/** The fields of stat after the name, which may hold anything but ends with the last parenthesis: state, parent, … */
export function statOf(pid: number | string): string[] {
  const text = readIfThere(`/proc/${pid}/stat`)
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

/** The first part whose pattern the command line matches; undefined where none does. */
export function partOf<Name>(pid: number, parts: readonly (readonly [Name, RegExp])[]): Name | undefined {
  const command = readIfThere(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')
  return parts.find(([, pattern]) => pattern.test(command))?.[0]
}

/** A process may end while it is looked at. */
export function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
