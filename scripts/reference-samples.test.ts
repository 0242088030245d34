// The programs that the page of the reference shows, made of the committed documents.
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Document, type Operation, shownDocument } from '../web/src/reference/document.ts'
import { type CodeSample, codeSamples, type ProductName } from '../web/src/reference/samples.ts'

const FOLDER = join(import.meta.dirname, '..', 'docs', 'reference')
const FILES: Readonly<Record<ProductName, string>> = { stock: 'openapi.json', perp: 'perp-openapi.json' }
const venueOf = (product: ProductName) => ({
  product,
  baseUrl: product === 'stock' ? 'http://127.0.0.1:8080/stock' : 'http://127.0.0.1:8080',
  chainId: 31_337,
  productType: 'Bourse',
})

interface Shown extends Operation {
  readonly path: string
  readonly 'x-codeSamples': readonly CodeSample[]
}

function shownOperations(product: ProductName): Shown[] {
  const document = JSON.parse(readFileSync(join(FOLDER, FILES[product]), 'utf8')) as Document
  return Object.entries(shownDocument(document, venueOf(product)).paths).flatMap(([path, item]) =>
    Object.values(item).map((one) => ({ ...(one as unknown as Shown), path })),
  )
}

const operations = (['stock', 'perp'] as const).flatMap(shownOperations)
const sources = (label: string): string[] =>
  operations.flatMap((one) =>
    one['x-codeSamples'].filter((sample) => sample.label === label).map(({ source }) => source),
  )

describe('the samples', () => {
  it('are in three languages for every operation, but for TypeScript of the older names', () => {
    expect(operations.length).toBeGreaterThan(120)
    for (const one of operations) {
      const labels = one['x-codeSamples'].map(({ label }) => label)
      const isOlder = one.path.startsWith('/v4/public/mm/')
      expect([one.path, ...labels]).toEqual([one.path, 'curl', 'Python', ...(isOlder ? [] : ['TypeScript'])])
    }
  })

  it('are programs of their languages', () => {
    const shell = spawnSync('bash', ['-n'], { input: sources('curl').join('\n'), encoding: 'utf8' })
    expect([shell.stderr, shell.status]).toEqual(['', 0])
    const parse = 'import ast, json, sys\nfor source in json.load(sys.stdin): ast.parse(source)\nprint("parsed")'
    const input = JSON.stringify(sources('Python'))
    expect(execFileSync('python3', ['-c', parse], { input, encoding: 'utf8' })).toBe('parsed\n')
    for (const source of sources('TypeScript')) expect(stripTypeScriptTypes(source)).toContain('createClient')
  })

  it('keep what a text holds from the language around it', () => {
    const value = { note: 'it\'s $HOME \\ "quoted" `date`' }
    const operation = {
      operationId: 'x',
      'x-access': 'PUBLIC',
      'x-errors': [],
      requestBody: { content: { 'application/json': { examples: { one: { value } } } } },
    }
    const [curl, python] = codeSamples({ method: 'POST', path: '/x', operation }, venueOf('perp'))
    const shell = `${curl?.source.split('\n\n')[0]}\nprintf %s "$BODY"`
    expect(JSON.parse(execFileSync('bash', { input: shell, encoding: 'utf8' }))).toEqual(value)
    const program = `${python?.source.split('\n\n')[1]}\nprint(body)`
    expect(JSON.parse(execFileSync('python3', ['-'], { input: program, encoding: 'utf8' }))).toEqual(value)
  })
})

describe('the shown document', () => {
  it('gives values to what has to be sent alone, names each failure once, and asks for no ready-made headers', () => {
    for (const one of operations) {
      for (const { name, required, example } of one.parameters ?? []) {
        expect([one.path, name, example === undefined]).toEqual([one.path, name, !required])
      }
      for (const { reason } of one['x-errors']) expect(one.description).toContain(`(/docs/errors/${reason})`)
      expect(one).not.toHaveProperty('security')
    }
    const document = JSON.parse(readFileSync(join(FOLDER, 'openapi.json'), 'utf8')) as Document
    const { components, info } = shownDocument(document, venueOf('stock'))
    expect(components).not.toHaveProperty('securitySchemes')
    for (const header of Object.keys(document.components.securitySchemes ?? {})) {
      expect(info.description).toContain(`| \`${header}\` |`)
    }
  })

  it.each([
    ['stock', '/asyncapi.json'],
    ['perp', '/asyncapi/perp.json'],
  ] as const)('of %s links what its stream tells', (product, url) => {
    const document = JSON.parse(readFileSync(join(FOLDER, FILES[product]), 'utf8')) as Document
    expect(shownDocument(document, venueOf(product)).info.description).toContain(`](${url})`)
  })
})
