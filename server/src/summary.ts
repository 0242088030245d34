import type { DevFile } from './dev-file.ts'

export interface SummaryOptions {
  readonly url: string
  readonly roles: readonly string[]
  readonly devFile: DevFile | null
  readonly dataDir: string
}

/** What a person needs to know once the venue stands. Secrets are in dev.json, not on the screen. */
export function summary({ url, roles, devFile, dataDir }: SummaryOptions): string {
  const lines = [`Bourse is ready: ${url}`, `  roles       ${roles.join(', ')}`]
  if (devFile) {
    const { chain, stock, accounts } = devFile
    lines.push(
      `  stock API   ${stock.baseUrl}  (x-api-chain-id ${stock.chainId}, x-api-p ${stock.productType})`,
      `  chain       ${chain.rpcUrl}  (chain id ${chain.chainId}, ${accounts.length} funded accounts)`,
      `  for scripts ${dataDir}/dev.json  (addresses, accounts, API keys; for development only)`,
    )
  }
  lines.push(`  health      ${url}/status`, 'Ctrl-C stops it; everything is kept for the next start.')
  return lines.join('\n')
}
