import { type Profiler, Session } from 'node:inspector/promises'

type CallFrame = Profiler.ProfileNode['callFrame']

/** Which part of the program a function belongs to; the first that fits. */
const PARTS: readonly (readonly [RegExp, string])[] = [
  [/server\/src\/(auth|(stock|perp)\/(scheme|signing))/, 'authentication (server/src/auth, scheme)'],
  [/server\/src\/http\//, 'request handling (server/src/http)'],
  [/server\/src\/(stock|perp)\//, 'the operation (server/src/stock, perp)'],
  [/server\/src\//, 'other parts of the venue'],
  [/node_modules\/viem/, 'viem'],
  [/node_modules\/(ajv|typebox|@fastify\/ajv)|ajv|compiled/i, 'validation (ajv)'],
  [/node_modules\/lossless-json/, 'JSON with exact numbers (lossless-json)'],
  [/node_modules\/prom-client/, 'metrics (prom-client)'],
  [/node_modules\/postgres/, 'database client'],
  [
    /node_modules\/(fastify|find-my-way|avvio|light-my-request|fast-json|reusify|secure-json|process-warning)/,
    'Fastify',
  ],
  [/node_modules\//, 'other packages'],
  [/node:(internal\/crypto|crypto)/, 'hashes (node:crypto)'],
  [/node:(_http|http|internal\/http)/, "Node's HTTP"],
  [/node:(internal\/process|internal\/timers|timers|internal\/async)/, "Node's queues of tasks"],
  [
    /node:(net|internal\/stream|stream|events|internal\/event|buffer|internal\/buffer)/,
    "Node's sockets, streams, buffers",
  ],
  [/node:/, 'other parts of Node'],
]

const IDLE = 'idle'
const NATIVE: ReadonlyMap<string, string> = new Map([
  ['(garbage collector)', 'garbage collection'],
  ['(program)', 'native code: sockets, HTTP parser'],
  ['(idle)', IDLE],
])
/** The profiler's own start and end. */
const PROFILER = 'node:inspector'

/** Share of each part in the time that this process was not idle. */
export type TimeByPart = Readonly<Record<string, number>>

/** Begins to watch this process; the answer ends it and says where the time went. */
export async function startProfile(): Promise<() => Promise<TimeByPart>> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.start')
  return async () => {
    const { profile } = await session.post('Profiler.stop')
    session.disconnect()
    return timeByPart(profile)
  }
}

/** Each sample counts for the part of its innermost function. */
function timeByPart({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): TimeByPart {
  const parentOf = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)))
  const frameOf = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const times = new Map<string, number>()
  for (const [i, id] of samples.entries()) {
    const part = partOf(id, frameOf, parentOf)
    times.set(part, (times.get(part) ?? 0) + (timeDeltas[i] ?? 0))
  }
  times.delete(IDLE)
  const total = [...times.values()].reduce((sum, time) => sum + time, 0)
  return Object.fromEntries([...times].map(([part, time]) => [part, time / total]))
}

/** A native function without a file counts for whoever calls it. */
function partOf(start: number, frameOf: ReadonlyMap<number, CallFrame>, parentOf: ReadonlyMap<number, number>): string {
  for (let id: number | undefined = start; id !== undefined; id = parentOf.get(id)) {
    const { functionName = '', url = '' } = frameOf.get(id) ?? {}
    if (url === PROFILER) return IDLE
    const native = NATIVE.get(functionName)
    if (native) return native
    const part = PARTS.find(([pattern]) => pattern.test(url))
    if (part) return part[1]
  }
  return 'other'
}
