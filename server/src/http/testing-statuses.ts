import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Check } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiDocument } from './openapi.ts'
import type { Route } from './product.ts'
import type { ProductReference } from './reference.ts'
import { closed } from './validation.ts'

// Each status that the reference documents of an operation, shown by an answer of the operation itself.

/** A request that its operation answers with success. */
export interface SoundRequest<Key = string> {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Who asks, where another key does than for most operations. */
  readonly key?: Key
}

/** What is judged of an answer. */
export interface StatusAnswer {
  readonly status: number
  readonly code: number
  /** Its `x-error-reason`. */
  readonly reason: string | undefined
  readonly data: unknown
  /** The body as it went over the wire. */
  readonly text: string
}

/** Puts into a world what an operation needs, and says how it is asked. */
export type Arrange<Desk, Key = string> = (desk: Desk) => SoundRequest<Key> | Promise<SoundRequest<Key>>

/** What a product gives, so that the statuses of its operations can be shown. */
export interface StatusTests<Desk, Key = string> {
  readonly routes: readonly Route[]
  readonly reference: ProductReference
  /** The world of the tests of a file, with servers over it. */
  open(): Promise<Desk>
  /** How an answer of each status is brought about. */
  readonly shown: Readonly<
    Record<number, (desk: Desk, route: Route, sound: SoundRequest<Key>) => Promise<StatusAnswer>>
  >
}

/**
 * Tests of a product's operations. A documented status that nothing here can show is a failed test, and so is an answer that
 * is not as documented.
 */
export function statusTests<Desk extends { close(): Promise<void> }, Key = string>(tests: StatusTests<Desk, Key>) {
  const { routes, reference, shown } = tests
  const document = openApiDocument({ name: 'tested', prefix: '', routes, reference })

  function documented({ method, path }: Route) {
    const operation = document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
    if (!operation) throw new Error(`${method} ${path} is not documented`)
    return operation
  }

  /** An answer has this status, and is what the reference says of it. */
  function expectDocumented(route: Route, status: number, answer: StatusAnswer): void {
    expect(answer.status, answer.text).toBe(status)
    if (status === 200) {
      const schema = closed(route.schema.data)
      expect(Check(schema, answer.data), `${answer.text} is no ${JSON.stringify(schema)}`).toBe(true)
      return
    }
    // A failed authentication alone does not say its reason.
    const { code, reason = 'unauthenticated' } = answer
    expect(documented(route)['x-errors']).toContainEqual(expect.objectContaining({ status, code, reason }))
  }

  /** Asks each of these operations so that it answers with every status that is documented of it. */
  function describeStatuses(operations: Readonly<Record<string, Arrange<Desk, Key>>>): void {
    describe('each documented status', () => {
      let desk: Desk
      beforeAll(async () => {
        desk = await tests.open()
      }, 120_000)
      afterAll(() => desk?.close())

      describe.each(Object.entries(operations))('of %s', (name, arrange) => {
        const route = routeOf(routes, name)
        let sound: SoundRequest<Key>
        beforeAll(async () => {
          sound = await arrange(desk)
        })

        it.each(Object.keys(documented(route).responses).map(Number))('HTTP %i', async (status) => {
          const show = shown[status]
          if (!show) throw new Error(`HTTP ${status} of ${name} is documented, and nothing here shows it`)
          expectDocumented(route, status, await show(desk, route, sound))
        })
      })
    })
  }

  return {
    describeStatuses,
    /** The operations of the product, by the names that `describeStatuses` takes. */
    operationNames: (): string[] => routes.map(nameOf),
  }
}

const nameOf = ({ method, path }: Route): string => `${method} ${path}`

function routeOf(routes: readonly Route[], name: string): Route {
  const route = routes.find((one) => nameOf(one) === name)
  if (!route) throw new Error(`there is no operation ${name}`)
  return route
}

/** The target of a request for an operation, its query sorted by name as a signature takes it. */
export function targetOf({ path }: Route, { params = {}, query = {} }: SoundRequest<unknown>): string {
  const filled = path.replaceAll(/:(\w+)/g, (_, name) => params[name] ?? '')
  const search = new URLSearchParams(query)
  search.sort()
  return search.size === 0 ? filled : `${filled}?${search}`
}

/** The same request with a parameter that no operation has. */
export const withUnknownParameter = <Key>(sound: SoundRequest<Key>): SoundRequest<Key> => ({
  ...sound,
  query: { ...sound.query, colour: 'red' },
})

/** The operations whose statuses the tables of a folder show, in its files `*-statuses.test.ts`, each as often as it is shown. */
export function shownOperations(folder: string): string[] {
  return globSync('*-statuses.test.ts', { cwd: folder }).flatMap((file) => {
    const [, ...calls] = readFileSync(join(folder, file), 'utf8').split('\ndescribeStatuses({\n')
    return calls.flatMap((text) => [...text.matchAll(/^ {2}'([A-Z]+ \/[^']+)':/gm)].map(([, name]) => String(name)))
  })
}
