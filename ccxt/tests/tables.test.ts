import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ccxt from 'ccxt'
import { describe, expect, it } from 'vitest'
import { PERP_ERRORS, STOCK_ERRORS } from '../src/common/errors.ts'
import type { ProductName } from '../src/index.ts'
import { perp } from '../src/perp/product.ts'
import { stock } from '../src/stock/product.ts'
import type { ErrorTable, Product } from '../src/venue.ts'
import { documentOf, offline, root } from './exchange.ts'

/** Reasons and codes of refusals, as the client library has them from the API's document. */
function refusals(product: string): { reasons: string[]; codes: string[] } {
  const text = readFileSync(join(root, 'sdk', 'src', product, 'errors.ts'), 'utf8')
  const union = /export type Reason =([\s\S]*?)\n\n/.exec(text)?.[1] ?? ''
  return {
    reasons: [...union.matchAll(/'(\w+)'/g)].map(([, reason]) => String(reason)),
    codes: [...text.matchAll(/^ {4}'(\d+)':/gm)].map(([, code]) => String(code)),
  }
}

const PRODUCTS: readonly [string, Product, ErrorTable, 'openapi.json' | 'perp-openapi.json'][] = [
  ['perp', perp, PERP_ERRORS, 'perp-openapi.json'],
  ['stock', stock, STOCK_ERRORS, 'openapi.json'],
]

describe.each(PRODUCTS)('the tables of %s', (name, product, errors, file) => {
  it('have a class for every reason and every code of the API', () => {
    const { reasons, codes } = refusals(name)
    expect(reasons.length).toBeGreaterThan(40)
    expect(codes.length).toBeGreaterThan(5)
    expect(reasons.filter((reason) => !(reason in errors.reasons))).toEqual([])
    expect(codes.filter((code) => !(code in errors.codes))).toEqual([])
  })

  it('name classes that ccxt has', () => {
    const names = [...Object.values(errors.reasons), ...Object.values(errors.codes)]
    expect(names.filter((one) => !(ccxt[one].prototype instanceof ccxt.BaseError))).toEqual([])
  })

  it('call operations that the API has, with its access', () => {
    const { paths } = documentOf(file)
    const wrong = Object.values(product.calls).filter(([access, method, path]) => {
      const operation = paths[product.prefix + path]?.[method.toLowerCase()] as { 'x-access'?: string } | undefined
      return !operation || (operation['x-access'] === 'OPEN') !== (access === 'public')
    })
    expect(wrong).toEqual([])
  })

  it('say of themselves what they do, and false of everything else', () => {
    const { exchange } = offline(() => ({ body: {} }), {}, name as ProductName)
    const done = Object.keys(product.operations).filter((one) => /^(fetch|watch|create|cancel|close)/.test(one))
    expect(done.filter((one) => exchange.has[one] !== true)).toEqual([])
    const emulated = [
      'publicAPI',
      'privateAPI',
      'createLimitOrder',
      'createMarketOrder',
      'fetchL2OrderBook',
      'spot',
      'swap',
    ]
    const claimed = Object.entries(exchange.has).flatMap(([one, value]) => (value ? [one] : []))
    expect(claimed.filter((one) => !done.includes(one) && !emulated.includes(one))).toEqual([])
    expect(exchange.has.setLeverage).toBe(false)
  })
})
