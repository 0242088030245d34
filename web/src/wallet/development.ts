// The wallet of an embedded venue: the ten accounts of its development chain. Their keys stay with the chain's node, which
// signs what this page asks for over /dev/rpc. On any other venue there is no such address, and nothing is announced.
import { type AnnouncedWallet, type Provider, ProviderError } from './eip1193.ts'

export const DEVELOPMENT_RDNS = 'local.bourse.development'

const UNRECOGNISED_CHAIN = 4902
const UNKNOWN_ERROR = -32_603

export function developmentWallet(rpcUrl: string, chainId: number, name: string): AnnouncedWallet {
  return {
    info: { uuid: 'b0455e00-0000-4000-8000-000000031337', name, icon: '/icon.svg', rdns: DEVELOPMENT_RDNS },
    provider: developmentProvider(rpcUrl, chainId),
  }
}

function developmentProvider(rpcUrl: string, chainId: number): Provider {
  const forward = rpcOver(rpcUrl)
  return {
    request: async ({ method, params }) => {
      if (method === 'eth_requestAccounts') return forward('eth_accounts')
      if (method === 'wallet_switchEthereumChain') return switchChain(params, chainId)
      return forward(method, params)
    },
  }
}

function switchChain(params: unknown, chainId: number): null {
  const [wanted] = (params ?? []) as [{ chainId?: string }?]
  if (Number(wanted?.chainId) === chainId) return null
  throw new ProviderError(UNRECOGNISED_CHAIN, `the development wallet knows chain ${chainId} alone`)
}

interface RpcAnswer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

function rpcOver(url: string) {
  let id = 0
  return async (method: string, params: unknown = []): Promise<unknown> => {
    id += 1
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params })
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const answer = (await response.json().catch(() => ({}))) as RpcAnswer
    if (answer.error) throw new ProviderError(answer.error.code, answer.error.message)
    if (!response.ok) throw new ProviderError(UNKNOWN_ERROR, `${url} answered HTTP ${response.status}`)
    return answer.result
  }
}

/** Announces it as EIP-6963 says, beside whatever other wallets the browser has. */
export function announce(wallet: AnnouncedWallet): void {
  const tell = () =>
    window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ ...wallet }) }))
  window.addEventListener('eip6963:requestProvider', tell)
  tell()
}
