import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Auth } from '../auth/auth.ts'
import { authReasons } from '../auth/reasons.ts'
import { openSendDesk } from '../delegation/send-desk.ts'
import { configuredWith } from '../delegation/testing-values.ts'
import { errorIndexMarkdown, errorMarkdown, reasonsByName } from '../http/error-reference.ts'
import { testVenue } from '../http/testing.ts'
import { AppError, type Reason } from '../lib/errors.ts'
import { perp } from '../perp/index.ts'
import { stock } from '../stock/index.ts'
import { reasonTables } from './reasons.ts'

const source = join(import.meta.dirname, '..')
const files = globSync('**/*.ts', { cwd: source }).filter((file) => !/\.test\.ts$|testing|^lib\/errors\.ts$/.test(file))
const textOf = (file: string): string => readFileSync(join(source, file), 'utf8')

/** Contracts of which nothing is asked. */
const contracts = new Proxy<Record<string, `0x${string}`>>({}, { get: () => `0x${'00'.repeat(20)}` })
const venue = testVenue({ deployment: { chainId: 31_337, startBlock: 0n, contracts } })
const values = configuredWith([stock.variables])
const product = stock.open(venue, values).serve({ auth: {} as Auth, desk: openSendDesk(venue) })
const tables = reasonTables([stock, perp])
const listed = reasonsByName(tables)

const isTable = (value: unknown): value is Record<string, Reason> =>
  value !== null && typeof value === 'object' && Object.values(value).some((one) => isReason(one))
const isReason = (value: unknown): boolean =>
  value !== null && typeof value === 'object' && 'retryable' in value && 'doc' in value && 'kind' in value

describe('the tables of reasons', () => {
  const defining = files.filter((file) => textOf(file).includes('defineReasons('))

  it('hold every reason that any module defines', async () => {
    expect(defining.length).toBeGreaterThan(7)
    for (const file of defining) {
      const exported = Object.values((await import(join(source, file))) as object).filter(isTable)
      const calls = textOf(file).match(/= defineReasons\(/g) ?? []
      expect(exported, `${file} exports each of its tables`).toHaveLength(calls.length)
      for (const reason of exported.flatMap((table) => Object.values(table))) {
        expect(listed.get(reason.name), `${file}: ${reason.name}`).toMatchObject(reason)
      }
    }
  })

  it('are the only place where a reason is made, so whatever is thrown has its page', () => {
    const making = files.filter((file) => /\bretryable: (true|false)/.test(textOf(file)))
    expect(making.filter((file) => !defining.includes(file))).toEqual([])
  })

  it('say of each reason what happened, in whole sentences', () => {
    for (const { name, doc } of listed.values()) {
      expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/)
      expect(doc, name).toMatch(/^\S.*\.$/s)
    }
  })

  it('have pages in which every reason stands once', () => {
    const pages = tables.map((table) => errorMarkdown(table, [product.reference]))
    for (const name of listed.keys()) {
      expect(pages.join('\n').split(`\n## ${name}\n`), name).toHaveLength(2)
      expect(errorIndexMarkdown(tables)).toContain(`[\`${name}\`]`)
    }
  })

  it('refuse a name that is used twice', () => {
    const [table] = tables
    expect(() => reasonsByName([...tables, ...(table ? [table] : [])])).toThrow(/two reasons have the name/)
  })
})

describe('what a failed authentication tells the client', () => {
  it('is one reason, thrown in one place with one message', () => {
    const kinds = [...listed.values()].filter(({ kind }) => kind === 'unauthenticated')
    expect(kinds.map(({ name }) => name)).toEqual(['unauthenticated'])
    const throwing = files.filter(
      (file) => /authReasons\.unauthenticated\b/.test(textOf(file)) && /AppError\(/.test(textOf(file)),
    )
    expect(throwing).toEqual(['auth/verifier.ts'])
    expect(textOf('auth/verifier.ts').match(/authReasons\.unauthenticated, '([^']*)'/g)).toHaveLength(1)
  })

  it('is HTTP 400, code 401 and nothing of the cause', () => {
    const answers = ['key unknown', 'nonce used before', 'signature'].map((why) => {
      const error = new AppError(authReasons.unauthenticated, 'Unauthorized', { cause: new Error(why) })
      return product.envelope.failure(error, 'id', 1)
    })
    const body = '{"code":401,"errMsg":"Unauthorized","data":null,"uuid":"id","t":1}'
    expect(answers).toEqual(answers.map(() => ({ httpStatus: 400, body })))
  })
})
