// Programs for an operation, made of its document: each runs as it stands, with API_KEY and API_SECRET in its environment.
import type { Operation, Parameter } from './document.ts'
import { FUNCTIONS } from './functions.ts'

export type ProductName = 'stock' | 'perp'

/** The venue that the programs are for. */
export interface SampleVenue {
  readonly product: ProductName
  /** Where the product is served, its prefix included. */
  readonly baseUrl: string
  readonly chainId: number
  /** The stock API's name for its product. */
  readonly productType: string
}

/** A sample as readers of OpenAPI documents know it (`x-codeSamples`). */
export interface CodeSample {
  readonly lang: string
  readonly label: string
  readonly source: string
}

interface Call {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** A request with the values of the document's examples; what need not be given is left out. */
interface Sample extends Call {
  /** Below the base URL, its query sorted by name. */
  readonly uri: string
  /** The exact text; empty where there is none. */
  readonly body: string
  readonly isSigned: boolean
  readonly isIdempotent: boolean
}

/** One for each language; none in TypeScript for an older name, which the client library leaves out. */
export function codeSamples(call: Call, venue: SampleVenue): CodeSample[] {
  const sample = sampleOf(call)
  const typescript = typescriptOf(sample, venue)
  return [
    { lang: 'bash', label: 'curl', source: curlOf(sample, venue) },
    { lang: 'python', label: 'Python', source: pythonOf(sample, venue) },
    ...(typescript === null ? [] : [{ lang: 'typescript', label: 'TypeScript', source: typescript }]),
  ]
}

function sampleOf(call: Call): Sample {
  const { operation, path } = call
  const given = (place: string) => (operation.parameters ?? []).filter((one) => one.in === place && one.required)
  const target = given('path').reduce((uri, { name, example }) => uri.replace(`{${name}}`, encoded(example)), path)
  const query = given('query')
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, example }) => `${name}=${encoded(example)}`)
  const body = bodyOf(operation)
  return {
    ...call,
    uri: query.length === 0 ? target : `${target}?${query.join('&')}`,
    body: body === undefined ? '' : JSON.stringify(body),
    isSigned: operation['x-access'] === 'READ_ONLY' || operation['x-access'] === 'WRITABLE',
    isIdempotent: (operation.parameters ?? []).some(({ name }) => name === 'idempotency-key'),
  }
}

const encoded = (example: unknown): string => encodeURIComponent(String(example))

/** The first example of the body. */
function bodyOf({ requestBody }: Operation): unknown {
  const [first] = Object.values(requestBody?.content['application/json']?.examples ?? {})
  return first?.value
}

const shellText = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
const pythonText = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

/** How a product signs: what is signed, how the signature is written, and the headers beside it. */
interface Signing {
  readonly shell: readonly string[]
  readonly python: readonly string[]
  /** Headers by name, with the variable of both languages or a text. */
  readonly headers: readonly (readonly [name: string, variable: string] | readonly [name: string, '', text: string])[]
}

const signingOf = ({ product, chainId, productType }: SampleVenue): Signing =>
  product === 'stock' ? stockSigning(chainId, productType) : perpSigning(chainId)

const stockSigning = (chainId: number, productType: string): Signing => ({
  shell: [
    'TS="$(date +%s)000"',
    'NONCE="$(openssl rand -hex 16)"',
    `SIGN="$(printf '%s\\n%s\\n%s\\n%s\\n%s' "$METHOD" "$URI" "$TS" "$NONCE" "$BODY" |`,
    `  openssl dgst -sha256 -hmac "$API_SECRET" -r | cut -d ' ' -f 1)"`,
  ],
  python: [
    'ts, nonce = str(int(time.time() * 1000)), uuid.uuid4().hex',
    "text = '\\n'.join([method, uri, ts, nonce, body])",
    "sign = hmac.new(os.environ['API_SECRET'].encode(), text.encode(), hashlib.sha256).hexdigest()",
  ],
  headers: [
    ['x-api-key', 'API_KEY'],
    ['x-api-ts', 'TS'],
    ['x-api-nonce', 'NONCE'],
    ['x-api-sign', 'SIGN'],
    ['x-api-chain-id', '', String(chainId)],
    ['x-api-p', '', productType],
  ],
})

