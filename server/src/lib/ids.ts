import { randomUUID } from 'node:crypto'

/** A fresh random UUID (version 4), for request ids and row ids. */
export const newId = (): string => randomUUID()

/** True for `0x` and 40 hex digits, in any case (a checksum is not demanded). */
export const isAddress = (text: string): boolean => /^0x[0-9a-fA-F]{40}$/.test(text)
