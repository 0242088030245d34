import { expect, it } from 'vitest'
import { shownOperations } from '../../http/testing-statuses.ts'
import { operationNames } from '../testing/statuses.ts'

it('every operation shows its documented statuses in a table of this folder, and in one only', () => {
  expect(shownOperations(import.meta.dirname).sort()).toEqual(operationNames().sort())
})
