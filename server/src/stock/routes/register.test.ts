import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { operationNames } from '../testing/statuses.ts'

it('every operation has a test of its documented statuses beside it, and one only', () => {
  const files = globSync('*.test.ts', { cwd: import.meta.dirname })
  const tested = files.flatMap((file) => {
    const [, ...calls] = readFileSync(join(import.meta.dirname, file), 'utf8').split('\ndescribeStatuses({\n')
    return calls.flatMap((text) => [...text.matchAll(/^ {2}'([A-Z]+ \/api[^']+)':/gm)].map(([, name]) => name))
  })
  expect(tested.sort()).toEqual(operationNames().sort())
})
