/** What a wallet offers a page (EIP-1193). */
export interface Provider {
  request(call: { readonly method: string; readonly params?: unknown }): Promise<unknown>
  on?(event: string, listener: (value: never) => void): void
  removeListener?(event: string, listener: (value: never) => void): void
}

/** How a wallet announces itself (EIP-6963). */
export interface WalletInfo {
  readonly uuid: string
  readonly name: string
  readonly icon: string
  readonly rdns: string
}

export interface AnnouncedWallet {
  readonly info: WalletInfo
  readonly provider: Provider
}

/** A failure as wallets report it. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}
