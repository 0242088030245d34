import Type from 'typebox'
import { EXPECTED } from '../../http/validation.ts'
import { AppError } from '../../lib/errors.ts'
import { stockReasons } from '../reasons.ts'

/** A Unix second between the years 1653 and 2286, which every part of the venue can take for a time. */
export const timeSchema = (description: string) =>
  Type.Integer({
    minimum: -9_999_999_999,
    maximum: 9_999_999_999,
    [EXPECTED]: 'a Unix time in seconds',
    description,
  })

export const TIME_RANGE_EXAMPLE = { startTime: 1_690_000_000, endTime: 1_700_000_000 } as const

/** Refuses a range that ends before it begins. Throws `time_range_invalid`. */
export function requireTimeRange({
  startTime,
  endTime,
}: {
  readonly startTime?: number
  readonly endTime?: number
}): void {
  if (startTime === undefined || endTime === undefined || startTime <= endTime) return
  const message = `startTime must not be after endTime, got ${startTime} and ${endTime}`
  throw new AppError(stockReasons.time_range_invalid, message, { detail: { field: 'startTime' } })
}
