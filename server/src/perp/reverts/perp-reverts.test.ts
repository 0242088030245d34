import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { encodeErrorResult } from 'viem'
import { describe, expect, it } from 'vitest'
import { readLinkable } from '../../chain/deploy/artifacts.ts'
import { perpReverts } from './perp-reverts.ts'
import { REVERT_EXPLANATIONS } from './revert-explanations.ts'

/** Contracts that a call of a trader or of the relayer may run through; libraries of the instrument are linked into it. */
const CONTRACTS = ['Instrument', 'Gate', 'RelayRouter', 'LinkMarket', 'StockMarket', 'Observer', 'StockFeeder']
/** The two refusals of a token that clients meet most (ERC-6093). */
const TOKEN_ERRORS = ['ERC20InsufficientAllowance', 'ERC20InsufficientBalance']

const abis = await Promise.all(CONTRACTS.map(async (name) => (await readLinkable(name)).abi))
const errors = abis.flatMap((abi) => abi.flatMap((item) => (item.type === 'error' ? [item] : [])))

const SAMPLES: readonly (readonly [RegExp, unknown])[] = [
  [/^address$/, '0x0000000000000000000000000000000000000012'],
  [/^bytes4$/, '0x01020304'],
  [/^bytes32$/, `0x${'01'.repeat(32)}`],
  [/^bytes$/, '0x0102'],
  [/^uint32$/, 7],
  [/^u?int/, 7n],
  [/^bool$/, true],
  [/^string$/, 'text'],
]
const sampleOf = (type: string): unknown => SAMPLES.find(([pattern]) => pattern.test(type))?.[1]

describe('the explanations', () => {
  it('hold one sentence of advice for every custom error of the contracts, and no other', () => {
    expect(errors.length).toBeGreaterThan(100)
    const names = new Set([...errors.map(({ name }) => name), ...TOKEN_ERRORS])
    expect(Object.keys(REVERT_EXPLANATIONS).sort()).toEqual([...names].sort())
    for (const text of Object.values(REVERT_EXPLANATIONS)) expect(text).toMatch(/^[A-Z].{15,}\.$/)
  })

  it('are found from the data of each error, with its arguments by name', () => {
    for (const error of errors) {
      const args = error.inputs.map(({ type }) => sampleOf(type))
      const data = encodeErrorResult({ abi: [error], errorName: error.name, args })
      expect(perpReverts.explain(data)).toEqual({
        name: error.name,
        args: Object.fromEntries(error.inputs.map(({ name }, index) => [name, String(args[index])])),
        explanation: REVERT_EXPLANATIONS[error.name],
      })
    }
  })

  it('know every error that the instrument’s libraries raise', async () => {
    const folder = join(import.meta.dirname, '..', '..', '..', '..', 'contracts', 'artifacts')
    const libraries = ['Trades', 'Orders', 'Ranges', 'Quotations', 'Settlement', 'Upkeep', 'Liquidations', 'Treasury']
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(libraries.map((name) => `${name}.json`)))
    for (const name of libraries) {
      const { abi } = await readLinkable(name)
      const unknown = abi.flatMap((item) =>
        item.type === 'error' && !(item.name in REVERT_EXPLANATIONS) ? [item.name] : [],
      )
      expect(unknown).toEqual([])
    }
  })
})
