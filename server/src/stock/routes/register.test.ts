import { expect, it } from 'vitest'
import { shownOperations } from '../../http/testing-statuses.ts'
import { operationNames } from '../testing/statuses.ts'

it('every operation has a test of its documented statuses beside it, and one only', () => {
  expect(shownOperations(import.meta.dirname).sort()).toEqual(operationNames().sort())
})
