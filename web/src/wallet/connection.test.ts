import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { connect, connection, disconnect, walletChainId, wallets, watchWallets } from './connection.ts'

const page = new EventTarget()
const stored = new Map<string, string>()
vi.stubGlobal('window', page)
vi.stubGlobal('localStorage', {
  getItem: (name: string) => stored.get(name) ?? null,
  setItem: (name: string, value: string) => stored.set(name, value),
  removeItem: (name: string) => stored.delete(name),
})
afterAll(() => vi.unstubAllGlobals())

const [META, RABBY] = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`]

/** A wallet that answers each method when the test says so. */
function slowWallet(name: string) {
  const answers = new Map<string, PromiseWithResolvers<unknown>>()
  const listeners = new Map<string, (value: never) => void>()
  const answerOf = (method: string) => {
    const answer = answers.get(method) ?? Promise.withResolvers()
    answers.set(method, answer)
    return answer
  }
  const wallet = {
    info: { uuid: `uuid of ${name}`, name, icon: '', rdns: name },
    provider: {
      request: ({ method }: { readonly method: string }) => answerOf(method).promise,
      on: (event: string, listener: (value: never) => void) => void listeners.set(event, listener),
      removeListener: (event: string) => void listeners.delete(event),
    },
  }
  return {
    wallet,
    listeners,
    async answer(method: string, value: unknown) {
      answerOf(method).resolve(value)
      // Everything that follows from it without a further answer.
      await new Promise((resolve) => setTimeout(resolve))
    },
    announce: () => page.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: wallet })),
    tell: (event: string, value: unknown) => listeners.get(event)?.(value as never),
  }
}

describe('the connected wallet', () => {
  let meta = slowWallet('meta')
  let rabby = slowWallet('rabby')

  watchWallets()
  beforeEach(() => {
    meta = slowWallet('meta')
    rabby = slowWallet('rabby')
    stored.set('wallet', `meta ${META}`)
  })
  afterEach(() => {
    disconnect()
    wallets.value = []
  })

  const shown = () => [connection.value?.wallet.info.name, connection.value?.address, walletChainId.value]

  async function connectRabby() {
    const connecting = connect(rabby.wallet)
    await rabby.answer('eth_requestAccounts', [RABBY])
    await rabby.answer('eth_chainId', '0x7')
    await connecting
  }

  it('is the one of last time, with its account, where nothing else is asked for', async () => {
    stored.set('wallet', `meta ${RABBY}`)
    meta.announce()
    await meta.answer('eth_accounts', [META, RABBY])
    await meta.answer('eth_chainId', '0x9')
    expect(shown()).toEqual(['meta', RABBY, 9])
    expect([...meta.listeners.keys()]).toEqual(['accountsChanged', 'chainChanged'])
  })

  it('is not replaced by the one of last time, whose accounts come late', async () => {
    meta.announce()
    await connectRabby()
    await meta.answer('eth_accounts', [META])
    await meta.answer('eth_chainId', '0x9')
    expect(shown()).toEqual(['rabby', RABBY, 7])
    expect([meta.listeners.size, rabby.listeners.size]).toEqual([0, 2])
    expect(stored.get('wallet')).toBe(`rabby ${RABBY}`)
  })

  it('is not replaced by the one of last time, whose chain comes late', async () => {
    meta.announce()
    await meta.answer('eth_accounts', [META])
    await connectRabby()
    await meta.answer('eth_chainId', '0x9')
    expect(shown()).toEqual(['rabby', RABBY, 7])
  })

  it('is the one asked for last, though another one answers later, and is the one that is listened to', async () => {
    const connecting = connect(meta.wallet)
    await meta.answer('eth_requestAccounts', [META])
    await connectRabby()
    await meta.answer('eth_chainId', '0x9')
    await connecting
    expect(shown()).toEqual(['rabby', RABBY, 7])
    meta.tell('chainChanged', '0x1')
    expect(walletChainId.value).toBe(7)
    rabby.tell('chainChanged', '0x8')
    expect(walletChainId.value).toBe(8)
  })

  it('is still the old one, listened to, while another one is asked', async () => {
    await connectRabby()
    void connect(meta.wallet)
    await meta.answer('eth_requestAccounts', [META])
    rabby.tell('chainChanged', '0x8')
    expect(shown()).toEqual(['rabby', RABBY, 8])
    await meta.answer('eth_chainId', '0x9')
    expect(shown()).toEqual(['meta', META, 9])
    expect([meta.listeners.size, rabby.listeners.size]).toEqual([2, 0])
  })

  it('is none again once it opens no account any more', async () => {
    await connectRabby()
    rabby.tell('accountsChanged', [])
    expect([connection.value, walletChainId.value, stored.get('wallet')]).toEqual([null, null, undefined])
  })
})
