import { execFileSync } from 'node:child_process'
import { chown, lstat, readdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

/** As whom the embedded PostgreSQL runs: it refuses to run as root. */
export interface Account {
  /** The command line that runs `program` under this account. */
  command(program: string, args: string[]): { command: string; args: string[]; uid?: number; gid?: number }
  /** Gives the paths, and everything below them, to this account. */
  own(paths: string[]): Promise<void>
}

const SELF: Account = { command: (program, args) => ({ command: program, args }), own: async () => {} }

/**
 * An ordinary user runs the server as itself. Root hands it to the unprivileged user `postgres` (or `nobody`); where
 * that user cannot enter the folders (a clone below a private directory), root keeps the files and hides its identity
 * from the server in a user namespace.
 */
export async function chooseAccount(postgresProgram: string, folder: string): Promise<Account> {
  if (process.getuid?.() !== 0) return SELF
  const user = lookUp('postgres') ?? lookUp('nobody')
  const cluster = join(folder, 'cluster')
  const usable =
    user && (await canEnter(dirname(postgresProgram), user.uid)) && (await canEnter(resolve(folder), user.uid))
  const account = usable ? otherUser(user) : userNamespace(folder)
  const existing = await stat(cluster).catch(() => null)
  if (existing) await account.own([cluster])
  return account
}

interface User {
  readonly uid: number
  readonly gid: number
}

function lookUp(name: string): User | null {
  try {
    const id = (flag: string) => Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }))
    return { uid: id('-u'), gid: id('-g') }
  } catch {
    return null
  }
}

/** True when every folder on the way may be entered by a user who shares no group with its owner. */
async function canEnter(folder: string, uid: number): Promise<boolean> {
  for (let path = folder; ; path = dirname(path)) {
    const { mode, uid: owner } = await stat(path)
    if ((mode & (owner === uid ? 0o100 : 0o001)) === 0) return false
    if (path === dirname(path)) return true
  }
}

function otherUser({ uid, gid }: User): Account {
  return {
    command: (program, args) => ({ command: program, args, uid, gid }),
    own: (paths) => own(paths, uid, gid),
  }
}

function userNamespace(folder: string): Account {
  const unshare = ['--user', '--map-user=65534', '--map-group=65534']
  try {
    execFileSync('unshare', [...unshare, 'true'], { stdio: 'ignore' })
  } catch {
    throw new Error(
      `as root, the embedded PostgreSQL needs folders that other users may enter, and ${resolve(folder)} (or the one of node_modules) is not. ` +
        'Start the venue as an ordinary user, set DATA_DIR and the checkout somewhere public (chmod o+x), or set DATABASE_URL.',
    )
  }
  return {
    command: (program, args) => ({ command: 'unshare', args: [...unshare, '--', program, ...args] }),
    own: (paths) => own(paths, 0, 0),
  }
}

async function own(paths: string[], uid: number, gid: number): Promise<void> {
  for (const path of paths) {
    const entry = await lstat(path)
    if (entry.uid !== uid || entry.gid !== gid) await chown(path, uid, gid)
    if (!entry.isDirectory()) continue
    const children = await readdir(path)
    await own(
      children.map((child) => join(path, child)),
      uid,
      gid,
    )
  }
}
