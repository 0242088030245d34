// What the contracts of a venue can be asked for by this app: everything else the guard refuses.
import { type Abi, parseAbi } from 'viem'
import { setup } from '../app-state.ts'
import type { KnownContract, KnownContracts } from './guard.ts'
import { knowUnits, type Units } from './units.ts'

const ERC20 = parseAbi(['function approve(address spender, uint256 amount) returns (bool)'])

const abis: Record<string, Abi> = {
  OneClickRouter: parseAbi(['function undelegate()', 'function setDailyAmount(uint96 amountWad)']),
  PerpOneClickRouter: parseAbi(['function undelegate()']),
}

type Signed = NonNullable<KnownContract['signed']>

const signatures = new Map<string, Signed>()

/** What the app has signed as typed data for a contract, with what each allows: the delegation of One Click. */
export function tellSigned(name: string, signed: Signed): void {
  signatures.set(name, signed)
}

/** A product tells which calls of its contracts the app makes, by the names of /app-config.json. */
export function knowAbis(more: Readonly<Record<string, Abi>>): void {
  Object.assign(abis, more)
}

type Explain = NonNullable<KnownContract['explain']>

const explanations = new Map<string, Explain>()

/** How the arguments of a contract's calls read, where their types alone do not tell. */
export function explainCalls(name: string, explain: Explain): void {
  explanations.set(name, explain)
}

type Meaning = NonNullable<KnownContract['meaning']>

const meanings = new Map<string, Meaning>()

/** What the calls of a contract would do, in amounts that people read, beside their arguments. */
export function tellMeaning(name: string, meaning: Meaning): void {
  meanings.set(name, meaning)
}

const tokens = new Map<string, KnownContract>()

/** Contracts that the venue's lists name, beside those of /app-config.json. */
export function knowContracts(listed: readonly (KnownContract & { readonly address: string })[]): void {
  for (const { address, name, abi } of listed) tokens.set(address.toLowerCase(), { name, abi })
}

/** Tokens that the venue lists: what spends them may be approved. */
export function knowTokens(listed: readonly (Units & { readonly address: string })[]): void {
  for (const { address, symbol, decimals } of listed) {
    tokens.set(address.toLowerCase(), { name: symbol, abi: ERC20 })
    knowUnits(address, { symbol, decimals })
  }
}

export function knownContracts(): KnownContracts {
  const configured = Object.entries(setup.value?.contracts ?? {}).map(([name, address]) => {
    const abi = Object.hasOwn(abis, name) ? abis[name] : ERC20
    return [address.toLowerCase(), { name, abi: abi ?? ERC20, signed: signatures.get(name) ?? {} }] as const
  })
  const all = [...tokens, ...configured].map(([address, contract]) => {
    const [explain, meaning] = [explanations.get(contract.name), meanings.get(contract.name)]
    return [address, { ...contract, ...(explain ? { explain } : {}), ...(meaning ? { meaning } : {}) }] as const
  })
  return new Map(all)
}
