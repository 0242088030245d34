import type { Description } from '../http/product.ts'
import type { DevFile } from './dev-file.ts'

export interface SummaryOptions {
  readonly url: string
  /** Whether the app is served at `/`. */
  readonly hasApp: boolean
  readonly roles: readonly string[]
  /** What the products and dev.json say of an embedded venue; null of any other. */
  readonly embedded: { readonly devFile: DevFile; readonly descriptions: readonly Description[] } | null
  readonly dataDir: string
}

/** What a person needs to know once the venue is up. Secrets are in dev.json, not on the screen. */
export function summary({ url, hasApp, roles, embedded, dataDir }: SummaryOptions): string {
  const lines = [`Bourse is ready: ${url}`, line('roles', roles.join(', '))]
  if (hasApp) lines.push(line('app', `${url}/`))
  if (embedded) {
    const { chain, accounts } = embedded.devFile
    lines.push(
      ...embedded.descriptions.map((description) => line(...description.summary)),
      line('chain', `${chain.rpcUrl}  (chain id ${chain.chainId}, ${accounts.length} funded accounts)`),
      line('for scripts', `${dataDir}/dev.json  (addresses, accounts, API keys; for development only)`),
    )
  }
  lines.push(line('health', `${url}/status`), 'Ctrl-C stops it; everything is kept for the next start.')
  return lines.join('\n')
}

const line = (name: string, text: string): string => `  ${name.padEnd(11)} ${text}`
