import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { productsToDocument } from './generate-reference.ts'

// docs/seed-map-stocks.md names, for each sentence of docs/stock-requirement.md, the tests that prove it, and docs/seed-map-perp.md
// those of docs/perp-requirement.md.

const root = join(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

interface Sentence {
  readonly section: string
  readonly text: string
}

/** The sentences, list items and table rows of the requirement. */
function sentencesOf(markdown: string): Sentence[] {
  const [, ...sections] = markdown.split(/^## (?=\d)/m)
  return sections.flatMap((text) => {
    const [title = '', ...lines] = text.split('\n')
    const [section = ''] = title.split('.')
    const isRule = (line: string | undefined) => /^\|[-| ]+\|$/.test(line ?? '')
    return lines.flatMap((line, index) => {
      if (line.trim() === '' || isRule(line) || isRule(lines[index + 1])) return []
      if (line.startsWith('|')) return [{ section, text: line.replaceAll(/^\| | \|$/g, '') }]
      const item = /^\s*\* (.*)$/.exec(line)?.[1]
      const texts = item === undefined ? line.trim().split(/(?<=[.:]) (?=[A-Z])/) : [item]
      return texts.map((one) => ({ section, text: one }))
    })
  })
}

interface Row {
  readonly section: string
  readonly quote: string
  readonly proofs: readonly string[]
}

function rowsOf(markdown: string): Row[] {
  const [, ...sections] = markdown.split(/^## (?=\d)/m)
  return sections.flatMap((text) => {
    const section = text.split('.')[0] ?? ''
    return [...text.matchAll(/^\| (?!requirement|---)(.*?) \| ([^|]*) \|$/gm)].map(([, quote = '', proofs = '']) => ({
      section,
      quote: quote.replaceAll('\\|', '|').replace(/ …$/, ''),
      proofs: proofs.split('<br>'),
    }))
  })
}

/** What is wrong with a proof; null when nothing is. */
function problemOf(proof: string): string | null {
  const decided = /^(?:left open|otherwise for [^,]+), decided in \[([\w/.-]+)\]\(([\w/.-]+)(?:#([\w-]+))?\)$/.exec(
    proof,
  )
  if (decided) return problemOfPage(decided[1] ?? '', decided[2] ?? '', decided[3])
  const [, file = '', name = ''] = /^`([\w/.-]+)`: (.+)$/.exec(proof) ?? []
  if (!/(\.test\.ts|\.t\.sol)$/.test(file)) return `no test is named in "${proof}"`
  if (!existsSync(join(root, file))) return `there is no ${file}`
  const source = read(file)
  const stands = file.endsWith('.sol')
    ? source.includes(`function ${name}(`)
    : [source, ...tablesOf(file, source)].flatMap(named).includes(name)
  return stands ? null : `${file} has no test "${name}"`
}

function problemOfPage(label: string, page: string, anchor: string | undefined): string | null {
  if (label !== page) return `"${label}" leads to ${page}`
  if (!existsSync(join(root, 'docs', page))) return `there is no ${page}`
  return anchor === undefined || anchorsOf(read(`docs/${page}`)).includes(anchor) ? null : `${page} has no #${anchor}`
}

/** The anchors of a page's headings. */
const anchorsOf = (markdown: string): string[] =>
  [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  )

/** Tables of requests whose names are a file's cases. */
const tablesOf = (file: string, source: string): string[] =>
  [...source.matchAll(/ from '(\.[\w./-]*\/sound-\w+\.ts)'$/gm)].map(([, table = '']) =>
    read(join(dirname(file), table)),
  )

/** Every text in a test file that may be the name of a test or of a case. */
const named = (source: string): string[] =>
  [...source.matchAll(/'((?:[^'\\\n]|\\.)*)'|"([^"\n]*)"/g)].map(([, single, double]) => single ?? double ?? '')

describe.each([
  ['stock-requirement', 'seed-map-stocks', 160],
  ['perp-requirement', 'seed-map-perp', 40],
])('the map of %s', (requirementName, mapName, sentences) => {
  const requirement = sentencesOf(read(`docs/${requirementName}.md`))
  const rows = rowsOf(read(`docs/${mapName}.md`))

  it('has each sentence once, in order', () => {
    expect(requirement.length).toBeGreaterThan(sentences)
    const covered = rows.map(({ section, quote }, index) => {
      const sentence = requirement[index]
      return sentence?.section === section && sentence.text.startsWith(quote) ? '' : `${quote} ≠ ${sentence?.text}`
    })
    expect(covered.filter(Boolean)).toEqual([])
    expect(rows).toHaveLength(requirement.length)
  })

  it('names tests that are there', () => {
    expect(rows.filter(({ proofs }) => proofs.length === 0)).toEqual([])
    const problems = rows.flatMap(({ proofs }) => proofs.map(problemOf)).filter((problem) => problem !== null)
    expect(problems).toEqual([])
  })
})

describe('a map', () => {
  it('would notice a test that is not there', () => {
    expect(problemOf('`scripts/seed-map.test.ts`: would notice a test that is not here')).toMatch(/has no test/)
    expect(problemOf('`scripts/none.test.ts`: x')).toMatch(/there is no/)
    expect(problemOf('`contracts/test/stock/StockOrders.t.sol`: test_nothing')).toMatch(/has no test/)
    expect(problemOf('by inspection')).toMatch(/no test is named/)
  })

  it('would notice a page or a section that is not there', () => {
    expect(problemOf('left open, decided in [streams.md](streams.md#webhooks)')).toBeNull()
    expect(problemOf('left open, decided in [streams.md](streams.md#hooks)')).toBe('streams.md has no #hooks')
    expect(problemOf('otherwise for hooks, decided in [streams.md](streams.md#webhooks)')).toBeNull()
    expect(problemOf('left open, decided in [none.md](none.md)')).toBe('there is no none.md')
    expect(problemOf('left open, decided in [streams.md](known-issues.md)')).toBe(
      '"streams.md" leads to known-issues.md',
    )
    expect(problemOf('left open, decided in [streams.md]')).toMatch(/no test is named/)
  })
})

const registered = productsToDocument().flatMap(({ name, routes }) =>
  routes.map(({ method, path, access }) => ({
    product: name,
    operation: `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
    access,
  })),
)

/**
 * Operations that ask for no API key, against the words of sections 5A and 5B: market data for anybody (`OPEN`), what the published
 * client of perpetuals reads without one (`PUBLIC`), and those by which a wallet gets a key (`WALLET`). docs/web-access.md decides.
 */
const WITHOUT_KEY = {
  stock: {
    OPEN: [
      'GET /api/v1/calendar',
      'GET /api/v1/clock',
      'GET /api/v1/config',
      'GET /api/v1/corporate-action',
      'GET /api/v1/prices/{symbol}',
      'GET /api/v1/prices/{symbol}/history',
      'GET /api/v1/symbols',
      'GET /api/v1/underlying/{symbol}/price',
    ],
    PUBLIC: [],
    WALLET: ['POST /api/v1/session'],
  },
  perp: {
    OPEN: [
      'GET /v4/public/mm/funding/history',
      'GET /v4/public/mm/instruments-info',
      'GET /v4/public/mm/kline',
      'GET /v4/public/mm/orderBook',
      'GET /v4/public/mm/serverTime',
      'GET /v4/public/mm/tickers',
      'GET /v4/public/trader/market/funding/history',
      'GET /v4/public/trader/market/instruments',
      'GET /v4/public/trader/market/kline',
      'GET /v4/public/trader/market/orderBook',
      'GET /v4/public/trader/market/serverTime',
      'GET /v4/public/trader/market/tickers',
    ],
    PUBLIC: [
      'GET /v4/public/history/fundFlow',
      'GET /v4/public/history/funding',
      'GET /v4/public/history/liquidity',
      'GET /v4/public/history/order',
      'GET /v4/public/history/trade',
      'GET /v4/public/history/transfer',
      'GET /v4/public/market/depth',
      'GET /v4/public/market/getOnChainContext',
      'GET /v4/public/market/getOnChainContext/onChainQuery',
      'GET /v4/public/market/inquire',
      'GET /v4/public/market/inquireByNotional',
      'GET /v4/public/market/inquireByTick',
      'GET /v4/public/market/instrument',
      'GET /v4/public/market/kline',
      'GET /v4/public/market/marketList',
      'GET /v4/public/market/marketPairInfo',
      'GET /v4/public/market/orderBook',
      'GET /v4/public/market/user/gateValue',
      'GET /v4/public/market/user/volumes',
      'GET /v4/public/portfolio',
      'GET /v4/public/token/tokensWithAddress',
    ],
    WALLET: ['POST /v4/public/trader/api-key/create'],
  },
}

it('asks for an API key everywhere but where it was decided otherwise', () => {
  const of = (product: string, access: string) =>
    registered
      .filter((one) => one.product === product && one.access === access)
      .map(({ operation }) => operation)
      .sort()
  for (const [product, free] of Object.entries(WITHOUT_KEY)) {
    for (const [access, operations] of Object.entries(free)) expect(of(product, access)).toEqual(operations)
  }
  expect([...new Set(registered.map(({ product }) => product))]).toEqual(Object.keys(WITHOUT_KEY))
})

it('has every endpoint of the tables, with its permission', () => {
  const wanted = [
    ...read('docs/stock-requirement.md').matchAll(/^\| (GET|POST|DELETE) \| (\S+) \| (READ_ONLY|WRITABLE) \|/gm),
  ].map(([, method, path, access]) => `${method} ${path} ${access}`)
  expect(wanted).toHaveLength(43)
  const open: readonly string[] = WITHOUT_KEY.stock.OPEN
  // A key that may only read is served what anybody may ask for, too.
  const served = registered.map(({ operation, access }) =>
    access === 'OPEN' && open.includes(operation) ? `${operation} READ_ONLY` : `${operation} ${access}`,
  )
  expect(wanted.filter((one) => !served.includes(one))).toEqual([])
})