const perpSigning = (chainId: number): Signing => ({
  shell: [
    'TS="$(date +%s)000"',
    `SIGN="$(printf '%s%s%s%s' "$TS" "$METHOD" "$URI" "$BODY" |`,
    '  openssl dgst -sha256 -hmac "$API_SECRET" -binary | openssl base64 -A)"',
  ],
  python: [
    'ts = str(int(time.time() * 1000))',
    "digest = hmac.new(os.environ['API_SECRET'].encode(), (ts + method + uri + body).encode(), hashlib.sha256).digest()",
    'sign = base64.b64encode(digest).decode()',
  ],
  headers: [
    ['x-api-key', 'API_KEY'],
    ['x-api-ts', 'TS'],
    ['x-api-sign', 'SIGN'],
    ['x-chain-id', '', String(chainId)],
  ],
})

function curlOf({ method, uri, body, isSigned, isIdempotent }: Sample, venue: SampleVenue): string {
  const { shell, headers } = signingOf(venue)
  const variables = [
    `VENUE=${shellText(venue.baseUrl)}`,
    `METHOD=${method}`,
    `URI=${shellText(uri)}`,
    ...(isSigned || body !== '' ? [`BODY=${shellText(body)}`] : []),
  ]
  const lines = [
    ...(isSigned
      ? headers.map(([name, variable, text]) => `-H "${name}: ${variable === '' ? text : `$${variable}`}"`)
      : []),
    ...(isIdempotent ? ['-H "idempotency-key: $(openssl rand -hex 16)"'] : []),
    ...(body === '' ? [] : ["-H 'content-type: application/json'", '--data-raw "$BODY"']),
  ]
  const request = ['curl -sS -X "$METHOD" "$VENUE$URI"', ...lines].join(' \\\n  ')
  return [...variables, ...(isSigned ? shell : []), '', request].join('\n')
}

function pythonOf({ method, uri, body, isSigned, isIdempotent }: Sample, venue: SampleVenue): string {
  const { python, headers } = signingOf(venue)
  const modules = new Set(['urllib.error', 'urllib.request'])
  if (isSigned) for (const one of ['hashlib', 'hmac', 'os', 'time']) modules.add(one)
  if (isSigned && venue.product === 'perp') modules.add('base64')
  if (isIdempotent || (isSigned && venue.product === 'stock')) modules.add('uuid')
  const value = (variable: string) => (variable === 'API_KEY' ? "os.environ['API_KEY']" : variable.toLowerCase())
  const fields = [
    ...(isSigned
      ? headers.map(
          ([name, variable, text]) => `'${name}': ${variable === '' ? pythonText(text ?? '') : value(variable)}`,
        )
      : []),
    ...(isIdempotent ? ["'idempotency-key': str(uuid.uuid4())"] : []),
    ...(body === '' ? [] : ["'content-type': 'application/json'"]),
  ]
  return [
    `import ${[...modules].sort().join(', ')}`,
    '',
    `venue = ${pythonText(venue.baseUrl)}`,
    `method, uri = '${method}', ${pythonText(uri)}`,
    `body = ${pythonText(body)}`,
    ...(isSigned ? python : []),
    ...(fields.length === 0 ? ['headers = {}'] : ['headers = {', ...fields.map((field) => `    ${field},`), '}']),
    '',
    'request = urllib.request.Request(venue + uri, body.encode() or None, headers, method=method)',
    'try:',
    '    with urllib.request.urlopen(request) as answer:',
    '        print(answer.read().decode())',
    'except urllib.error.HTTPError as failure:',
    '    raise SystemExit(failure.read().decode())',
  ].join('\n')
}

function typescriptOf({ method, path, operation, body, isSigned }: Sample, venue: SampleVenue): string | null {
  const { product } = venue
  const name = FUNCTIONS[product][`${method} ${path}`]
  if (name === undefined) return null
  const given = (operation.parameters ?? []).filter((one) => one.in !== 'header' && one.required)
  const params = { ...valuesOf(given), ...(body === '' ? {} : (JSON.parse(body) as object)) }
  const options = [
    `baseUrl: '${venue.baseUrl.replace(/\/$/, '')}'`,
    `chainId: ${venue.chainId}`,
    ...(product === 'stock' ? [`productType: '${venue.productType}'`] : []),
    ...(isSigned ? ["signer: { apiKey: process.env.API_KEY ?? '', secret: process.env.API_SECRET ?? '' }"] : []),
  ]
  const empty = Object.keys(params).length === 0
  return [
    `import { createClient, ${name} } from '@bourse/sdk/${product}'`,
    '',
    'const client = createClient({',
    ...options.map((option) => `  ${option},`),
    '})',
    `const answer = await ${name}(client${empty ? '' : `, ${JSON.stringify(params, null, 2)}`})`,
    'console.log(JSON.stringify(answer, null, 2))',
  ].join('\n')
}

const valuesOf = (parameters: readonly Parameter[]): object =>
  Object.fromEntries(parameters.map(({ name, example }) => [name, example]))
